import type { ErasureTargets } from '../../../domain/erasure.ts';
import type { Pages } from '../../../domain/routing/part.ts';
import * as sql from '../statements/erasure-statements.ts';
import type { Run } from './removal.ts';

interface Unit {
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
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
const present = (ids: readonly (string | null)[]) => ids.filter((id) => id !== null);

/** Whether both have read some of the same pages. */
const haveSameWords = (one: Unit, other: Unit): boolean =>
  one.keys.some((key) => other.keys.includes(key)) &&
  (one.part === null ||
    other.part === null ||
    (one.part.fileName === other.part.fileName && one.part.pages.some((page) => other.part?.pages.includes(page))));

/**
 * Everything that goes with what is named. A document, or the conversation in which it was read, goes with its unit: its files, its
 * conversation, and every other document that was read from one of these files, because it has the same words. A run goes as a whole; of
 * others, those whose units all go.
 */
export const targetsOf = async (run: Run, named: Named): Promise<ErasureTargets> => {
  const parts = await run<{ id: string }>(sql.partRuns, [named.runs]);
  const whole = unique([...named.runs, ...idsOf(parts)]);
  const runIds = idsOf(await run<{ id: string }>(sql.runsOf, [named.documents, whole, named.conversations]));
  const own = await run<Unit>(sql.units, [runIds, named.documents, whole, named.conversations]);
  const keys = unique(own.flatMap((unit) => unit.keys));
  const ofFiles = await run<Unit>(sql.unitsOfFiles, [keys]);
  const alike = ofFiles.filter((unit) => own.some((mine) => haveSameWords(unit, mine)));
  const units = [...new Map([...own, ...alike].map((unit) => [`${unit.runId} ${unit.index}`, unit])).values()];
  const counts = await run<{ id: string; units: number }>(sql.unitCounts, [
    unique([...whole, ...units.map(({ runId }) => runId)]),
  ]);
  const goes = ({ id, units: all }: { id: string; units: number }) =>
    whole.includes(id) || units.filter(({ runId }) => runId === id).length === all;
  const isWhole = new Set(idsOf(counts.filter(goes)));
  // A run stays with the runs that read parts of it again.
  for (const { id, partOf } of await run<{ id: string; partOf: string }>(sql.partRuns, [[...isWhole]]))
    if (!isWhole.has(id)) isWhole.delete(partOf);
  const staying = unique(units.flatMap(({ runId }) => (isWhole.has(runId) ? [] : [runId])));
  const inRuns = await run<{ id: string; conversationId: string }>(sql.documentsOfRuns, [[...isWhole]]);
  const documents = unique([...named.documents, ...present(units.map((unit) => unit.documentId)), ...idsOf(inRuns)]);
  const conversations = unique([
    ...named.conversations,
    ...present(units.map((unit) => unit.conversationId)),
    ...idsOf(await run<{ id: string }>(sql.documentConversations, [documents])),
    ...idsOf(await run<{ id: string }>(sql.runConversations, [staying])),
  ]);
  const snapshots = await run<{ key: string }>(sql.snapshotKeys, [conversations]);
  return {
    documents,
    conversations,
    runs: [...isWhole],
    units: units.filter(({ runId }) => !isWhole.has(runId)).map(({ runId, index }) => ({ runId, index })),
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
