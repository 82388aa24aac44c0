import type { EntityManager } from '@mikro-orm/postgresql';
import type { PlacedPart, Repartition } from '../../../application/ports/run-parts.ts';
import type { RunRepository } from '../../../application/ports/storage.ts';
import { documentMachine } from '../../../domain/document.ts';
import type { ReviewTime } from '../../../domain/review.ts';
import { doubted, type PartDocument } from '../../../domain/routing/doubted-document.ts';
import type { Part } from '../../../domain/routing/part.ts';
import { type AskedPart, signatureOf } from '../../../domain/routing/partition.ts';
import { eventsBetween } from '../../../domain/webhook.ts';
import { type Database, sqlIn } from '../connection/database.ts';
import * as sql from '../statements/routing-statements.ts';
import { announce } from '../statements/run-creation-statements.ts';
import { recordIn } from './acts.ts';

/** Parts as the statements take them. `unit`: the place of each part that is read among those that are. */
export const partRows = (parts: readonly (Part & PlacedPart)[]) => {
  let units = 0;
  return parts.map(({ name, fileName, pages, evidence, confidence, fileIndex, reader }, index) => ({
    index,
    name,
    file_name: fileName,
    pages,
    evidence,
    confidence,
    file_index: fileIndex,
    unit: reader === null ? null : units++,
    agent_id: reader?.agentId ?? null,
    agent_version: reader?.agentVersion ?? null,
  }));
};

interface StoredPart extends Part {
  readonly unitRunId: string | null;
  readonly unitIndex: number | null;
  readonly documentId: string | null;
}

/** By a person: nothing stands behind it. */
const made = (part: AskedPart & PlacedPart): Part & PlacedPart => ({ ...part, evidence: [], confidence: null });

/** The documents of the parts, out of the way of those that come. */
const clear = async (em: EntityManager, gone: readonly StoredPart[], deed: Repartition['deed']) => {
  const documents = gone.flatMap(({ documentId }) => documentId ?? []);
  const processed = await sqlIn(em, sql.lockProcessed, [documents]);
  if (processed.length > 0) return false;
  const trashed = await sqlIn<{ id: string; workspaceId: string; revision: number }>(em, sql.trash, [documents]);
  const acts = trashed.map(({ id, workspaceId, revision }) => ({
    ...deed,
    workspaceId,
    subject: { type: 'document', id, name: null } as const,
    details: { revision, ...deed.details },
  }));
  await recordIn(em, acts);
  const units = gone.filter(({ unitRunId }) => unitRunId !== null);
  await sqlIn(em, sql.cancelUnits, [units.map(({ unitRunId }) => unitRunId), units.map(({ unitIndex }) => unitIndex)]);
  return true;
};

/** The run that reads the new parts, as soon as a worker is free. */
const read = async (em: EntityManager, id: string, rows: ReturnType<typeof partRows>, change: Repartition) => {
  if (rows.every(({ unit }) => unit === null)) return;
  const { readingId, userId, deadlineSeconds } = change;
  await sqlIn(em, sql.insertReading, [id, readingId, userId, deadlineSeconds, JSON.stringify(rows)]);
};

type KeptDocument = PartDocument & { readonly id: string; readonly when: ReviewTime; readonly now: Date };

/** Reasons for review may be long: so many documents are held in memory. */
const MOST_DOUBTED = 200;

/** What is in no part makes the documents of the parts that stay doubtful, or nothing does any more. */
const doubt = async (em: EntityManager, kept: readonly StoredPart[], reason: Repartition['doubt']) => {
  const ids = kept.flatMap(({ documentId }) => documentId ?? []).sort();
  for (let at = 0; at < ids.length; at += MOST_DOUBTED) {
    const documents = await sqlIn<KeptDocument>(em, sql.lockKept, [ids.slice(at, at + MOST_DOUBTED)]);
    const changed = documents.flatMap((document) => {
      const after = doubted(document, reason, document.when, document.now);
      return after === document ? [] : [{ before: document, after }];
    });
    await sqlIn(em, sql.storeDoubts, [JSON.stringify(changed.map(({ after }) => after))]);
    const events = changed
      .filter(({ after }) => after.status !== documentMachine.stateAfter('trash'))
      .flatMap(({ before, after }) => eventsBetween(before, after).map((type) => ({ id: after.id, type })));
    await sqlIn(em, sql.logDoubts, [events.map(({ id }) => id), events.map(({ type }) => type)]);
  }
};

export const runParts = ({ transaction, query }: Pick<Database, 'transaction' | 'query'>): RunRepository['repart'] => {
  const replace = async (em: EntityManager, id: string, change: Repartition) => {
    const [run] = await sqlIn<{ revision: number; workspaceId: string }>(em, sql.lockParts, [id]);
    if (run?.revision !== change.revision) return 'stale' as const;
    const stored = await sqlIn<StoredPart>(em, sql.storedParts, [id]);
    const known = new Map(stored.map((part) => [signatureOf(part), part]));
    const before = change.parts.map((part) => known.get(signatureOf(part)));
    const kept = new Set(before);
    const gone = stored.filter((part) => !kept.has(part));
    if (!(await clear(em, gone, change.deed))) return 'processed' as const;
    await doubt(
      em,
      stored.filter((part) => kept.has(part)),
      change.doubt,
    );
    const rows = partRows(change.parts.filter((_, index) => before[index] === undefined).map(made));
    await read(em, id, rows, change);
    const fresh = rows.values();
    const all = before.map((part, index) => {
      if (part === undefined) {
        const row = fresh.next().value;
        const isRead = row !== undefined && row.unit !== null;
        return { ...row, index, unit_run_id: isRead ? change.readingId : null, unit_index: row?.unit ?? null };
      }
      const { fileName, unitRunId, unitIndex, documentId: _, ...rest } = part;
      return { ...rest, index, file_name: fileName, unit_run_id: unitRunId, unit_index: unitIndex };
    });
    await sqlIn(em, sql.clearParts, [id]);
    await sqlIn(em, sql.numberParts, [id]);
    await sqlIn(em, sql.insertParts, [id, JSON.stringify(all)]);
    return run;
  };

  return async (id, change) => {
    const done = await transaction((em) => replace(em, id, change));
    if (typeof done === 'string') return done;
    await query(announce, [[change.readingId], [done.workspaceId]]).catch(() => {});
    return 'changed';
  };
};
