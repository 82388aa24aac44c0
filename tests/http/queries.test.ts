import { expect } from 'chai';
import { calling, rawClient } from '../mcp/client.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';

describe('queries of a database that is bound to a schema', () => {
  let world: World;
  let key: string;

  before(async () => {
    world = await openWorld();
    key = await world.key();
    await world.query(
      'create schema hidden; create table hidden.notes (a int); insert into hidden.notes values (4711)',
    );
  });
  after(() => world?.stop());

  const send = async (path: string, body?: object) => {
    const answer = await callApi<{ readonly detail?: string }>(world.baseUrl, key, path, { body });
    return { status: answer.status, detail: answer.body.detail };
  };
  const query = (text: string) => send('/query', { database_id: 'books', query: text });

  it('answer what the schema has', async () => {
    expect((await query('select count(*) as n from public.entries')).status).to.equal(200);
    expect((await query('with notes as (select 1 as a) select a from notes')).status).to.equal(200);
  });

  for (const text of [
    'select * from hidden.notes',
    'select * from pg_class',
    'select * from information_schema.tables',
  ])
    it(`are refused with 400, naming what is outside: ${text}`, async () => {
      const { status, detail } = await query(text);
      expect(status).to.equal(400);
      expect(detail).to.match(
        /cannot read (hidden\.notes|pg_catalog\.pg_class|information_schema\.tables): .* public\.$/,
      );
    });

  it('are refused with 400 where they are themselves at fault', async () => {
    for (const text of [
      'select $1',
      'select pg_sleep(1)',
      `select E'a'\n'\\'' , pg_advisory_lock(4242)::text, 'b'`,
      'delete from entries',
    ])
      expect((await query(text)).status, text).to.equal(400);
  });

  it('are refused over MCP', async () => {
    const clerk = rawClient(world.mcpUrl('Clerk'), key);
    const { result } = (await clerk(calling('books_query', { query: 'select * from hidden.notes' }))).body;
    expect(result.isError).to.equal(true);
    expect(result.content[0]?.text).to.include('cannot read hidden.notes');
  });
});
