import { useQuery } from '@tanstack/preact-query';
import { useMemo } from 'preact/hooks';
import { keyOf, sheetOf, sheetsOf, unassignedIn } from '../../../division/division.ts';
import { useMayWrite, useVersion } from '../../../parts/agents.ts';
import { Failure, Skeleton } from '../../../parts/basics.tsx';
import { useLive } from '../../../parts/live.ts';
import { cache } from '../../../queries.ts';
import { pagesOf, runOf, type TaggedRun } from '../run-requests.ts';
import { Bar } from './bar.tsx';
import { showLarge } from './large.tsx';
import { useLeaving } from './leaving.ts';
import { askWhere } from './move-dialog.tsx';
import { movesOf } from './moves.ts';
import { useMoveKeys, usePageKeys } from './part-keys.ts';
import { type Looks, Strip, Unassigned, USUAL_RATIO } from './strip.tsx';
import { useDivision } from './use-division.ts';
import { useDragging } from './use-dragging.ts';
import { usePageSelection } from './use-selection.ts';

/** What the agent divides files into. */
const useKinds = ({ run }: TaggedRun) => {
  const { data: version, isPending } = useVersion(run.agent_id, run.agent_version);
  const kinds = useMemo(
    () => (version?.definition.parts ?? []).map(({ name, agent = null }) => ({ name, agent })),
    [version],
  );
  return { kinds, isPending };
};

const usePages = ({ run }: TaggedRun) => {
  const loaded = useQuery(pagesOf(run.id, run.completed_at !== null));
  const files = loaded.data?.files;
  const looks: Looks = useMemo(
    () =>
      new Map(
        (files ?? []).flatMap(({ index, file_name: fileName, pages, blank }) => {
          const blanks = new Set(blank);
          return pages.map(({ page, width, height }) => [
            keyOf({ fileName, page }),
            { index, ratio: width / height, isBlank: blanks.has(page) },
          ]);
        }),
      ),
    [files],
  );
  const indexes = useMemo(() => new Map((files ?? []).map(({ file_name: name, index }) => [name, index])), [files]);
  return { loaded, looks, indexes };
};

/** The parts that a run has divided its files into, whose pages a person moves from one to another. */
export const Parts = ({ seen }: { readonly seen: TaggedRun }) => {
  const { run } = seen;
  const divided = useDivision(seen);
  const { files, now } = divided;
  const { loaded, looks, indexes } = usePages(seen);
  const { kinds, isPending } = useKinds(seen);
  const unassigned = useMemo(() => unassignedIn(files, now), [files, now]);
  const order = useMemo(() => [...now.flatMap(sheetsOf), ...unassigned].map(keyOf), [now, unassigned]);
  const selection = usePageSelection(order);
  const isOver = run.completed_at !== null;
  const moves = movesOf(
    divided,
    selection,
    kinds.map(({ name }) => name),
  );
  const mayMove = useMayWrite() && isOver && kinds.length > 0;
  const { over, on } = useDragging(selection, moves);
  const where = () => {
    const sheets = moves.about();
    if (sheets.length > 0) askWhere({ sheets, division: now, names: kinds.map(({ name }) => name), moves });
  };
  const look = (name: string) => {
    const { fileName, page } = sheetOf(name);
    const index = indexes.get(fileName);
    if (index === undefined || page === 0) return;
    showLarge({ runId: run.id, index, page, fileName, ratio: looks.get(name)?.ratio ?? USUAL_RATIO });
  };
  useLeaving(divided.isChanged);
  useMoveKeys(mayMove ? { moves, where } : null);
  const onPages = usePageKeys(selection, { look, toNone: mayMove ? () => moves.toNone(moves.about()) : null });
  const isReading = run.parts.some(({ status }) => status === 'reading');
  useLive(isReading ? ['document.*', 'unit.*'] : [], () => void cache.refetchQueries(runOf(run.id)));
  const isRead = (name: string) => kinds.find((kind) => kind.name === name)?.agent !== null;
  const shared = { runId: run.id, looks, indexes, selection };
  return (
    <div class="parts" {...onPages} {...(mayMove && on)}>
      <section class="panel" aria-label="Parts">
        <h2>Parts</h2>
        {mayMove && (
          <p class="soft tip">
            Drag pages to another part, or select them by click, <kbd>Shift</kbd> and <kbd>Ctrl</kbd> and move them by
            keys: <kbd>?</kbd> shows which. What you change is read again once you save.
          </p>
        )}
        {!isOver && <p class="soft tip">Pages can be moved once the run has ended.</p>}
        {loaded.error !== null && <Failure error={loaded.error} retry={() => void loaded.refetch()} />}
        {isPending && <Skeleton />}
        {!isPending &&
          now.map((piece, place) => (
            <Strip
              key={keyOf(sheetsOf(piece)[0] ?? { fileName: piece.fileName, page: 0 })}
              {...shared}
              divided={divided}
              piece={piece}
              place={place}
              kinds={kinds}
              moves={mayMove ? moves : null}
              isOver={over === String(place)}
            />
          ))}
        {!isPending && <Unassigned {...shared} sheets={unassigned} isMovable={mayMove} isOver={over === 'none'} />}
        <p class="unseen" role="status">
          {divided.said}
        </p>
      </section>
      {mayMove && (
        <Bar
          divided={divided}
          selection={selection}
          moves={moves}
          isRead={isRead}
          askWhere={where}
          isOver={over === 'new'}
        />
      )}
    </div>
  );
};
