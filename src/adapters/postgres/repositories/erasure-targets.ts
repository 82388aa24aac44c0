import type { ErasureTargets } from '../../../domain/erasure.ts';
import { wayWithin } from '../../../domain/routing/page-names.ts';
import type { Pages } from '../../../domain/routing/part.ts';
import type { RunSql } from '../connection/database.ts';
import { idsOf } from '../connection/ids.ts';
import * as sql from '../statements/erasure-statements.ts';

interface Unit {
  /** The run that people see; `runId` may be one that reads parts of it again. */
  readonly ownRunId: string;
  readonly runId: string;
  readonly index: number;
  readonly documentId: string | null;
  readonly conversationId: string | null;
  /** Of a file that was divided; null: it has read the whole file. */
  readonly part: Pages | null;
  readonly keys: readonly string[];
}

type Named = Pick<ErasureTargets, 'documents' | 'runs' | 'conversations'>;

const unique = <T>(items: readonly T[]): readonly T[] => [...new Set(items)];
const present = (ids: readonly (string | null)[]) => ids.filter((id) => id !== null);

/** Within one file. What has no pages is read as a whole. */
const shareWords = (one: Pages, other: Pages): boolean =>
  wayWithin(one.fileName) === wayWithin(other.fileName) &&
  (one.pages.length === 0 || other.pages.length === 0 || one.pages.some((page) => other.pages.includes(page)));

/** Whether both have read some of the same words. */
const haveSameWords = (one: Unit, other: Unit): boolean =>
  one.keys.some((key) => other.keys.includes(key)) &&
  (one.part === null || other.part === null || shareWords(one.part, other.part));

/**
 * Everything that goes with what is named. A document, or the conversation in which it was read, goes with its unit: its files, its
 * conversation, and every other document that was read from the same pages, because it has the same words. A run goes as a whole; of
 * others, those whose units all go. The file of a part goes as well, though documents of other parts of it stay.
 */
export const targetsOf = async (run: RunSql, { documents, runs, conversations }: Named): Promise<ErasureTargets> => {
  const rows = await run<{ id: string }>(sql.runsOf, [documents, runs, conversations]);
  const named = await run<Unit>(sql.units, [idsOf(rows), documents, runs, conversations]);
  const keys = unique(named.flatMap((unit) => unit.keys));
  const ofFiles = await run<Unit>(sql.unitsOfFiles, [keys]);
  const alike = ofFiles.filter((unit) => named.some((mine) => haveSameWords(unit, mine)));
  const units = [...new Map([...named, ...alike].map((unit) => [`${unit.runId} ${unit.index}`, unit])).values()];
  const counts = await run<{ id: string; units: number }>(sql.unitCounts, [
    unique([...runs, ...units.map(({ ownRunId }) => ownRunId)]),
  ]);
  const goes = ({ id, units: all }: { id: string; units: number }) =>
    runs.includes(id) || units.filter(({ ownRunId }) => ownRunId === id).length === all;
  const whole = idsOf(counts.filter(goes));
  const staying = units.filter(({ ownRunId }) => !whole.includes(ownRunId));
  const gone = unique([
    ...documents,
    ...present(units.map(({ documentId }) => documentId)),
    ...idsOf(await run<{ id: string }>(sql.documentsOfRuns, [whole])),
  ]);
  const talks = unique([
    ...conversations,
    ...present(units.map(({ conversationId }) => conversationId)),
    ...idsOf(await run<{ id: string }>(sql.documentConversations, [gone])),
    ...idsOf(await run<{ id: string }>(sql.runConversations, [staying.map(({ runId }) => runId)])),
  ]);
  const snapshots = await run<{ key: string }>(sql.snapshotKeys, [talks]);
  return {
    documents: gone,
    conversations: talks,
    runs: idsOf(await run<{ id: string }>(sql.relatedRuns, [whole])),
    units: staying.map(({ runId, index }) => ({ runId, index })),
    keys: [...keys, ...snapshots.map(({ key }) => key)],
  };
};

/** What is named by two of them, together. */
export const joined = (one: ErasureTargets, other: ErasureTargets): ErasureTargets => ({
  documents: unique([...one.documents, ...other.documents]),
  conversations: unique([...one.conversations, ...other.conversations]),
  runs: unique([...one.runs, ...other.runs]),
  units: [...one.units, ...other.units],
  keys: unique([...one.keys, ...other.keys]),
});
