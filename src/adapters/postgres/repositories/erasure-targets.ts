import type { ErasureTargets } from '../../../domain/erasure.ts';
import * as sql from '../statements/erasure-statements.ts';
import type { Run } from './removal.ts';

interface Unit {
  readonly runId: string;
  readonly index: number;
  readonly documentId: string | null;
  readonly conversationId: string | null;
  readonly keys: readonly string[];
}

type Named = Pick<ErasureTargets, 'documents' | 'runs' | 'conversations'>;

const unique = <T>(items: readonly T[]): readonly T[] => [...new Set(items)];
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
const present = (ids: readonly (string | null)[]) => ids.filter((id) => id !== null);

/**
 * Everything that goes with what is named. A document, or the conversation in which it was read, goes with its unit: its files, its
 * conversation, and every other document that was read from one of these files, because it has the same words. A run goes as a whole; of
 * others, those whose units all go.
 */
export const targetsOf = async (run: Run, named: Named): Promise<ErasureTargets> => {
  const runIds = idsOf(await run<{ id: string }>(sql.runsOf, [named.documents, named.runs, named.conversations]));
  const own = await run<Unit>(sql.units, [runIds, named.documents, named.runs, named.conversations]);
  const keys = unique(own.flatMap((unit) => unit.keys));
  const alike = await run<Unit>(sql.unitsOfFiles, [keys]);
  const units = [...new Map([...own, ...alike].map((unit) => [`${unit.runId} ${unit.index}`, unit])).values()];
  const counts = await run<{ id: string; units: number }>(sql.unitCounts, [
    unique([...named.runs, ...units.map(({ runId }) => runId)]),
  ]);
  const isWhole = new Set(
    idsOf(
      counts.filter(
        ({ id, units: all }) => named.runs.includes(id) || units.filter(({ runId }) => runId === id).length === all,
      ),
    ),
  );
  const inRuns = await run<{ id: string; conversationId: string }>(sql.documentsOfRuns, [[...isWhole]]);
  const documents = unique([...named.documents, ...present(units.map((unit) => unit.documentId)), ...idsOf(inRuns)]);
  const conversations = unique([
    ...named.conversations,
    ...present(units.map((unit) => unit.conversationId)),
    ...idsOf(await run<{ id: string }>(sql.documentConversations, [documents])),
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
