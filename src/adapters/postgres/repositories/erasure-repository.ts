import type { ErasureRepository, NewErasure } from '../../../application/ports/erasures.ts';
import type { Act } from '../../../domain/audit.ts';
import { type Erasure, type ErasureTargets, withCounts } from '../../../domain/erasure.ts';
import { DomainError } from '../../../domain/errors.ts';
import { held } from '../../../domain/hold.ts';
import { storable } from '../../../domain/text.ts';
import type { Database, RunSql } from '../connection/database.ts';
import { idsOf, isId } from '../connection/ids.ts';
import * as sql from '../statements/erasure-statements.ts';
import { record } from './acts.ts';
import { joined, targetsOf } from './erasure-targets.ts';
import { count, removeTraces } from './erasure-traces.ts';
import { removeConversations, removeFiles, removeRuns } from './removal.ts';

interface Locked {
  readonly busy: boolean;
}

interface LockedDocument extends Locked {
  readonly id: string;
  readonly held: boolean;
  readonly posted: boolean;
}

const notAtRest = (what: string) =>
  new DomainError('conflict', `${what} is not at rest: cancel what is under way, or wait for its end.`);

/** Locks all of it, with what other documents have of its files, and answers its documents. `isForced`: whatever state it is in. */
const lock = async (run: RunSql, targets: ErasureTargets, isForced: boolean) => {
  const { runs, units, documents, conversations, keys } = targets;
  const related = await run<{ id: string }>(sql.relatedRuns, [[...runs, ...units.map(({ runId }) => runId)]]);
  const lockedRuns = await run<Locked>(sql.lockRuns, [idsOf(related)]);
  const others = await run<{ id: string }>(sql.documentsOfFiles, [keys]);
  const readers = await run<LockedDocument>(sql.lockDocuments, [[...documents, ...idsOf(others)]]);
  const targeted = readers.filter(({ id }) => documents.includes(id));
  const talks = await run<Locked>(sql.lockConversations, [conversations]);
  if (isForced) return targeted;
  if (targeted.some((each) => each.held)) throw held('A document of it');
  if (readers.some((each) => each.held)) throw held('Another document of the same file');
  const [isRunning, isPosting, isTalking] = [lockedRuns, targeted, talks].map((some) => some.some(({ busy }) => busy));
  if (isRunning) throw notAtRest('A run of it');
  if (isPosting) throw notAtRest('A document of it');
  if (isTalking) throw notAtRest('A conversation of it');
  return targeted;
};

/** The keys of the objects that go. */
const removeRows = async (run: RunSql, { runs, units, documents, conversations, keys }: ErasureTargets) => {
  await run(sql.removeDocuments, [documents]);
  for (const { runId, index } of units)
    for (const statement of [sql.emptyPart, sql.emptyUnit]) await run(statement, [runId, index]);
  const staying = await run<{ id: string }>(sql.relatedRuns, [units.map(({ runId }) => runId)]);
  for (const statement of [sql.emptyRuns, sql.forgetSheets]) await run(statement, [idsOf(staying), keys]);
  const ofTalks = await removeConversations(run, conversations);
  const ofRuns = await removeRuns(run, runs);
  await removeFiles(run, keys);
  await run(sql.forgetRunFiles, [keys]);
  return [...ofTalks, ...ofRuns];
};

const nothing: ErasureTargets = { documents: [], conversations: [], runs: [], units: [], keys: [] };

const namedBy = ({ type, id }: Erasure['subject']): ErasureTargets => ({
  ...nothing,
  documents: type === 'document' ? [id] : [],
  conversations: type === 'thread' ? [id] : [],
  runs: type === 'run' ? [id] : [],
});

/** Its files first: who took one of them just before is among what goes. */
const lockedTargets = async (run: RunSql, named: ErasureTargets): Promise<ErasureTargets> => {
  const { keys } = await targetsOf(run, named);
  await run(sql.lockFiles, [keys]);
  return targetsOf(run, named);
};

type Asked = Omit<Erasure, 'completedAt' | 'stores' | 'targets' | 'requestedAt'> & {
  readonly requestedAt: Date | null;
};

/** Removes everything of it that has rows, and stores the erasure. */
const erase = async (run: RunSql, request: Asked, targets: ErasureTargets, isForced: boolean): Promise<Erasure> => {
  const { id, workspaceId, subject, reason, requestedBy, requestedAt } = request;
  const documents = await lock(run, targets, isForced);
  const [counted] = await run<{ rows: number }>(sql.count, [targets.documents, targets.runs, targets.conversations]);
  const subjects = [...targets.documents, ...targets.runs, ...targets.conversations];
  const [audit] = await run<{ kept: number }>(sql.countAudit, [workspaceId, subjects]);
  const more = await removeRows(run, targets);
  const stores = withCounts([], {
    database: { removed: counted?.rows ?? 0 },
    system_of_record: { kept: documents.filter(({ posted }) => posted).length },
    audit: { kept: audit?.kept ?? 0 },
  });
  const all = { ...targets, keys: [...new Set([...targets.keys, ...more])] };
  const values = [id, workspaceId, subject.type, subject.id, storable(reason), requestedBy, requestedAt];
  const [erasure] = await run<Erasure>(sql.insert, [...values, JSON.stringify(all), JSON.stringify(stores)]);
  if (!erasure) throw new Error(`Erasure ${id} was not stored.`);
  return erasure;
};

export const erasureRepository = (
  database: Pick<Database, 'query' | 'atomically' | 'withoutTimeouts'>,
): ErasureRepository => {
  const { query, atomically } = database;
  return {
    async begin({ workspaceId, userId }, { id, subject, reason, by }: NewErasure) {
      if (!isId(subject.id)) return null;
      return atomically(async (run) => {
        if ((await run(sql.sees[subject.type], [workspaceId, userId, subject.id])).length === 0) return null;
        const act: Act = {
          ...by,
          workspaceId,
          action: 'erasure.requested',
          subject: { ...subject, name: null },
          details: { erasure_id: id },
        };
        await record(run, act);
        const request = { id, workspaceId, subject, reason, requestedBy: userId, requestedAt: null };
        return erase(run, request, await lockedTargets(run, namedBy(subject)), false);
      });
    },

    repeat: (erasure) =>
      atomically(async (run) => {
        const { documents, runs } = erasure.targets;
        // Its conversations do not name what goes: one in which a whole file was divided would name every part.
        const named = joined(namedBy(erasure.subject), { ...nothing, documents, runs });
        const locked = await lockedTargets(run, named);
        return erase(run, erasure, joined(locked, erasure.targets), true);
      }),

    due: () => query<Erasure>(sql.due, []),
    removeTraces: (erasure) => removeTraces(database, erasure),
    answers: (after) => query(sql.answers, [after]),
    forgetAnswers: (id, answers) =>
      atomically(async (run) => {
        await run(sql.forgetAnswers, [answers]);
        await count(run, id, { database: { removed: answers.length } });
      }),
    complete: (id, counts) => atomically((run) => count(run, id, counts, true)),

    async list(workspaceId, { limit, after }) {
      const rows = await query<Erasure>(sql.list, [
        workspaceId,
        after?.createdAt ?? null,
        after?.id ?? null,
        limit + 1,
      ]);
      const erasures = rows.slice(0, limit);
      const last = erasures.at(-1);
      const next = rows.length > limit && last ? { createdAt: last.requestedAt, id: last.id } : null;
      return { erasures, next };
    },

    missing: async (ids) => (await query<{ id: string }>(sql.missing, [ids])).map(({ id }) => id),
  };
};
