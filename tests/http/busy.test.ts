import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { until } from '../contracts/systems-of-record.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';

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
const locking = async (world: World, spared: readonly string[], work: () => Promise<void>) => {
  const client = new pg.Client(world.databaseUrl);
  await client.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') and tablename <> all ($1)`,
      [spared],
    );
    await client.query(`lock table ${rows.map(({ name }) => name).join(', ')} in access exclusive mode`);
    await work();
  } finally {
    await client.end();
  }
};

describe('a server whose database has too much to do', function () {
  this.timeout(180_000);
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
      await until(async () => (await active()) === 1);
      leaving.abort();
      expect(await outcome).to.equal('AbortError');
      // Of itself the statement would wait for 5 s.
      const later = sleep(4000, 'it went on');
      expect(await Promise.race([until(async () => (await active()) === 0).then(() => 'it ended'), later])).to.equal(
        'it ended',
      );
      await client.end();
    }));

  it('does so where the credential cannot be looked up', () => locking(world, [], all));
});
