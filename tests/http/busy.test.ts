import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';
import { eventSource } from '../support/event-source.ts';
import { eventually } from '../support/until.ts';

interface Refused {
  readonly code: string;
  readonly request_id: string;
}

const anId = '01a21a16-aa90-71f0-9c80-512f00000001';
const json = { 'content-type': 'application/json' };

/** Valid requests of every kind: what lists, reads, starts, changes and waits. A search that takes too long is one to make smaller (400). */
const requests = (agent: string): readonly (readonly [method: string, path: string, body?: object])[] => [
  ['GET', '/agents'],
  ['GET', `/agents/${agent}/tools`],
  ['GET', `/agents/${agent}/versions`],
  ['POST', `/agents/${agent}/run`, { user_message: 'read' }],
  [
    'POST',
    `/agents/${agent}/upload-urls`,
    { files: [{ file_name: 'a.pdf', content_type: 'application/pdf', file_size_bytes: 10 }] },
  ],
  ['GET', '/runs'],
  ['GET', `/runs/${anId}`],
  ['GET', `/runs/${anId}?wait=5`],
  ['POST', `/runs/${anId}/cancel`],
  ['GET', '/events'],
  ['GET', '/documents'],
  ['GET', `/documents/${anId}`],
  ['POST', `/documents/${anId}`],
  ['GET', '/connections'],
  ['GET', '/databases'],
  ['GET', '/deliveries'],
  ['GET', `/threads/${anId}`],
];

/** Statements that wait for one of these tables do so until their time is up. */
const holding = async (client: pg.Client, tables: readonly string[], work: () => Promise<void>) => {
  await client.query('begin');
  await client.query(`lock table ${tables.join(', ')} in access exclusive mode`);
  await work().finally(() => client.query('rollback'));
};

const connected = async (world: World, work: (client: pg.Client) => Promise<void>) => {
  const client = new pg.Client(world.databaseUrl);
  await client.connect();
  await work(client).finally(() => client.end());
};

/** All tables but these are held. */
const locking = (world: World, spared: readonly string[], work: () => Promise<void>) =>
  connected(world, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') and tablename <> all ($1)`,
      [spared],
    );
    const tables = rows.map(({ name }) => name);
    await holding(client, tables, work);
  });

describe('a server whose database has too much to do', () => {
  let world: World;
  let key: string;

  before(async () => {
    world = await openWorld({
      env: { DATABASE_STATEMENT_TIMEOUT_SECONDS: '1', DATABASE_CONNECT_TIMEOUT_SECONDS: '2' },
    });
    key = await world.key();
  });
  after(() => world.stop());

  const mustBeBusy = async (path: string, init: RequestInit) => {
    const answer = await fetch(`${world.baseUrl}${path}`, init);
    const text = await answer.text();
    const what = `${init.method} ${path}: ${text}`;
    expect([answer.status, answer.headers.get('retry-after')], what).to.deep.equal([503, '2']);
    expect((JSON.parse(text) as Refused).code, what).to.equal('busy');
  };
  const all = async () => {
    const sent = requests(world.agentId('Clerk')).map(([method, path, body]) =>
      mustBeBusy(`/api/v1${path}`, {
        method,
        headers: { 'x-api-key': key, ...json },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
    await Promise.all(sent);
  };

  it('answers valid requests with 503 and when to come back, never with 500', async () => {
    await locking(world, ['workspaces', 'users', 'api_keys'], all);
    expect((await callApi(world.baseUrl, key, '/runs')).status, 'and is itself again').to.equal(200);
  });

  it('ends what it does for a page far behind when the client leaves', () =>
    locking(world, ['workspaces', 'users', 'api_keys'], async () => {
      const client = new pg.Client(world.databaseUrl);
      await client.connect();
      const active = async () => {
        const { rowCount } = await client.query(
          `select from pg_stat_activity where datname = current_database() and state = 'active' and query like '%near as materialized%' and pid <> pg_backend_pid()`,
        );
        return rowCount ?? 0;
      };
      const leaving = new AbortController();
      const asked = fetch(`${world.baseUrl}/api/v1/runs?offset=5000`, {
        headers: { 'x-api-key': key },
        signal: leaving.signal,
      });
      const outcome = asked.catch((error: Error) => error.name);
      await eventually(async () => (await active()) === 1);
      leaving.abort();
      expect(await outcome).to.equal('AbortError');
      // Of itself the statement would wait for 5 s.
      const later = sleep(4000, 'it went on');
      expect(
        await Promise.race([eventually(async () => (await active()) === 0).then(() => 'it ended'), later]),
      ).to.equal('it ended');
      await client.end();
    }));

  it('does so where the credential cannot be looked up', () => locking(world, [], all));

  const hold = (table: string, work: () => Promise<void>) =>
    connected(world, (client) => holding(client, [table], work));
  const isWaiting = async (client: pg.Client, table: string) => {
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
      [`%${table}%`],
    );
    return rowCount !== 0;
  };
  /** A query of another system, which waits there while `work` is done. */
  const duringQuery = async (work: (watching: pg.Client, answer: ReturnType<typeof callApi>) => Promise<void>) => {
    const query = 'select count(*) as entries from public.entries';
    let asked: ReturnType<typeof callApi> | undefined;
    await connected(world, (watching) =>
      hold('public.entries', async () => {
        asked = callApi(world.baseUrl, key, '/query', { body: { database_id: 'books', query } });
        await eventually(() => isWaiting(watching, 'public.entries'));
        await work(watching, asked);
      }),
    );
    return asked;
  };

  it('ends nothing that is under way because it cannot look at its credential for a moment', async () => {
    const started = await callApi<{ data: { id: string } }>(
      world.baseUrl,
      key,
      `/agents/${world.agentId('Clerk')}/run`,
      { body: { user_message: 'read' } },
    );
    const run = `/runs/${started.body.data.id}`;
    const stream = await eventSource(`${world.baseUrl}/api/v1${run}/events`, { 'x-api-key': key });
    const answer = await duringQuery((watching) =>
      hold('api_keys', async () => {
        await eventually(() => isWaiting(watching, 'api_keys'));
        await eventually(async () => !(await isWaiting(watching, 'api_keys')));
      }),
    );
    expect(answer?.status, answer?.text).to.equal(200);
    await callApi(world.baseUrl, key, `${run}/cancel`, { method: 'POST' });
    await stream.until((frames) => frames.some(({ data }) => data.type === 'run.cancelled'));
    stream.close();
  });

  it('ends what is under way once its credential could not be looked at for long', async () => {
    const answer = await duringQuery((_, asked) => hold('api_keys', async () => void (await asked)));
    expect(answer?.status, answer?.text).to.equal(503);
    expect(answer?.body).to.deep.include({ code: 'busy' });
  });

  it('says so to programs and people who sign in, too', () =>
    locking(world, [], async () => {
      const form = (fields: Readonly<Record<string, string>>) => ({
        method: 'POST',
        body: new URLSearchParams(fields),
      });
      const client_id = 'a-program';
      const registration = JSON.stringify({
        client_name: 'A program',
        redirect_uris: ['http://127.0.0.1:7777/callback'],
      });
      const asked: readonly (readonly [path: string, init: RequestInit])[] = [
        ['/oauth/token', form({ grant_type: 'refresh_token', refresh_token: 'svcrt_x', client_id })],
        ['/oauth/revoke', form({ token: 'svcrt_x', client_id })],
        ['/oauth/register', { method: 'POST', headers: json, body: registration }],
        [`/oauth/authorize?client_id=${client_id}&response_type=code&state=s`, { method: 'GET' }],
      ];
      const answers = asked.map(async ([path, init]) => {
        const answer = await fetch(`${world.baseUrl}${path}`, init);
        const text = await answer.text();
        expect([answer.status, answer.headers.get('retry-after')], `${path}: ${text}`).to.deep.equal([503, '2']);
        return init.method === 'GET' ? text : (JSON.parse(text) as { error: string }).error;
      });
      const [page = '', ...errors] = (await Promise.all(answers)).reverse();
      expect(errors).to.deep.equal(Array.from({ length: 3 }, () => 'temporarily_unavailable'));
      expect(page).to.include('The database has too much to do: try again in 2 seconds.');
    }));
});
