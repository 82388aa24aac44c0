import { useEffect, useRef } from 'preact/hooks';
import type { Box } from '../../../../../../domain/page-words.ts';
import { useImage } from '../../../parts/image.ts';
import { Sheet } from '../../../parts/sheet.tsx';
import { pageImage, USUAL_WIDTH } from '../files.ts';
import { usePick } from './picking.ts';
import type { Marked, PageProps } from './places.ts';
import { type Turn, zoom } from './view.ts';

const percent = (fraction: number) => `${fraction * 100}%`;
const styleOf = ({ x, y, width, height }: Box) => ({
  left: percent(x),
  top: percent(y),
  width: percent(width),
  height: percent(height),
});

type MarkProps = { readonly place: Marked; readonly isChosen: boolean; readonly choose: (pointer: string) => void };

/** Where a value stands. Screen readers have the values and their quotes; this is for the eye and the mouse. */
const Mark = ({ place, isChosen, choose }: MarkProps) => {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) shown.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isChosen]);
  return (
    <div
      ref={shown}
      class={isChosen ? 'box chosen' : 'box'}
      style={styleOf(place.box)}
      title={place.label}
      aria-hidden="true"
      onClick={() => choose(place.pointer)}
    ></div>
  );
};

/** From here on an image of the usual width is too coarse. */
const COARSE = 1.5;
const FINE_WIDTH = 2400;

/** A page that is turned on its side: as wide as its place is high. */
const turnedStyle = (turn: Turn, ratio: number) =>
  turn % 2 === 0
    ? { rotate: `${turn * 90}deg` }
    : { rotate: `${turn * 90}deg`, width: percent(ratio), height: percent(1 / ratio) };

export const PageImage = (props: PageProps) => {
  const { documentId: id, file, page, places, chosen, choose, turn } = props;
  const frame = useRef<HTMLDivElement>(null);
  const width = zoom.value > COARSE ? FINE_WIDTH : USUAL_WIDTH;
  const at = { id, index: file.index, page: page.page };
  const shown = useImage(frame, `${id} ${at.index} ${at.page} ${width}`, (signal) => pageImage(at, signal, width));
  const { drawn, handlers } = usePick(props);
  const ratio = page.width / page.height;
  return (
    <Sheet
      frame={frame}
      shown={shown}
      page={page.page}
      {...handlers}
      style={{ aspectRatio: turn % 2 === 0 ? ratio : 1 / ratio }}
    >
      <div class="turned" style={turnedStyle(turn, ratio)}>
        {shown.image && <img src={shown.image} alt={`Page ${page.page} of ${file.file_name}`} />}
        {places.map((place, index) => (
          <Mark key={index} place={place} isChosen={place.pointer === chosen} choose={choose} />
        ))}
        {drawn && <div class="drawn" style={styleOf(drawn)}></div>}
      </div>
    </Sheet>
  );
};
