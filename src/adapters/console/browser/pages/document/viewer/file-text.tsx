import { useSignal } from '@preact/signals';
import { useInfiniteQuery } from '@tanstack/preact-query';
import { memo } from 'preact/compat';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Button, Failure, Skeleton } from '../../../parts/basics.tsx';
import { textOf } from '../files.ts';
import type { File, SourceProps } from './places.ts';
import { type Block, blocksOf, marksIn, type Piece } from './text-marks.ts';

const Pieces = ({ of }: { readonly of: readonly Piece[] }) =>
  of.map(({ text, mark }, index) =>
    mark === null ? (
      text
    ) : (
      <mark key={index} data-mark={mark}>
        {text}
      </mark>
    ),
  );

const Lines = ({ isTable, lines }: Block) =>
  isTable ? (
    <table>
      <tbody>
        {lines.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, column) => (
              <td key={column}>
                <Pieces of={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  ) : (
    <div class="prose">
      {lines.map(([line = []], row) => (
        <div key={row}>{line.length === 0 ? <br /> : <Pieces of={line} />}</div>
      ))}
    </div>
  );

const Written = memo(({ blocks }: { readonly blocks: readonly Block[] }) =>
  blocks.map((block, index) => <Lines key={index} {...block} />),
);

/** The text of a file without pages as it was read, with the quotes of the values marked. */
export const FileText = ({ file, of }: { readonly file: File; readonly of: SourceProps }) => {
  const { document, labels, chosen, choose } = of;
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    textOf(document.id, file.index),
  );
  const shown = useRef<HTMLDivElement>(null);
  const { evidence } = document;
  const quotes = useMemo(
    () =>
      [...labels.keys()].flatMap((pointer) => {
        const quoted = evidence[pointer];
        return quoted?.file_name === file.file_name ? [{ pointer, quote: quoted.quote }] : [];
      }),
    [evidence, labels, file.file_name],
  );
  const text = useMemo(() => data?.pages.map((part) => part.text).join('') ?? null, [data]);
  const marks = useMemo(() => (text === null ? [] : marksIn(text, quotes)), [text, quotes]);
  const blocks = useMemo(() => (text === null ? [] : blocksOf(text, marks)), [text, marks]);
  const chosenMark = chosen === null ? -1 : marks.findIndex(({ pointers }) => pointers.includes(chosen));
  // The text is long, and another value is chosen with every move of the mouse: its marks change alone.
  useLayoutEffect(() => {
    const all = shown.current?.querySelectorAll(`[data-mark="${chosenMark}"]`) ?? [];
    for (const mark of all) mark.classList.add('chosen');
    all[0]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    return () => {
      for (const mark of all) mark.classList.remove('chosen');
    };
  }, [chosenMark, blocks]);
  const isFurther = chosenMark === -1 && quotes.some(({ pointer, quote }) => pointer === chosen && quote !== '');
  // More that was asked for while the connection was lost is read once it is back.
  const wanted = useSignal(1);
  const isWanted = isFurther || (data !== undefined && data.pages.length < wanted.value);
  useEffect(() => {
    if (isWanted && hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [isWanted, hasNextPage, isFetching]);
  const showMore = () => {
    wanted.value = (data?.pages.length ?? 0) + 1;
  };
  // For the mouse alone: by keyboard a value is chosen in the form.
  useEffect(() => {
    const clicked = ({ target }: Event) => {
      const mark = target instanceof Element ? target.closest<HTMLElement>('[data-mark]') : null;
      const [first] = marks[Number(mark?.dataset.mark)]?.pointers ?? [];
      if (first !== undefined) choose(first);
    };
    const place = shown.current;
    place?.addEventListener('click', clicked);
    return () => place?.removeEventListener('click', clicked);
  });
  return (
    <div class="read" ref={shown} tabindex={0} role="region" aria-label={`Text of ${file.file_name}`}>
      {text === null && !error && <Skeleton />}
      <Written blocks={blocks} />
      {error && <Failure error={error} retry={() => void refetch()} />}
      {hasNextPage && !error && (
        <Button class="plain" off={isFetching} onClick={showMore}>
          Show more of it
        </Button>
      )}
    </div>
  );
};
