import { useEffect, useRef } from 'preact/hooks';
import { useImage } from '../../../parts/image.ts';
import { pageImage } from '../files.ts';
import type { File } from './places.ts';

const WIDTH = 120;

interface ThumbnailProps {
  readonly documentId: string;
  readonly file: File;
  readonly page: File['pages'][number];
  /** Counted through all files. */
  readonly number: number;
  /** What it is called. */
  readonly called: number;
  readonly isCurrent: boolean;
  readonly goTo: (number: number) => void;
}

const Thumbnail = ({ documentId: id, file, page, number, called, isCurrent, goTo }: ThumbnailProps) => {
  const frame = useRef<HTMLButtonElement>(null);
  const { image, failure } = useImage(frame, `${id} ${file.index} ${page.page}`, (signal) =>
    pageImage({ id, index: file.index, page: page.page }, signal, WIDTH),
  );
  useEffect(() => {
    if (isCurrent) frame.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isCurrent]);
  return (
    <li>
      <button
        ref={frame}
        type="button"
        aria-current={isCurrent ? 'page' : undefined}
        aria-label={`Page ${called}`}
        title={failure || file.file_name}
        onClick={() => goTo(number)}
      >
        <span class="small" style={{ aspectRatio: page.width / page.height }}>
          {image && <img src={image} alt="" />}
        </span>
        {called}
      </button>
    </li>
  );
};

interface ThumbnailsProps extends Pick<ThumbnailProps, 'documentId' | 'goTo'> {
  readonly files: readonly File[];
  readonly numbers: readonly number[];
  readonly number: number;
}

/** All pages of all files, small, of which each leads to the large one. */
export const Thumbnails = ({ files, numbers, number, ...rest }: ThumbnailsProps) => {
  const pages = files.flatMap((file) => file.pages.map((page) => ({ file, page })));
  return (
    <ol class="thumbnails" aria-label="Pages">
      {pages.map((each, index) => (
        <Thumbnail
          key={`${each.file.index} ${each.page.page}`}
          {...each}
          {...rest}
          number={index + 1}
          called={numbers[index] ?? index + 1}
          isCurrent={number === index + 1}
        />
      ))}
    </ol>
  );
};
