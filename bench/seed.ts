import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { v7 } from 'uuid';
import { openDatabase } from '../src/adapters/postgres/connection/database.ts';
import { migrate } from '../src/adapters/postgres/connection/migrator.ts';
import { apiKeys } from '../src/adapters/system/api-keys.ts';
import { pinoLog } from '../src/adapters/system/log.ts';
import { aesSealer } from '../src/adapters/system/sealer.ts';
import { connected } from './processes.ts';

export interface Seeded {
  readonly workspaceId: string;
  readonly userId: string;
  readonly agentId: string;
  readonly runId: string;
  readonly apiKey: string;
  /** With which the connection's address is sealed. */
  readonly encryptionKey: string;
}

const readings = `
create table readings (
  id bigint primary key, sensor text not null, place text, taken_at timestamptz not null, day date not null, value numeric(14, 4) not null,
  error double precision, valid boolean not null, count integer not null, tags text[] not null, details jsonb, note text
);
insert into readings
select n, 'sensor-' || n % 97, 'Hall "' || n % 7 || '"', now() - n * interval '1 minute', current_date - n % 300, n * 1.0001, random(), n % 3 = 0, n % 1000,
  array['a', 'b' || n % 5], jsonb_build_object('n', n, 'ok', true), case when n % 4 = 0 then null else 'a line of text, number ' || n end
from generate_series(1, 20000) n`;

/** Further keys of a user, as the API would answer them. */
export const newKeys = async (client: pg.Client, userId: string, count: number): Promise<readonly string[]> => {
  const made = Array.from({ length: count }, () => apiKeys.generate());
  for (const { hash } of made)
    await client.query(`insert into api_keys (id, user_id, name, prefix, hash) values ($1, $2, 'bench', 'svc-', $3)`, [
      v7(),
      userId,
      hash,
    ]);
  return made.map(({ key }) => key);
};

/** Further agents of a workspace, the first with this id. */
export const newAgents = (client: pg.Client, workspaceId: string, count: number, firstId = v7()) =>
  client.query(
    `insert into agents (id, workspace_id, name, description, workflow_type, model, instructions)
   select case when new = 1 then $1::uuid else gen_random_uuid() end, $2, 'Agent ' || n, 'Answers what it is asked, number ' || n, 'assistant', 'offline', ''
   from generate_series(1, $3::int) new, lateral (select new + count(*) as n from agents where workspace_id = $2) numbered`,
    [firstId, workspaceId, count],
  );

/** One workspace, one user with a key, 20 agents, 10,000 ended runs of all of them. */
export const seed = async (url: string): Promise<Seeded> => {
  const database = await openDatabase({ url, poolSize: 2, log: pinoLog({ level: 'error' }) });
  await migrate(database);
  await database.close();
  return connected(url, (client) => fill(client, url));
};

const fill = async (client: pg.Client, url: string): Promise<Seeded> => {
  const workspaceId = v7();
  const userId = v7();
  const agentId = v7();
  const runId = v7();
  await client.query('insert into workspaces (id, name) values ($1, $2)', [workspaceId, 'bench']);
  await client.query(
    `insert into users (id, workspace_id, email, name, role) values ($1, $2, 'bench@example.com', 'Bench', 'admin')`,
    [userId, workspaceId],
  );
  const [apiKey = ''] = await newKeys(client, userId, 1);
  await newAgents(client, workspaceId, 20, agentId);
  await client.query(
    `insert into runs (id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, user_message, files, trace_id, attempt,
                     deadline_at, created_at, started_at, completed_at)
   select case when n = 1 then $1::uuid else gen_random_uuid() end, $2, agents.ids[1 + n % 20], 1, $3, 'api', 'assistant', 'completed', false, 'hello', '[]',
          md5(n::text), 1, now(), now() - n * interval '1 minute', now(), now()
   from generate_series(1, 10000) n, (select array_agg(id) as ids from agents) agents`,
    [runId, workspaceId, userId],
  );
  await client.query(
    `insert into run_units (run_id, index, file_indexes, status) select id, 0, '{}', 'completed' from runs`,
  );
  await client.query(readings);
  const connectionId = v7();
  const encryptionKey = randomBytes(32);
  await client.query(
    `insert into connections (id, workspace_id, name, type, sealed_url) values ($1, $2, 'bench', 'postgresql', $3)`,
    [connectionId, workspaceId, aesSealer(encryptionKey).seal(url)],
  );
  await client.query(
    `insert into databases (workspace_id, id, name, connection_id) values ($1, 'bench', 'Bench', $2)`,
    [workspaceId, connectionId],
  );
  await client.query('vacuum analyze');
  return { workspaceId, userId, agentId, runId, apiKey, encryptionKey: encryptionKey.toString('base64') };
};
