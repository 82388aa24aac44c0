import { setTimeout as sleep } from 'node:timers/promises';
import { openListener } from '../../src/adapters/postgres/connection/listener.ts';
import { runChanges } from '../../src/adapters/postgres/repositories/changes.ts';
import { runQueue } from '../../src/adapters/postgres/repositories/run-queue.ts';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import type { RunChanges, RunQueue, Work } from '../../src/application/ports/queue.ts';
import type { RunDetail, RunRepository, Viewer } from '../../src/application/ports/storage.ts';
import type { AgentDefinition } from '../../src/domain/agent.ts';
import { aNewRun, aWorkspace, type Cast, storeAgent, storeUser } from './builders.ts';
import { quiet } from './log.ts';
import type { TestPostgres } from './postgres.ts';

/** What the contracts of runs, of their queue and of their changes need of a backend. */
export interface RunStage {
  readonly runs: RunRepository;
  readonly queue: RunQueue;
  readonly changes: RunChanges;
  /** No runs and nothing of them. */
  clear(): Promise<void>;
  cast(over?: Parameters<typeof aWorkspace>[1]): Promise<Cast>;
  addUser(user: Cast['user']): Promise<void>;
  addAgent(agent: Cast['agent']): Promise<void>;
  /** Makes another version of the agent the live one. */
  changeAgent(id: string, definition: Pick<AgentDefinition, 'model' | 'instructions'>): Promise<void>;
  /** As if everybody's lease had just run out. */
  expireLeases(): Promise<void>;
  /** Begins to write while another worker is taking the run over, and lets the write go on once that is done. */
  duringTakeover<T>(runId: string, write: () => Promise<T>): Promise<T>;
  passDeadline(runId: string): Promise<void>;
  /** As if all runs had been created in the same millisecond. */
  createdAtOnce(): Promise<void>;
  /** As if every idempotency key were so old. */
  ageKeys(hours: number): Promise<void>;
  countKeys(): Promise<number>;
  document(
    id: string,
  ): Promise<{ status: string; error: string | null; data: string | null; evidence: string; coverage: string | null }>;
  trashDocument(id: string): Promise<void>;
  conversationStatus(id: string): Promise<string>;
  /** The counters behind the totals beside a true count, by agent and status; `slots`: how many rows a total is the sum of. */
  counted(): Promise<Record<'counters' | 'rows' | 'totals' | 'rowsOfWorkspaces', unknown[]> & { slots: number }>;
  /** Cuts the connections on which changes arrive. */
  cutChanges(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a stage and a cast for every test of a contract, and closes the stage after it. */
export const onStage = (
  make: () => RunStage,
  opened: (it: { readonly stage: RunStage; readonly cast: Cast }) => void,
): void => {
  let stage: RunStage;
  beforeEach(async () => {
    stage = make();
    await stage.clear();
    opened({ stage, cast: await stage.cast() });
  });
  afterEach(() => stage.close());
};

export const postgresStage = (postgres: TestPostgres): RunStage => {
  const { database } = postgres;
  const sql = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await database.pool.query<Row>(text, values)).rows;
  const listener = openListener(database, quiet);
  return {
    runs: runRepository(database),
    queue: runQueue(database),
    changes: runChanges(listener),
    async clear() {
      await sql(
        'truncate runs, run_leases, run_files, run_units, run_sheets, run_parts, approvals, conversations, messages, documents, document_revisions, document_files, idempotency_keys, run_counts, run_totals, sandbox_snapshots, source_items',
      );
    },
    cast: (over) => aWorkspace(database, over),
    addUser: (user) => storeUser(database, user),
    addAgent: (agent) => storeAgent(database, agent),
    async changeAgent(id, { model, instructions }) {
      await sql('update agents set model = $2, instructions = $3 where id = $1', [id, model, instructions]);
    },
    async expireLeases() {
      await sql(`update run_leases set expires_at = date_trunc('milliseconds', now())`);
    },
    async duringTakeover(runId, write) {
      const other = await database.pool.connect();
      try {
        await other.query('begin');
        await other.query('update runs set attempt = attempt + 1 where id = $1', [runId]);
        const writing = write();
        writing.catch(() => {});
        const blocked = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
        const settled = writing.then(
          () => true,
          () => true,
        );
        while ((await sql(blocked)).length === 0 && !(await Promise.race([settled, false]))) await sleep(5);
        await other.query('commit');
        return await writing;
      } finally {
        other.release();
      }
    },
    async passDeadline(runId) {
      await sql(`update runs set deadline_at = now() - interval '1 second' where id = $1`, [runId]);
    },
    async createdAtOnce() {
      await sql(`update runs set created_at = date_trunc('milliseconds', now())`);
    },
    async ageKeys(hours) {
      await sql('update idempotency_keys set created_at = created_at - make_interval(hours => $1)', [hours]);
    },
    async countKeys() {
      return (await sql('select from idempotency_keys')).length;
    },
    async document(id) {
      const [row] = await sql<{
        status: string;
        error: string | null;
        data: string | null;
        evidence: string;
        coverage: string | null;
      }>(
        'select status, error, document_data::text as data, evidence::text, coverage::text from documents where id = $1',
        [id],
      );
      if (!row) throw new Error(`There is no document ${id}.`);
      return row;
    },
    async trashDocument(id) {
      await sql(`update documents set trashed_from = status, status = 'trashed' where id = $1`, [id]);
    },
    async conversationStatus(id) {
      return (
        (await sql<{ status: string }>('select status from conversations where id = $1', [id]))[0]?.status ?? 'none'
      );
    },
    async counted() {
      const by = 'agent_id, status';
      return {
        counters: await sql(
          `select ${by}, sum(runs)::int as n from run_counts group by ${by} having sum(runs) <> 0 order by ${by}`,
        ),
        rows: await sql(
          `select ${by}, count(*)::int as n from runs where origin = 'api' group by ${by} order by ${by}`,
        ),
        slots: (await sql<{ n: number }>('select count(*)::int as n from run_counts'))[0]?.n ?? 0,
        totals: await sql(`
          select workspace_id, status, sum(runs)::int as n from (
            select workspace_id, status, runs from run_totals union all select workspace_id, status, runs from run_counts where slot >= 0
          ) c group by 1, 2 having sum(runs) <> 0 order by 1, 2`),
        rowsOfWorkspaces: await sql(
          `select workspace_id, status, count(*)::int as n from runs where origin = 'api' group by 1, 2 order by 1, 2`,
        ),
      };
    },
    async cutChanges() {
      await sql(
        `select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen %' and datname = current_database()`,
      );
    },
    close: () => listener.close(),
  };
};

export const viewerOf = ({ user }: Pick<Cast, 'user'>): Viewer => ({ userId: user.id, workspaceId: user.workspaceId });

export const only = <T>(list: readonly T[]): T => {
  if (list.length !== 1) throw new Error(`Expected one, got ${list.length}.`);
  return list[0] as T;
};

/** Creates a run and leases it, alone in the queue. */
export const aLeasedRun = async (
  { runs, queue }: RunStage,
  { agent, user }: Cast,
  over: Parameters<typeof aNewRun>[2] = {},
): Promise<Work> => {
  await runs.create(aNewRun(agent, user, over), null);
  return only(await queue.lease('worker', 1, 60));
};

export const detailOf = async ({ runs }: RunStage, cast: Cast, id: string): Promise<RunDetail> => {
  const detail = await runs.findVisible(viewerOf(cast), id);
  if (!detail) throw new Error(`Run ${id} is not there.`);
  return detail;
};
