import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Log } from '../../src/application/ports/runtime.ts';
import { calling, modern, rawClient, request, type Send } from './client.ts';
import { slowCalls } from './remote-tools.ts';
import { openWorld, RUN_TOOLS, type World } from './world.ts';

const BOTH = { accept: 'application/json, text/event-stream' };

interface Line {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await sleep(5);
};

/** As clients since the revision with structured results name theirs. */
const structured = { 'mcp-protocol-version': '2025-06-18' };

describe('the tools of an agent over the tool endpoint', () => {
  const lines: Line[] = [];
  const noting = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...fields }, message });
  const log: Log = { debug() {}, info: noting('info'), warn: noting('warn'), error: noting('error') };
  let world: World;
  let key: string;
  let send: Send;
  before(async () => {
    world = await openWorld({ log, timing: { patienceMs: 100 } });
    key = await world.key();
    send = rawClient(world.mcpUrl(), key);
  });
  after(() => world.stop());

  const listed = async (via = send) => (await via(request('tools/list'))).body.result.tools;

  describe('in the list', () => {
    it('are in order, each with a title and what it may do to the world', async () => {
      const tools = await listed();
      const names = tools.map(({ name }) => name);
      expect(names).to.deep.equal(names.toSorted()).and.to.include.members(['books_query', 'lab_echo', 'run_reader']);
      for (const { name, title, inputSchema, annotations } of tools) {
        expect(name).to.match(/^[a-z][a-z0-9_]{0,47}$/);
        expect(title).to.be.a('string').and.not.to.equal('');
        expect(inputSchema.type).to.equal('object');
        expect(annotations).to.have.all.keys(
          'title',
          'readOnlyHint',
          'destructiveHint',
          'idempotentHint',
          'openWorldHint',
        );
      }
    });

    it('are the same bytes every time, in both kinds of revision the same tools', async () => {
      const [one, other] = [await send(request('tools/list')), await send(request('tools/list'))];
      expect(one.text).to.equal(other.text);
      const { message, headers } = modern('tools/list');
      const known = await send(request('tools/list'), { headers: structured });
      expect((await send(message, { headers })).body.result.tools).to.deep.equal(known.body.result.tools);
      const plain = known.body.result.tools.map(({ outputSchema: _, ...tool }: { outputSchema?: unknown }) => tool);
      expect(plain, 'without what older revisions do not know').to.deep.equal(one.body.result.tools);
    });

    it('have those that a person has to approve, which are not called before', async () => {
      expect((await listed()).map(({ name }) => name)).to.include('guarded_echo');
      const { result } = (await send(calling('guarded_echo', { message: 'x' }))).body;
      expect(result.isError).to.equal(true);
      expect(result.content[0]?.text).to.match(/^Not run yet: a person has to approve this call/);
    });

    it('are the same in the API, which says which of them need approval, to those who see the agent', async () => {
      interface Described {
        readonly name: string;
        readonly title: string;
        readonly requires_approval: boolean;
        readonly read_only: boolean;
      }
      const ask = async (agent: string, as: string) => {
        const answer = await fetch(`${world.baseUrl}/api/v1/agents/${world.agentId(agent)}/tools`, {
          headers: { 'x-api-key': as },
        });
        return {
          status: answer.status,
          tools: ((await answer.json()) as { data?: { tools: readonly Described[] } }).data?.tools ?? [],
        };
      };
      const { tools } = await ask('Clerk', key);
      const plain = (each: { name: string; title?: string | undefined }) => [each.name, each.title];
      expect(tools.map(plain)).to.deep.equal(
        (await listed()).filter(({ name }) => !RUN_TOOLS.includes(name)).map(plain),
      );
      expect(tools.find(({ name }) => name === 'guarded_echo')).to.include({ requires_approval: true });
      expect(tools.find(({ name }) => name === 'books_query')).to.include({
        read_only: true,
        requires_approval: false,
      });
      expect(
        (await ask('Reader', await world.key({ email: 'vic@example.com' }))).status,
        'an agent of others',
      ).to.equal(404);
      expect((await ask('Clerk', await world.key({ scopes: ['agents:read'] }))).status, 'a key with scopes').to.equal(
        403,
      );
    });

    it('leave out one whose schema is broken, say so once in the log, and keep the others', async () => {
      for (let each = 0; each < 3; each += 1)
        expect((await listed()).some(({ name }) => name === 'lab_malformed')).to.equal(false);
      const found = lines.filter(({ level, fields }) => level === 'warn' && fields.tool === 'mcp lab malformed');
      expect(found).to.have.length(1);
      expect(found[0]?.fields)
        .to.include({ agent_id: world.agentId('Clerk') })
        .and.to.have.property('reason')
        .that.includes('cannot be offered');
    });

    it('have schemas that every client can read', async () => {
      const anything = (await listed()).find(({ name }) => name === 'lab_anything');
      expect(anything?.inputSchema.properties).to.deep.equal({ x: {}, y: { not: {} } });
      expect((await send(calling('lab_anything', { y: 1 }))).body.result.isError).to.equal(true);
    });

    it('change with the agent, and are what each user sees', async () => {
      const reader = world.agentId('Reader');
      const vic = rawClient(world.mcpUrl(), await world.key({ email: 'vic@example.com' }));
      expect((await listed(vic)).some(({ name }) => name === 'run_reader')).to.equal(false);
      expect((await listed(rawClient(world.mcpUrl('Idle'), key))).map(({ name }) => name)).to.deep.equal(RUN_TOOLS);
      await world.query(`update agents set name = 'Skimmer', updated_at = now() where id = $1`, [reader]);
      await world.query(`update agents set tools = '[{"agent":"Skimmer"}]', updated_at = now() where id = $1`, [
        world.agentId('Idle'),
      ]);
      const changed = rawClient(world.mcpUrl('Idle'), key);
      while ((await listed(changed)).every(({ name }) => name !== 'run_skimmer')) await sleep(20);
      while ((await listed()).some(({ name }) => name === 'run_reader')) await sleep(20);
      await world.query(`update agents set name = 'Reader', updated_at = now() where id = $1`, [reader]);
      while ((await listed()).every(({ name }) => name !== 'run_reader')) await sleep(20);
    });
  });

  describe('when called', () => {
    const call = async (name: string, input?: object) => (await send(calling(name, input))).body;

    it('answer text, blocks of other kinds, and data with its text', async () => {
      expect((await call('lab_echo', { message: 'hi' })).result).to.deep.equal({
        content: [{ type: 'text', text: 'hi' }],
      });
      expect((await call('lab_picture')).result.content).to.deep.equal([
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      ]);
      const { content, structuredContent } = (await send(calling('lab_add', { a: 1, b: 2 }), { headers: structured }))
        .body.result;
      expect([structuredContent, content]).to.deep.equal([{ sum: 3 }, [{ type: 'text', text: '{"sum":3}' }]]);
    });

    it('work on the systems of the workspace, with the rights of the caller', async () => {
      expect((await call('books_query', { query: 'select 40 + 2 as answer' })).result.content[0]?.text).to.include(
        '42',
      );
      const started = JSON.parse((await call('run_reader', { message: 'Go' })).result.content[0]?.text ?? '');
      expect(started).to.include({ status: 'queued' });
      const vic = rawClient(world.mcpUrl('Reader'), await world.key({ email: 'vic@example.com' }));
      expect((await vic(calling('books_query', { query: 'select 1' }))).status).to.equal(404);
    });

    it('describe the very table that is named, also beside one that differs by its case', async () => {
      await world.query('create table public."Entries" (code text)');
      const described = async (table: string) => {
        const { content } = (await send(calling('books_describe_table', { table }))).body.result;
        return (JSON.parse(content[0]?.text ?? '') as { readonly table: string }).table;
      };
      try {
        for (const name of ['public.entries', 'public.Entries']) expect(await described(name)).to.equal(name);
        for (const name of ['entries', 'Entries']) expect(await described(name)).to.equal(`public.${name}`);
        expect(await described('PUBLIC.ENTRIES')).to.match(/^public\.entries$/i);
      } finally {
        await world.query('drop table public."Entries"');
      }
    });

    it('list all tables, however many there are, some at a time', async () => {
      const each = (action: string) =>
        world.query(`do $$ begin for n in 1..501 loop execute format('${action}', n); end loop; end $$`);
      const page = async (offset: number) => {
        const { content } = (await send(calling('books_list_tables', { offset }))).body.result;
        return JSON.parse(content[0]?.text ?? '') as { tables: readonly { table: string }[]; has_more: boolean };
      };
      await each('create table public.zz_%s ()');
      try {
        const [first, second] = [await page(0), await page(500)];
        expect([first.has_more, second.has_more]).to.deep.equal([true, false]);
        const names = [...first.tables, ...second.tables].map(({ table }) => table);
        expect(new Set(names).size).to.equal(names.length);
        expect(names.filter((name) => name.startsWith('public.zz_'))).to.have.length(501);
      } finally {
        await each('drop table public.zz_%s');
      }
    });

    it('continue the trace that the message belongs to', async () => {
      const traceId = '0af7651916cd43dd8448eb211c80319c';
      const traced = { _meta: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } };
      const { body } = await send(calling('run_reader', { message: 'Go' }, traced));
      const { run_id: id } = JSON.parse(body.result.content[0]?.text ?? '');
      const { rows } = await world.composition.database.pool.query('select trace_id from runs where id = $1', [id]);
      expect(rows).to.deep.equal([{ trace_id: traceId }]);
    });

    it('say what is wrong with arguments in a result that a model can act on, ten errors at most', async () => {
      const { result } = await call('lab_echo', { message: '', extra: 1 });
      expect(result.isError).to.equal(true);
      expect(result.content[0]?.text)
        .to.include('/message must be at least 1 character long')
        .and.to.include('/extra is not a property');
      const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`x${index}`, 1]));
      const words = (await call('lab_echo', many)).result.content[0]?.text ?? '';
      expect(words.split('\n').filter((line) => line.startsWith('- '))).to.have.length(10);
    });

    it('fail in words that show nothing of the inside', async () => {
      const { result } = await call('lab_broken');
      expect(result).to.deep.equal({
        content: [{ type: 'text', text: 'The tool failed unexpectedly.' }],
        isError: true,
      });
      expect((await call('lab_refuse')).result).to.deep.equal({
        content: [{ type: 'text', text: 'No.' }],
        isError: true,
      });
    });

    it('may not break the promise of their output schema', async () => {
      const { error } = await call('lab_lie');
      expect(error).to.deep.equal({
        code: -32603,
        message: 'Tool lab_lie returned a result that does not match its output schema',
      });
      const [line] = lines.filter(({ level, fields }) => level === 'error' && fields.tool === 'lab_lie');
      expect(line?.message).to.include('output schema');
    });

    it('are cut if the result is too long', async () => {
      expect((await call('lab_big')).result.content[0]?.text).to.match(
        /^x{64000}\n\[136000 more characters are left out\]$/,
      );
    });
  });

  describe('that take their time', () => {
    const steps = calling('lab_steps', {}, { _meta: { progressToken: 'p' } });

    it('say how far they are in a stream, each time further', async () => {
      const { headers, events } = await send(steps, { headers: BOTH });
      expect(headers.get('content-type')).to.equal('text/event-stream');
      expect(headers.get('ratelimit-limit')).to.equal('1000000');
      const found = events.slice(0, -1) as {
        method: string;
        params: { progress: number; progressToken: string; message: string };
      }[];
      expect(found.map(({ method }) => method)).to.deep.equal(Array(3).fill('notifications/progress'));
      expect(found.map(({ params }) => params.progress)).to.deep.equal([1, 2, 3]);
      expect(found[0]?.params).to.deep.equal({ progressToken: 'p', progress: 1, total: 3, message: 'step 1' });
      expect(events.at(-1)).to.deep.include({ id: 1, result: { content: [{ type: 'text', text: 'done' }] } });
    });

    it('do so in the newest revision as well', async () => {
      const { message, headers } = modern('tools/call', { name: 'lab_steps', arguments: {} }, { progressToken: 7 });
      const { events, body } = await send(message, { headers: { ...headers, ...BOTH } });
      expect(events).to.have.length(4);
      expect(body.result).to.include({ resultType: 'complete' });
    });

    it('answer JSON to a client that asks for no progress, or accepts no stream', async () => {
      for (const [message, accept] of [
        [calling('lab_steps'), BOTH],
        [steps, { accept: 'application/json' }],
        [steps, { accept: '*/*' }],
      ] as const) {
        const { headers, body } = await send(message, { headers: accept });
        expect(headers.get('content-type')).to.equal('application/json');
        expect(body.result.content[0]?.text).to.equal('done');
      }
    });

    it('become a stream before a proxy closes the connection', async () => {
      const { headers, text, body } = await send(calling('lab_wait', { ms: 300 }), { headers: BOTH });
      expect(headers.get('content-type')).to.equal('text/event-stream');
      expect(text.startsWith(': open\n')).to.equal(true);
      expect(body.result.content[0]?.text).to.equal('waited');
      const plain = await send(calling('lab_wait', { ms: 300 }), { headers: { accept: 'application/json' } });
      expect(plain.headers.get('content-type')).to.equal('application/json');
    });

    it('are cancelled when the client hangs up, before and after the answer became a stream', async () => {
      for (const accept of ['application/json', BOTH.accept]) {
        slowCalls.length = 0;
        const leaving = new AbortController();
        const asked = send(calling('lab_slow'), { headers: { accept }, signal: leaving.signal }).catch(
          (error: Error) => error.name,
        );
        await until(() => slowCalls.length === 1);
        await sleep(accept === BOTH.accept ? 150 : 0);
        leaving.abort();
        expect(await asked).to.equal('AbortError');
        await until(() => slowCalls.length === 2);
        expect(slowCalls).to.deep.equal(['began', 'cancelled']);
      }
      await until(() => lines.filter(({ fields }) => fields.tool === 'lab_slow').length === 2);
      expect(
        lines.filter(({ fields }) => fields.tool === 'lab_slow').map(({ fields }) => fields.outcome),
      ).to.deep.equal(['cancelled', 'cancelled']);
    });

    it('are not cancelled by a message, because its id may be that of another client', async () => {
      slowCalls.length = 0;
      const leaving = new AbortController();
      const asked = send(calling('lab_slow'), { signal: leaving.signal }).catch(() => null);
      await until(() => slowCalls.length === 1);
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
      expect((await send(cancel)).status).to.equal(202);
      await sleep(50);
      expect(slowCalls).to.deep.equal(['began']);
      leaving.abort();
      await asked;
    });
  });

  it('are logged by what was called, by which client, and how it ended: never with arguments or a credential', async () => {
    lines.length = 0;
    const { message, headers } = modern('tools/call', {
      name: 'lab_echo',
      arguments: { message: 'a very private word' },
    });
    const answer = await send(message, { headers });
    await send(calling('lab_refuse'));
    const found = lines.filter(({ message: words }) => words === 'tool call');
    expect(found[0]?.fields).to.deep.include({
      request_id: answer.headers.get('x-request-id'),
      agent_id: world.agentId('Clerk'),
      agent: 'Clerk',
      tool: 'lab_echo',
      era: '2026-07-28',
      client: 'probe',
      client_version: '7',
      outcome: 'done',
    });
    expect(found[0]?.fields.ms).to.be.a('number');
    expect(found[1]?.fields).to.deep.include({ tool: 'lab_refuse', era: 'handshake', outcome: 'failed' });
    const everything = JSON.stringify(lines);
    expect(everything).not.to.include('private word');
    expect(everything).not.to.include(key);
  });
});
