import pg from 'pg';
import { v4, v7 } from 'uuid';
import { type Database, openDatabase, statements } from '../src/adapters/postgres/connection/database.ts';
import { queuePosition } from '../src/adapters/postgres/repositories/queue-position.ts';
import { queueDepth, runQueue } from '../src/adapters/postgres/repositories/run-queue.ts';
import { runRepository } from '../src/adapters/postgres/repositories/run-repository.ts';
import { pinoLog } from '../src/adapters/system/log.ts';
import type { RunQueue } from '../src/application/ports/queue.ts';
import { print } from './scale-pages.ts';
import type { Seeded } from './seed.ts';
import { sized } from './size.ts';

const NIL = '00000000-0000-0000-0000-000000000000';
const LEASES = sized(1000, 30);
const LEASE_MS = 20;

/** While a snapshot is open: so many renewals and so many runs that are leased and end, for so long at least. */
const RENEWALS = sized(100_000, 400);
const OPEN_SECONDS = Number(process.env.BENCH_SNAPSHOT_SECONDS ?? sized(600, 0));
const AT_ONCE = 8;

interface Asked {
  readonly name: string;
  readonly most: number;
  readonly tenants: number;
}

/** What one row takes to be written and committed: how busy the machine is with other things. */
const written = async ({ pool }: Database): Promise<number> => {
  const began = performance.now();
  await pool.query({ name: 'bench_written', text: 'insert into bench_written default values' });
  return performance.now() - began;
};

/** Leases of so many runs at a time, in turn over the workspaces, and in how many workspaces the first of them are. */
const leases = async (database: Database, queue: RunQueue, { name, most, tenants }: Asked) => {
  let after: string | null = null;
  const took: number[] = [];
  const served: string[] = [];
  const beside: number[] = [];
  for (let n = 0; n < LEASES; n += 1) {
    const began = performance.now();
    const works = await queue.lease(v4(), most, 3600, { after, except: [] });
    took.push(performance.now() - began);
    beside.push(await written(database));
    served.push(...works.map(({ run }) => run.workspaceId));
    after = served.at(-1) ?? null;
  }
  const turns = new Set(served.slice(0, tenants)).size;
  const more = served.length === 0 ? '' : `${turns} workspaces among the first ${tenants} runs`;
  print(`lease of ${most}${name}`, took, { goal: LEASE_MS, more });
  print('  one row written, in between', beside);
};

type Position = Awaited<ReturnType<ReturnType<typeof queuePosition>['look']>>;

/** How many pages a lease reads that begins at this position, in a transaction that is undone. */
const pagesRead = async ({ pool }: Database, { end, since, heads }: Position): Promise<number> => {
  const values = [v4(), 1, 60, NIL, [], end, JSON.stringify(heads), since];
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) ${statements.get('queue_lease')?.text}`,
      values,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
  } finally {
    await client.query('rollback');
    client.release();
  }
};

/** Leases runs, renews the leases and ends the runs, until so many were renewed and the time is over; answers what each lease took. */
const worked = async (queue: RunQueue) => {
  const until = performance.now() + OPEN_SECONDS * 1000;
  const took: number[] = [];
  let renewed = 0;
  let ended = 0;
  for (let after: string | null = null; renewed < RENEWALS || performance.now() < until; ) {
    const began = performance.now();
    const works = await queue.lease(v4(), AT_ONCE, 3600, { after, except: [] });
    took.push(performance.now() - began);
    after = works.at(-1)?.run.workspaceId ?? after;
    const held = works.map(({ lease }) => lease);
    renewed += (await queue.renew(held, 3600)).size;
    await Promise.all(held.map((lease) => queue.finish(lease, { event: 'complete' })));
    ended += held.length;
  }
  return { took, renewed, ended };
};

/** What it costs to create a run, to lease it and to end it. */
const oneByOne = async (database: Database, queue: RunQueue, { workspaceId, agentId, userId }: Seeded) => {
  const runs = runRepository(database);
  const created: number[] = [];
  const leased: number[] = [];
  const ended: number[] = [];
  for (let n = 0; n < LEASES; n += 1) {
    const request = { files: [], processTogether: false, userMessage: 'hello' };
    const id = v7();
    const began = performance.now();
    const units = [[]];
    await runs.create(
      {
        id,
        workspaceId,
        agentId,
        userId,
        ...request,
        units,
        agentVersion: null,
        origin: 'api' as const,
        traceId: id,
        deadlineSeconds: 3600,
        trial: false,
      },
      null,
    );
    created.push(performance.now() - began);
    const then = performance.now();
    const works = await queue.lease(v4(), AT_ONCE, 3600, { after: null, except: [] });
    leased.push(performance.now() - then);
    for (const { lease } of works) {
      const last = performance.now();
      await queue.finish(lease, { event: 'complete' });
      ended.push(performance.now() - last);
    }
  }
  print('create-run, one by one', created);
  print('lease, one by one', leased, { goal: LEASE_MS });
  print('end of a run, one by one', ended);
};

/** Leases with many queued runs of one workspace, and the same while a snapshot keeps all that dies. */
export const queueOf = async (url: string, seeded: Seeded, tenants: number) => {
  const database = await openDatabase({ url, poolSize: AT_ONCE + 2, log: pinoLog({ level: 'error' }) });
  const snapshot = new pg.Client({ connectionString: url });
  await snapshot.connect();
  try {
    const queue = runQueue(database);
    const { queued } = await queueDepth(database)();
    console.log(`\n${queued.toLocaleString('en')} queued`);
    await database.pool.query('create table if not exists bench_written (at timestamptz default now())');
    for (const most of [1, AT_ONCE]) await leases(database, queue, { name: '', most, tenants });
    await oneByOne(database, queue, seeded);

    const position = queuePosition(database);
    const before = await position.look();
    console.log(`a lease reads ${await pagesRead(database, before)} pages`);
    const began = performance.now();
    await snapshot.query('begin isolation level repeatable read; select from runs limit 1');
    const { took, renewed, ended } = await worked(queue);
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    console.log(
      `\na snapshot is open for ${minutes} minutes; meanwhile ${renewed} renewals, ${ended} runs were leased and ended`,
    );
    print(`lease of ${AT_ONCE}, of all these`, took, { goal: LEASE_MS });
    const remembered = await pagesRead(database, await position.look());
    const forgotten = await pagesRead(database, { ...before, end: '-infinity' });
    console.log(
      `a lease reads ${remembered} pages; it would read ${forgotten} from where the queue and the leases began before`,
    );
    for (const most of [1, AT_ONCE]) await leases(database, queue, { name: ', after them', most, tenants });
    for (const most of [1, AT_ONCE])
      await leases(database, runQueue(database), { name: ', by a new process', most, tenants });
    await oneByOne(database, queue, seeded);
    const then = performance.now();
    await queue.sweep();
    print('sweep', [performance.now() - then]);
  } finally {
    await snapshot.end();
    await database.close();
  }
};
