import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Schemas } from '../../../../../client/portico.ts';
import type { Box, PageWord } from '../../../../../domain/page-words.ts';
import { around, linesWithin } from '../../../../../domain/word-lines.ts';
import { api, messageOf, withToken } from '../../api.ts';
import type { Place } from '../../parts/draft.ts';
import { act } from '../../parts/notice.tsx';
import { pageImage } from './files.ts';

/** The value that is being edited takes what is picked. */
const edited = () =>
  document.activeElement?.closest<HTMLElement>('input[data-field], select[data-field], textarea[data-field]') ?? null;

type File = Schemas['DocumentFile'];
type Marked = { readonly pointer: string; readonly label: string; readonly box: Schemas['PageBox'] };

interface PageProps {
  readonly documentId: string;
  readonly file: File;
  readonly page: File['pages'][number];
  readonly places: readonly Marked[];
  readonly chosen: string | null;
  readonly choose: (pointer: string) => void;
  /** Puts words that stand at this place into a value. */
  readonly fill: (pointer: string, words: string, place: Place) => void;
}

const pointOf = (event: PointerEvent): Box => {
  const { left, top, width, height } = (event.currentTarget as HTMLElement).getBoundingClientRect();
  return { x: (event.clientX - left) / width, y: (event.clientY - top) / height, width: 0, height: 0 };
};

/** Fills the value that is being edited from the page: by a click on a word, or a box that is drawn around words. */
const usePick = ({ documentId: id, file: { index, file_name }, page: { page }, fill }: PageProps) => {
  const drawn = useSignal<Box | null>(null);
  const start = useRef<Box | null>(null);
  const words = useRef<Promise<readonly PageWord[] | null> | null>(null);
  const load = () => {
    const at = '/api/v1/documents/{id}/files/{index}/pages/{page}/words';
    words.current ??= act({ does: async () => (await api.get(at, { params: { path: { id, index, page } } })).words });
    return words.current;
  };
  const pick = async (box: Box) => {
    const field = edited();
    const all = field && (await load());
    if (!all) words.current = null;
    const lines = linesWithin(all ?? [], box);
    const text = lines.map((line) => line.map((word) => word.text).join(' ')).join(' ');
    const boxes = lines.map((line) => ({ page, ...around(line) }));
    if (field && text !== '') fill(field.dataset.field ?? '', text, { file_name, page, boxes });
  };
  const end = () => {
    start.current = null;
    drawn.value = null;
  };
  return {
    drawn: drawn.value,
    handlers: {
      onPointerEnter: () => edited() && void load(),
      // The field keeps the focus.
      onMouseDown: (event: MouseEvent) => edited() && event.preventDefault(),
      onPointerDown(event: PointerEvent) {
        if (event.button !== 0 || !edited()) return;
        start.current = pointOf(event);
        if (event.pointerType !== 'touch') (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      },
      onPointerMove(event: PointerEvent) {
        if (start.current !== null && event.pointerType !== 'touch')
          drawn.value = around([start.current, pointOf(event)]);
      },
      onPointerUp(event: PointerEvent) {
        if (start.current !== null) void pick(around([start.current, pointOf(event)]));
        end();
      },
      onPointerCancel: end,
    },
  };
};

/** The address of a page's image, drawn once the page is near the screen. */
const useImage = ({ documentId, file, page }: PageProps) => {
  const [image, failure] = [useSignal<string | null>(null), useSignal('')];
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const ended = new AbortController();
    const path = { id: documentId, index: file.index, page: page.page };
    const load = async () => {
      const { response } = await withToken(() => pageImage(path, ended.signal));
      const blob = await response.blob();
      if (!ended.signal.aborted) image.value = URL.createObjectURL(blob);
    };
    const seen = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        seen.disconnect();
        load().catch((error: unknown) => {
          if (!ended.signal.aborted) failure.value = messageOf(error);
        });
      },
      { rootMargin: '600px' },
    );
    if (frame.current) seen.observe(frame.current);
    return () => {
      ended.abort();
      seen.disconnect();
      if (image.peek()) URL.revokeObjectURL(image.peek() ?? '');
    };
  }, [documentId, file.index, page.page]);
  return { frame, image: image.value, failure: failure.value };
};

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
    if (isChosen) shown.current?.scrollIntoView({ block: 'nearest' });
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

const PageImage = (props: PageProps) => {
  const { file, page, places, chosen, choose } = props;
  const { frame, image, failure } = useImage(props);
  const { drawn, handlers } = usePick(props);
  return (
    <div ref={frame} class="sheet" {...handlers} style={{ aspectRatio: `${page.width} / ${page.height}` }}>
      {image && <img src={image} alt={`Page ${page.page} of ${file.file_name}`} />}
      {failure && <p class="soft">{failure}</p>}
      {image &&
        places.map((place, index) => (
          <Mark key={index} place={place} isChosen={place.pointer === chosen} choose={choose} />
        ))}
      {drawn && <div class="drawn" style={styleOf(drawn)}></div>}
    </div>
  );
};

interface SourceProps extends Pick<PageProps, 'chosen' | 'choose' | 'fill'> {
  readonly document: Schemas['DocumentDetail'];
  /** Those of its files that have pages to show. */
  readonly files: readonly File[];
  /** Where its values stand, those among them that the user has found and not saved. */
  readonly places: Readonly<Record<string, Place>>;
  /** The values in the order of the form, and what they are called. */
  readonly labels: ReadonlyMap<string, string>;
}

/** The places on the pages of a file, each line of a quote by itself. */
const placesIn = (name: string, { places, labels, chosen }: SourceProps): readonly Marked[] => {
  const all = Object.entries(places)
    .filter(([, { file_name: file }]) => file === name)
    .flatMap(([pointer, { boxes }]) => boxes.map((box) => ({ pointer, box, label: labels.get(pointer) ?? pointer })));
  // Values of one row stand in one line: it is drawn once, for the chosen value if it is one of them.
  const drawn = new Map<string, Marked>();
  for (const place of all) {
    const { page, x, y, width, height } = place.box;
    const at = [page, x, y, width, height].join();
    if (!drawn.has(at) || place.pointer === chosen) drawn.set(at, place);
  }
  return [...drawn.values()];
};

/** The pages of a file as people see them, with the places of the values. */
const Pages = ({ file, of }: { readonly file: File; readonly of: SourceProps }) => {
  const places = placesIn(file.file_name, of);
  return (
    <div class="file">
      <p class="soft">
        <span class="cut">{file.file_name}</span>
        {file.download_url && (
          <a href={file.download_url} download={file.file_name} rel="noreferrer">
            Download
          </a>
        )}
      </p>
      {file.pages.map((page) => (
        <PageImage
          {...of}
          key={page.page}
          documentId={of.document.id}
          file={file}
          page={page}
          places={places.filter(({ box }) => box.page === page.page)}
        />
      ))}
    </div>
  );
};

/** What the files say, in the words of the files: for those that have no pages to show. Values of one row mostly stand in one quote. */
const Quotes = ({ document: { evidence }, labels, chosen, choose }: SourceProps) => {
  const quoteOf = (pointer: string) => evidence[pointer] ?? { quote: '', file_name: '', page: null };
  // What a person entered has no quote.
  const quoted = [...labels.keys()].filter((pointer) => quoteOf(pointer).quote !== '');
  const quotes = Map.groupBy(quoted, (pointer) =>
    JSON.stringify([quoteOf(pointer).file_name, quoteOf(pointer).page, quoteOf(pointer).quote]),
  );
  if (quotes.size === 0) return <p class="soft">No quotes from the files are kept for this document.</p>;
  return (
    <ul class="quotes">
      {[...quotes.values()].map((pointers) => {
        const [first = ''] = pointers;
        const { quote, file_name: file, page } = quoteOf(first);
        return (
          <li class={pointers.includes(chosen ?? '') ? 'chosen' : ''}>
            <button type="button" onClick={() => choose(first)}>
              <span class="soft">{pointers.map((pointer) => labels.get(pointer)).join(', ')}</span>
              <q>{quote}</q>
              <span class="soft cut">
                {file}
                {page !== null && `, page ${page}`}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
};

/** Where the values of a document stand. */
export const Source = (props: SourceProps) => (
  <section class="panel source" aria-label="Where they stand" tabindex={0}>
    {props.files.length === 0 && (
      <>
        <h2>Where they stand</h2>
        <Quotes {...props} />
      </>
    )}
    {props.files.map((file) => (
      <Pages key={file.index} file={file} of={props} />
    ))}
  </section>
);
