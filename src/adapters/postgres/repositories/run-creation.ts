import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import type { Created, IdempotencyKey, NewRun, RunSummary } from '../../../application/ports/storage.ts';
import { budgetExhausted, type SpentBudget } from '../../../domain/budget.ts';
import { type Run, runMachine } from '../../../domain/run.ts';
import { batched } from '../connection/batched.ts';
import type { Database, RunSql } from '../connection/database.ts';
import * as sql from '../statements/run-creation-statements.ts';

/** A created run as the first response shows it, however it has changed since. */
const asQueued = (run: Omit<RunSummary, keyof typeof untouched>): RunSummary => ({ ...run, ...untouched });
const untouched = {
  status: runMachine.initial,
  statusReason: null,
  error: null,
  waitingFor: null,
  attempt: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
  cost: null,
  startedAt: null,
  completedAt: null,
} as const satisfies Partial<Run>;

/** The database refuses a run that would be stored without one of its files; it names their keys. */
const expiredFiles = (error: unknown) => {
  if (!(error instanceof pg.DatabaseError) || error.constraint !== 'runs_files_uploaded') throw error;
  return { outcome: 'expired files', fileKeys: error.detail?.split(' ') ?? [] } as const;
};

type Stored = Pick<RunSummary, 'id' | 'createdAt' | 'agentName' | 'agentVersion' | 'workflowType' | 'model'>;

/** What a statement found for a run: nothing of the run itself where it stored none. */
type Found = { readonly newest: number; readonly presentTurn: number } & (
  | (Stored & { readonly budget: null })
  | {
      readonly id: string;
      readonly createdAt: null;
      readonly agentVersion: number | null;
      readonly budget: SpentBudget | null;
    }
);

const summaryOf = (
  { units, deadlineSeconds, files, userMessage, rereadOf, trial, source = null, ...run }: NewRun,
  { newest: _, budget: __, presentTurn: ___, ...stored }: Found & Stored,
): RunSummary => asQueued({ ...run, source, ...stored });

/** `knownTurn`: a turn that was the present one of the workspace before, or 0. */
const parametersOf = (run: NewRun, knownTurn: number) => [
  run.id,
  run.workspaceId,
  run.agentId,
  run.userId,
  run.origin,
  run.processTogether,
  run.userMessage,
  JSON.stringify(run.files),
  run.traceId,
  run.deadlineSeconds,
  `{${run.units.map((indexes) => `"{${indexes.join()}}"`).join()}}`,
  run.agentVersion,
  run.rereadOf ?? null,
  run.trial ?? false,
  JSON.stringify(run.source ?? null),
  knownTurn,
];

/** The present turn of each workspace when a run was last stored here. */
type Turns = Pick<Map<string, number>, 'get'>;

const arraysOf = (runs: readonly NewRun[], turns: Turns) => {
  const rows = runs.map((run) => parametersOf(run, turns.get(run.workspaceId) ?? 0));
  return sql.columns.map((_, index) => rows.map((row) => row[index]));
};

/** Stores the run in a transaction that has begun; false if its user does not see the agent. Rejects if its budget is spent. `announce` it after the commit. */
export const createIn = async (runSql: RunSql, run: NewRun): Promise<boolean> => {
  const [row] = await runSql<Found>(sql.create, arraysOf([run], new Map()));
  if (row?.budget) throw budgetExhausted(row.budget);
  return row?.createdAt instanceof Date;
};

/** Notifies workers of new runs after the commit, because transactions that notify commit one after another. */
export const announce = async (query: Database['query'], runs: readonly NewRun[]): Promise<void> => {
  await query(sql.announce, [runs.map(({ id }) => id), runs.map(({ workspaceId }) => workspaceId)]).catch(() => {});
};

/** In one statement: more would only hold their locks longer. */
const MOST_RUNS = 100;
/** How long this process waits after it has announced several runs: each announcement costs every process that listens. */
const PAUSE_MS = 5;
/** Workspaces whose present turn is remembered; of one that is not, it is looked for from the first. */
const MOST_WORKSPACES = 10_000;

export const runCreation = ({ query }: Pick<Database, 'query'>) => {
  const turns = new LRUCache<string, number>({ max: MOST_WORKSPACES });

  /** Runs that are created while others are being stored go together into the next statement: one commit waits for the disk once. */
  const store = batched({ most: MOST_RUNS }, async (runs: readonly NewRun[]) => {
    const rows = await query<Found>(sql.create, arraysOf(runs, turns));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return runs.map(({ id }) => byId.get(id));
  });

  const storeAlone = async (run: NewRun, { credentialId, key, requestHash }: IdempotencyKey) =>
    (await query<Found>(sql.createOnce, [...arraysOf([run], turns), credentialId, key, requestHash]))[0];

  const notify = batched({ most: MOST_RUNS }, async (runs: readonly NewRun[]) => {
    await announce(query, runs);
    if (runs.length > 1) await sleep(PAUSE_MS);
    return runs;
  });

  const replayed = async ({ credentialId, key, requestHash }: IdempotencyKey): Promise<Created | null> => {
    const [first] = await query<RunSummary & { requestHash: string }>(sql.replay, [credentialId, key]);
    if (!first) return null;
    const { requestHash: firstHash, ...run } = first;
    return firstHash === requestHash ? { outcome: 'replayed', run: asQueued(run) } : { outcome: 'mismatch' };
  };

  return async (run: NewRun, once: IdempotencyKey | null): Promise<Created> => {
    const created = await (once ? storeAlone(run, once) : store(run)).catch(expiredFiles);
    if (created && 'outcome' in created) return created;
    if (created) turns.set(run.workspaceId, created.presentTurn);
    if (created && created.createdAt !== null) {
      void notify(run);
      return { outcome: 'created', run: summaryOf(run, created) };
    }
    const before = once && (await replayed(once));
    if (before) return before;
    if (!created) return { outcome: 'no agent' };
    const { newest, budget } = created;
    return created.agentVersion === null || budget === null
      ? { outcome: 'no version', newest }
      : { outcome: 'spent', budget };
  };
};
