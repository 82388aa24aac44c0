import pg from 'pg';
import { runData } from '../src/adapters/postgres/statements/event-data.ts';
import { freePort } from '../tests/support/listen.ts';
import { compare, median, printRows } from './compare.ts';
import { connected, start, treeCpuMs } from './processes.ts';
import type { Seeded } from './seed.ts';
import { sized } from './size.ts';

const SILENT = 'bench_without_log';
const ROUNDS = sized(7, 1);
const SESSIONS = 8;
/** Of each session in a round. */
const CHANGES = sized(250, 10);

/** A copy of the database that throws events away before they are stored, and draws no numbers for them. */
const withoutLog = async (admin: pg.Client, url: string): Promise<string> => {
  const name = new URL(url).pathname.slice(1);
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await admin.query(`create database ${SILENT} template ${pg.escapeIdentifier(name)}`);
  const copy = Object.assign(new URL(url), { pathname: `/${SILENT}` }).href;
  await connected(copy, async (client) => {
    await client.query(`alter table events alter sequence set default pg_sequence_last_value('event_sequence')`);
    await client.query('create function silent() returns trigger language plpgsql as $$ begin return null; end $$');
    await client.query('create trigger silent before insert on events for each row execute function silent()');
  });
  return copy;
};

const changeStatus = {
  name: 'change_status',
  text: `with changed as (
      update runs set status = case status when 'queued' then 'running' else 'queued' end where id = $1 returning *
    )
    insert into events (workspace_id, agent_id, run_id, type, data)
    select changed.workspace_id, changed.agent_id, changed.id, 'run.' || changed.status, ${runData('changed')} from changed`,
};

const newRun = `
insert into runs (id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, user_message, files, trace_id, deadline_at)
values (gen_random_uuid(), $1, $2, 1, $3, 'api', 'assistant', 'queued', false, 'hello', '[]', md5('status'), now() + interval '1 day') returning id`;

/** Milliseconds for 1,000 changes. */
interface Spent {
  readonly time: number;
  readonly cpu: number | null;
}

interface Changes {
  round(): Promise<Spent>;
  end(): Promise<unknown>;
}

/** Sessions that change the status of a run each, again and again. */
const statusChanges = async (
  url: string,
  { workspaceId, agentId, userId }: Seeded,
  postmaster: number,
): Promise<Changes> => {
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query<{ id: string }>(newRun, [workspaceId, agentId, userId]);
      return { client, id: rows[0]?.id };
    }),
  );
  const perThousand = (spent: number) => (spent * 1000) / (SESSIONS * CHANGES);
  return {
    async round() {
      const before = await treeCpuMs(postmaster);
      const began = performance.now();
      await Promise.all(
        sessions.map(async ({ client, id }) => {
          for (let n = 0; n < CHANGES; n += 1) await client.query(changeStatus, [id]);
        }),
      );
      const time = performance.now() - began;
      const after = await treeCpuMs(postmaster);
      return { time: perThousand(time), cpu: before === null || after === null ? null : perThousand(after - before) };
    },
    end: () => Promise.all(sessions.map(({ client }) => client.end())),
  };
};

/** The system counts CPU time in ticks of 10 ms: what took less than one has no ratio. */
const ratioOf = (one: number | null, other: number | null) => {
  const ratio = (one ?? Number.NaN) / (other ?? Number.NaN);
  return Number.isFinite(ratio) ? ratio.toFixed(2) : 'not measurable';
};

const compareChanges = async (urls: readonly [string, string], seeded: Seeded, postmaster: number) => {
  const logged = await statusChanges(urls[0], seeded, postmaster);
  const silent = await statusChanges(urls[1], seeded, postmaster);
  const pairs: (readonly [Spent, Spent])[] = [];
  for (let done = 0; done < ROUNDS; done += 1) pairs.push([await logged.round(), await silent.round()]);
  await Promise.all([logged.end(), silent.end()]);
  for (const [what, field] of [
    ['time', 'time'],
    ['CPU of PostgreSQL', 'cpu'],
  ] as const) {
    const of = (side: 0 | 1) => median(pairs.map((pair) => pair[side][field] ?? Number.NaN));
    console.log(
      `1,000 changes of status, ${what}: ${Math.round(of(0))} / ${Math.round(of(1))} ms, ratio ${ratioOf(of(0), of(1))}`,
    );
  }
};

/** What the log of events costs: the same server and the same statements on a database that writes events, and on a copy that does not. */
export const eventLogCost = async (
  admin: pg.Client,
  url: string,
  seeded: Seeded,
  env: Record<string, string>,
  postmaster: number,
) => {
  const silent = await withoutLog(admin, url);
  const serve = async (database: string) => {
    const port = await freePort();
    return start('src/composition/main.ts', ['serve', '--role', 'api'], port, {
      ...env,
      DATABASE_URL: database,
      PORT: String(port),
    });
  };
  const servers = [await serve(url), await serve(silent)] as const;
  const path = `/api/v1/agents/${seeded.agentId}/run`;
  const load = { name: 'create a run', path, method: 'POST' as const, body: '{"user_message":"hello"}', goal: null };
  console.log('\nWith the log of events / without it, in turn:\n');
  const headers = { 'x-api-key': seeded.apiKey };
  const rows = await compare(...servers, { ...load, connections: [1, 10, 32] }, headers);
  printRows(rows);
  for (const { name, connections, portico: logged, bare: silent } of rows)
    console.log(
      `${name}, ${connections} connections, CPU of PostgreSQL: ratio ${ratioOf(logged.databaseCpu, silent.databaseCpu)}`,
    );
  await Promise.all(servers.map((server) => server.stop()));
  await compareChanges([url, silent], seeded, postmaster);
  await admin.query(`drop database ${SILENT} with (force)`);
};
