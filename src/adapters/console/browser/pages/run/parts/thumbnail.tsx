import { Component } from 'preact';
import { useRef } from 'preact/hooks';
import { useImage } from '../../../parts/image.ts';
import { runPage } from '../run-requests.ts';

/** On screens with small points it is drawn twice as wide as it is shown. */
const WIDTH = 240;

interface ThumbnailProps {
  readonly runId: string;
  /** Of the page; as in `data-sheet`. */
  readonly name: string;
  readonly fileName: string;
  /** Whether its file is named below it: there is more than one. */
  readonly isNamed: boolean;
  /** 0: the whole of a file that has no pages. */
  readonly page: number;
  /** Which file it is in the addresses of pages; null until that is known. */
  readonly index: number | null;
  /** How much wider than high it is. */
  readonly ratio: number;
  readonly isBlank: boolean;
  readonly isSelected: boolean;
  /** Whether Tab comes here. */
  readonly isStop: boolean;
  readonly isMovable: boolean;
}

const Drawn = (props: ThumbnailProps) => {
  const { runId: id, name, fileName, isNamed, page, index, ratio, isBlank, isSelected, isStop, isMovable } = props;
  const frame = useRef<HTMLDivElement>(null);
  const isDrawn = page > 0 && index !== null;
  const { image, failure, isLoading } = useImage(frame, isDrawn ? `${id} ${index} ${page}` : null, (signal) =>
    runPage({ id, index: index ?? 0, page }, WIDTH, signal),
  );
  return (
    <div
      ref={frame}
      class="thumb"
      role="option"
      tabIndex={isStop ? 0 : -1}
      data-sheet={name}
      draggable={isMovable}
      aria-selected={isSelected}
      aria-busy={isLoading}
      title={failure || fileName}
    >
      <span class="frame">
        {page === 0 ? (
          <span class="whole" aria-hidden="true">
            {/\.([^.]{1,8})$/.exec(fileName)?.[1] ?? 'file'}
          </span>
        ) : (
          <span class={`small ${ratio > 1 ? 'wide' : ''} ${isLoading ? 'loading' : ''}`} style={{ aspectRatio: ratio }}>
            {image && <img src={image} alt="" draggable={false} />}
            {failure && (
              <span class="undrawn" aria-hidden="true">
                !
              </span>
            )}
          </span>
        )}
      </span>
      <span>
        {page > 0 ? `Page ${page}` : 'Whole file'}
        {isBlank && ' · blank'}
        {page > 0 && ratio > 1 && <span class="unseen"> on its side</span>}
        {failure && <span class="unseen"> not drawn: {failure}</span>}
      </span>
      {isNamed && (
        <>
          {' '}
          <span class="cut soft">{fileName}</span>
        </>
      )}
    </div>
  );
};

/** A page, small. There may be thousands of them, of which a move changes a few: the others are not drawn again. */
export class Thumbnail extends Component<ThumbnailProps> {
  override shouldComponentUpdate(next: ThumbnailProps): boolean {
    return (Object.keys(next) as (keyof ThumbnailProps)[]).some((key) => next[key] !== this.props[key]);
  }

  override render(props: ThumbnailProps) {
    return <Drawn {...props} />;
  }
}
