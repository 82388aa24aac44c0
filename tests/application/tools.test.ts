import { expect } from 'chai';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { aesSealer } from '../../src/adapters/system/sealer.ts';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import { openTool, sealTools } from '../../src/application/agents/declarations.ts';
import type { RowStream } from '../../src/application/ports/connectors.ts';
import { type OutboundAnswer, OutboundFailure, type OutboundRequest } from '../../src/application/ports/outbound.ts';
import { rowsAnswer } from '../../src/application/tools/system-tools.ts';
import type { Tool } from '../../src/application/tools/tool.ts';
import { toolService } from '../../src/application/tools/tools.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { busy, DomainError, invalid } from '../../src/domain/errors.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { toolJson } from '../../src/domain/tool-json.ts';
import { anAgent } from '../support/builders.ts';
import { receiver } from '../support/receiver.ts';
import { declared, doubleOf, type ToolWorld, toolWorld } from '../support/tools.ts';

const caller: Caller = {
  userId: 'u',
  workspaceId: 'w',
  email: 'ada@example.com',
  role: 'admin',
  credential: { id: 'k', kind: 'api_key' },
  door: 'api_key',
  signedInAt: null,
  scopes: null,
  boundToAgent: null,
};

const never = new AbortController().signal;

const made = (over: ToolWorld = {}, timeoutSeconds = 5) => {
  const { sources, logged } = toolWorld(over);
  const service = toolService({ ...sources, settings: { toolTimeoutSeconds: timeoutSeconds } });
  const catalogue = (tools: readonly unknown[]) => service.toolsOf(anAgent({ tools }), caller);
  const tool = async (name: string, tools: readonly JsonValue[]): Promise<Tool> => {
    const found = (await catalogue(tools)).tools.find((each) => each.name === name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };
  const call = async (name: string, input: unknown, tools: readonly JsonValue[], signal = never) =>
    service.execute(await tool(name, tools), input, { caller, signal, mayStartRuns: true, untrusted: false });
  return { service, catalogue, tool, call, logged };
};

const answer = (text: string, over: Partial<OutboundAnswer> = {}): OutboundAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: new TextEncoder().encode(text),
  url: 'https://x.example/',
  ...over,
});

/** An outbound that remembers what was sent and answers the same each time. */
const listening = (given: OutboundAnswer | Error = answer('{"rate":1.1}')) => {
  const sent: OutboundRequest[] = [];
  const allowed: (readonly string[] | undefined)[] = [];
  const outbound: NonNullable<ToolWorld['outbound']> = {
    send: async (request, terms) => {
      sent.push(request);
      allowed.push(terms.allowedHosts);
      if (given instanceof Error) throw given;
      return given;
    },
  };
  return { outbound, sent, allowed };
};

const rate = (fields: object = {}, more: object = {}): JsonValue =>
  ({
    http: {
      name: 'rate',
      url: 'https://x.example/rates/{currency}?on={day}&fixed=1',
      input_schema: {
        type: 'object',
        properties: { currency: { type: 'string' }, day: { type: 'string' }, extra: {} },
        required: ['currency'],
      },
      ...fields,
    },
    ...more,
  }) as JsonValue;

describe('the catalogue of an agent’s tools', () => {
  it('has every kind, by the names that are promised', async () => {
    const { catalogue } = made();
    const { tools, reports } = await catalogue([
      'search_web',
      { connection: 'erp', write: true },
      { database: 'books' },
      rate(),
      { agent: 'Invoice reader' },
    ]);
    expect(tools.map(({ name }) => name)).to.deep.equal([
      'search_web',
      'erp_list_entities',
      'erp_list_records',
      'erp_insert_record',
      'erp_update_record',
      'general_ledger_list_tables',
      'general_ledger_describe_table',
      'general_ledger_query',
      'rate',
      'run_invoice_reader',
    ]);
    expect(reports).to.deep.equal([]);
    for (const { inputSchema, annotations } of tools) {
      expect(ajvSchemas().defect(inputSchema)).to.equal(null);
      expect(inputSchema.type).to.equal('object');
      expect(annotations.title).to.not.equal('');
    }
    const reading = tools.filter(({ annotations }) => annotations.readOnly).map(({ name }) => name);
    expect(reading).to.not.include.members(['erp_insert_record', 'erp_update_record', 'run_invoice_reader']);
    expect(reading).to.have.length(7);
  });

  it('offers writes where they were asked for, whatever the type', async () => {
    const names = async (tool: JsonValue) => (await made().catalogue([tool])).tools.map(({ name }) => name);
    expect(await names({ connection: 'erp' })).to.deep.equal(['erp_list_entities', 'erp_list_records']);
    for (const connection of ['erp', 'books'])
      expect(await names({ connection, write: true })).to.deep.equal(
        ['list_entities', 'list_records', 'insert_record', 'update_record'].map((tool) => `${connection}_${tool}`),
      );
  });

  it('leaves out what is broken, says so once in the log, and keeps the rest', async () => {
    const { catalogue, logged } = made();
    const broken: JsonValue[] = [
      { shell: 'rm' },
      rate({ url: 'https://{currency}.example/' }),
      rate({ url: 'https://x.example/{nothing}' }),
    ];
    const agent = [
      ...broken,
      rate({ input_schema: { type: 'array' } }),
      rate({ input_schema: { $ref: 'https://elsewhere.example' } }),
      { connection: 'erp' },
    ];
    const { tools, reports } = await catalogue(agent as JsonValue[]);
    expect(tools.map(({ name }) => name)).to.deep.equal(['erp_list_entities', 'erp_list_records']);
    expect(reports.map(({ severity }) => severity)).to.deep.equal(Array(5).fill('left out'));
    expect(logged).to.have.length(5);
  });

  it('hides what the caller may not see, which is no error of the declaration', async () => {
    const { catalogue, logged } = made();
    const { tools, reports } = await catalogue([{ connection: 'secret' }, { database: 'secret' }, { agent: 'Secret' }]);
    expect(tools).to.deep.equal([]);
    expect(reports.map(({ severity }) => severity)).to.deep.equal(['hidden', 'hidden', 'hidden']);
    expect(logged).to.deep.equal([]);
  });

  it('numbers names that clash, the same way every time, and reports it; names from other servers give way', async () => {
    const remote = {
      list: async () => [
        {
          name: 'Rate',
          description: '',
          inputSchema: { type: 'object' },
          outputSchema: null,
          annotations: doubleOf.annotations,
        },
      ],
    };
    const { catalogue } = made({ remote: { ...doubleOf.remote, ...remote } });
    const tools: JsonValue[] = [{ mcp: { url: 'https://tools.example/mcp' } }, rate(), rate()];
    const [first, second] = [await catalogue(tools), await catalogue(tools)];
    expect(first.tools.map(({ name }) => name)).to.deep.equal(['rate', 'rate_2', 'rate_3']);
    expect(second.tools.map(({ name }) => name)).to.deep.equal(['rate', 'rate_2', 'rate_3']);
    expect(first.reports.map(({ tool, severity }) => [tool, severity])).to.deep.equal([
      ['http rate', 'renamed'],
      ['mcp', 'renamed'],
    ]);
  });

  it('does without the tools of a server that is out of reach, and of those that cannot be checked', async () => {
    const { remote } = doubleOf;
    const down = made({
      remote: {
        ...remote,
        list: () => Promise.reject(new OutboundFailure('unreachable', 'The host refuses the connection.')),
      },
    });
    const { tools, reports } = await down.catalogue([
      { mcp: { name: 'crm', url: 'https://u:SECRET@tools.example' } },
      rate(),
    ]);
    expect(tools.map(({ name }) => name)).to.deep.equal(['rate']);
    expect(reports).to.deep.equal([
      { tool: 'mcp crm', message: 'The host refuses the connection.', severity: 'out of reach' },
    ]);
    const odd = ['string', 'object'].map((type) => ({
      name: type,
      description: '',
      inputSchema: { type },
      outputSchema: null,
      annotations: doubleOf.annotations,
    }));
    const partly = await made({ remote: { ...remote, list: async () => odd } }).catalogue([
      { mcp: { name: 'crm', url: 'https://tools.example' } },
    ]);
    expect(partly.tools.map(({ name }) => name)).to.deep.equal(['crm_object']);
    expect(partly.reports).to.have.length(1);
  });

  it('does not do without tools because the database of its own is away', async () => {
    const away = () => Promise.reject(busy('The database does not answer'));
    const { catalogue } = made({ remote: { ...doubleOf.remote, list: away } });
    const tools = catalogue([{ mcp: { name: 'crm', url: 'https://tools.example' } }, rate()]);
    expect(await tools.catch((error) => error)).to.include({ kind: 'busy' });
  });

  it('does without the tools of a server that does not answer', async () => {
    const list = (_server: unknown, _terms: unknown, signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { catalogue } = made({ remote: { ...doubleOf.remote, list } });
    const { tools, reports } = await catalogue([{ mcp: { name: 'crm', url: 'https://tools.example' } }, rate()]);
    expect(tools.map(({ name }) => name)).to.deep.equal(['rate']);
    const message = 'The tool server did not list its tools within 10 seconds.';
    expect(reports).to.deep.equal([{ tool: 'mcp crm', message, severity: 'out of reach' }]);
  });

  it('asks a server for its tools once in a while, not in every turn', async () => {
    let asked = 0;
    const list = async () => {
      asked += 1;
      return [];
    };
    const { catalogue } = made({ remote: { ...doubleOf.remote, list } });
    for (let turns = 0; turns < 3; turns++) await catalogue([{ mcp: { url: 'https://tools.example' } }]);
    expect(asked).to.equal(1);
  });
});

describe('a tool call', () => {
  it('with arguments that do not fit is refused in words that a model can act on', async () => {
    const { call } = made();
    const wrong = await call('erp_list_records', { limit: 5000, colour: 1 }, [{ connection: 'erp' }]);
    expect(wrong.isError).to.equal(true);
    expect(wrong.text)
      .to.match(/\/entity is required/)
      .and.match(/\/limit must be at most 200/)
      .and.match(/\/colour is not a property/);
    expect((await call('rate', 'EUR', [rate()])).text).to.match(/must be one JSON object/);
  });

  it('that needs approval is not made', async () => {
    const { outbound, sent } = listening();
    const result = await made({ outbound }).call('rate', { currency: 'EUR' }, [rate({}, { requires_approval: true })]);
    expect(result).to.deep.include({ isError: true });
    expect(result.text).to.match(/approval/);
    expect(sent).to.deep.equal([]);
  });

  it('has the caller’s rights', async () => {
    const seen: unknown[] = [];
    const { call } = made({
      connections: {
        insert: async (who) => {
          seen.push(who);
          throw new DomainError('forbidden', 'A viewer may read, not write.');
        },
      },
    });
    const result = await call('erp_insert_record', { entity: 'a.b', values: { c: 1 } }, [
      { connection: 'erp', write: true },
    ]);
    expect(result).to.deep.equal({ text: 'A viewer may read, not write.', isError: true });
    expect(seen).to.deep.equal([caller]);
  });

  it('tells errors by the names of its own arguments', async () => {
    const refuse = () => Promise.reject(invalid({ path: 'filter.a', message: 'is not a column' }));
    const { call } = made({ connections: { records: refuse } });
    const filtered = await call('erp_list_records', { entity: 'a.b', filter: { a: 1 } }, [{ connection: 'erp' }]);
    expect(filtered).to.deep.equal({ text: 'filter.a is not a column', isError: true });
  });

  it('ends after its time; what it may have done is not passed over', async () => {
    const hang = () => new Promise<never>(() => {});
    const { call } = made({ connections: { entities: hang, insert: hang } }, 0.05);
    const read = await call('erp_list_entities', {}, [{ connection: 'erp' }]);
    expect(read).to.deep.equal({
      own: true,
      text: 'erp_list_entities did not answer within 0.05 seconds.',
      isError: true,
    });
    const wrote = await call('erp_insert_record', { entity: 'a.b', values: { c: 1 } }, [
      { connection: 'erp', write: true },
    ]);
    expect(wrote.text).to.match(/not known whether the call took effect/);
  });

  it('says so where nobody knows whether it took effect, and only there', async () => {
    const insert = (error: DomainError) => {
      const { call } = made({ connections: { insert: () => Promise.reject(error) } });
      return call('erp_insert_record', { entity: 'a.b', values: { c: 1 } }, [{ connection: 'erp', write: true }]);
    };
    const unknown = await insert(new DomainError('outcome_unknown', 'The connection was lost.'));
    expect(unknown.text).to.equal(
      'The connection was lost. It is not known whether the call took effect: find out before you make it again.',
    );
    const nothing = await insert(new DomainError('unavailable', 'The connection could not be reached.'));
    expect(nothing).to.deep.equal({ text: 'The connection could not be reached.', isError: true });
  });

  it('that is cancelled rejects with the reason, and the tool hears of it', async () => {
    const heard = Promise.withResolvers<unknown>();
    const stop = new AbortController();
    const { call } = made({
      connections: {
        entities: (_caller, _id, _window, signal) => {
          signal.addEventListener('abort', () => heard.resolve(signal.reason));
          stop.abort(new Error('no longer wanted'));
          return new Promise<never>(() => {});
        },
      },
    });
    const reason = await call('erp_list_entities', {}, [{ connection: 'erp' }], stop.signal).catch(
      (error: unknown) => error,
    );
    expect(reason).to.have.property('message', 'no longer wanted');
    expect(await heard.promise).to.equal(reason);
  });

  it('that fails unexpectedly shows nothing of the inside', async () => {
    const { call, logged } = made({
      connections: { entities: () => Promise.reject(new Error('password=SECRET at /srv/x.ts:1')) },
    });
    const result = await call('erp_list_entities', {}, [{ connection: 'erp' }]);
    expect(result).to.deep.equal({ own: true, text: 'The tool failed unexpectedly.', isError: true });
    expect(logged).to.have.length(1);
  });

  it('whose answer is long is cut, and says how much', async () => {
    const { outbound } = listening(answer('x'.repeat(100_000), { headers: { 'content-type': 'text/plain' } }));
    const { text } = await made({ outbound }).call('rate', { currency: 'EUR' }, [rate()]);
    expect(text).to.match(/\[36000 more characters are left out\]$/);
  });

  it('whose answer has several parts keeps them: its texts are cut together, what is no text not at all', async () => {
    const image = { type: 'image', data: 'A'.repeat(100_000), mimeType: 'image/png' };
    const texts = [40_000, 40_000, 10].map((length) => ({ type: 'text', text: 'x'.repeat(length) }));
    const answered = { text: 'in words', isError: false, content: [...texts, image], structured: { n: 1 } };
    const list = async () => [
      {
        name: 'look',
        description: '',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        annotations: doubleOf.annotations,
      },
    ];
    const { call } = made({ remote: { list, call: async () => answered } });
    const { content, ...rest } = await call('look', {}, [{ mcp: { url: 'https://tools.example/mcp' } }]);
    expect(rest).to.deep.equal({ text: 'in words', isError: false, structured: { n: 1 } });
    expect(content?.[0]).to.deep.equal(texts[0]);
    expect(content?.[1]?.text).to.match(/^x{24000}\n\[16000 more characters are left out\]$/);
    expect(content?.[2]?.text).to.equal('\n[10 more characters are left out]');
    expect(content?.[3]).to.deep.equal(image);
  });

  it('starts a run of another agent and answers its id at once; a run that a tool started starts none', async () => {
    const started: unknown[] = [];
    const createdAt = new Date();
    const { tool, service } = made({
      runs: {
        start: async (_caller, request) => {
          started.push(request);
          return { run: { id: 'r1', status: 'queued', createdAt } as never, replayed: false };
        },
      },
    });
    const run = await tool('run_invoice_reader', [{ agent: 'Invoice reader' }]);
    const context = { caller, signal: never, mayStartRuns: true, untrusted: false };
    expect(await service.execute(run, { message: 'Go' }, context)).to.deep.equal({
      text: '{"run_id":"r1","status":"queued"}',
      isError: false,
      own: true,
      structured: { run_id: 'r1', status: 'queued' },
      started: { id: 'r1', createdAt },
    });
    expect(started[0]).to.include({ origin: 'tool', userMessage: 'Go', agentId: 'reader' });
    expect((await service.execute(run, { message: 'Go' }, { ...context, mayStartRuns: false })).isError).to.equal(true);
    expect(started).to.have.length(1);
  });
});

describe('an http tool', () => {
  const sentBy = async (tool: JsonValue, input: object) => {
    const { outbound, sent, allowed } = listening();
    const result = await made({ outbound }).call('rate', input, [tool]);
    return { request: sent[0], result, allowed: allowed[0] };
  };

  it('fills in its address so that no value becomes another part of it', async () => {
    const { request } = await sentBy(rate(), { currency: 'a/../b?x=1#&é', day: 'a&b=c', extra: ['x', 1] });
    expect(request?.url).to.equal(
      'https://x.example/rates/a%2F..%2Fb%3Fx%3D1%23%26%C3%A9?on=a%26b%3Dc&fixed=1&extra=x%2C1',
    );
    expect(request).to.include({ method: 'GET', body: null });
  });

  it('with a schema whose check is long keeps no call of others waiting', async () => {
    const { outbound } = listening();
    const { service, tool } = made({ outbound });
    const properties = { currency: { type: 'string' }, list: { type: 'array', uniqueItems: true } };
    const lookup = await tool('rate', [
      rate({ url: 'https://x.example/{currency}', input_schema: { type: 'object', properties } }),
    ]);
    const over: string[] = [];
    const call = async (userId: string, list: readonly object[]) => {
      const context = { caller: { ...caller, userId }, signal: never, mayStartRuns: true, untrusted: false };
      const { text } = await service.execute(lookup, { currency: 'EUR', list }, context);
      over.push(`${userId}: ${text}`);
    };
    const pairs = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    await Promise.all([call('ada', pairs), call('ben', [{ index: 1 }, { index: 2 }])]);
    expect(over[0]).to.match(/^ben: .*"rate":1.1/);
    expect(over[1]).to.match(/^ada: .*it takes too long against this schema/s);
  });

  it('refuses values that would name another path', async () => {
    for (const currency of ['', '.', '..']) {
      const { request, result } = await sentBy(rate(), { currency });
      expect([request, result.isError]).to.deep.equal([undefined, true]);
      expect(result.text).to.match(/\/currency must not be empty/);
    }
  });

  it('takes no argument that is not declared, whatever the schema says of others', async () => {
    for (const more of [{}, { additionalProperties: true }, { allOf: [{ properties: { day: { type: 'string' } } }] }]) {
      const tool = rate({ input_schema: { properties: { currency: { type: 'string' }, day: {} }, ...more } });
      for (const input of [{ fixed: '2' }, { tenant: 'other' }, { currency: 'EUR', Fixed: '2' }]) {
        const { request, result } = await sentBy(tool, { currency: 'EUR', ...input });
        expect([request, result.isError], JSON.stringify(more)).to.deep.equal([undefined, true]);
      }
      expect((await sentBy(tool, { currency: 'EUR', day: 'x' })).request?.url).to.equal(
        'https://x.example/rates/EUR?on=x&fixed=1',
      );
    }
  });

  it('leaves out parameters that were not given', async () => {
    expect((await sentBy(rate(), { currency: 'EUR' })).request?.url).to.equal('https://x.example/rates/EUR?fixed=1');
  });

  it('sends what its address does not use as JSON, or the body that it declares', async () => {
    const posted = await sentBy(rate({ method: 'POST', headers: { authorization: 'Bearer T' } }), {
      currency: 'EUR',
      extra: { a: 1 },
    });
    expect(posted.request).to.deep.include({ body: '{"extra":{"a":1}}', method: 'POST' });
    expect(posted.request?.headers).to.deep.equal({ authorization: 'Bearer T', 'content-type': 'application/json' });
    const shaped = await sentBy(rate({ method: 'PUT', body: { what: '{extra}', note: 'on {day}', none: '{day}' } }), {
      currency: 'EUR',
      extra: [1],
    });
    expect(shaped.request?.body).to.equal('{"what":[1],"note":"on ","none":null}');
  });

  it('fills in a body that is text so that no value becomes another part of it', async () => {
    const sent = async (body: string, type: string | null, value: string) => {
      const headers = type === null ? {} : { 'Content-Type': type };
      const tool = rate({ method: 'POST', headers, body });
      return (await sentBy(tool, { currency: 'EUR', day: value })).request?.body;
    };
    const form = 'application/x-www-form-urlencoded; charset=utf-8';
    expect(await sent('admin=0&user={day}', form, 'x&admin=1')).to.equal('admin=0&user=x%26admin%3D1');
    const json = await sent('{"user":"{day}","admin":false}', null, 'x","admin":true,"y":"\n\\');
    expect(JSON.parse(String(json))).to.deep.equal({ user: 'x","admin":true,"y":"\n\\', admin: false });
    expect(await sent('<user name="{day}"/>', 'text/xml', '"><admin/>&')).to.equal(
      '<user name="&quot;&gt;&lt;admin/&gt;&amp;"/>',
    );
    expect(await sent('Hello {day}', 'text/plain', 'a & "b"')).to.equal('Hello a & "b"');
    expect(await sent('{day}', form, 'a=1&b=2'), 'the argument is the whole body').to.equal('a=1&b=2');
  });

  it('sends every digit of a number, wherever it belongs', async () => {
    const digits = '9007199254740993';
    const number = jsonNumber(digits);
    const amount = jsonNumber('123456789012345678.25');
    expect((await sentBy(rate(), { currency: 'EUR', extra: [number, amount] })).request?.url).to.equal(
      `https://x.example/rates/EUR?fixed=1&extra=${digits}%2C${amount}`,
    );
    const posted = await sentBy(rate({ method: 'POST' }), { currency: 'EUR', extra: { a: [number, amount] } });
    expect(posted.request?.body).to.equal(`{"extra":{"a":[${digits},${amount}]}}`);
    const shaped = await sentBy(rate({ method: 'PUT', body: { a: '{extra}', b: 'no. {extra}', c: amount } }), {
      currency: 'EUR',
      extra: number,
    });
    expect(shaped.request?.body).to.equal(`{"a":${digits},"b":"no. ${digits}","c":${amount}}`);
  });

  it('reaches private addresses only where its entry names them', async () => {
    expect((await sentBy(rate(), { currency: 'EUR' })).allowed).to.deep.equal([]);
    expect((await sentBy(rate({ allow_hosts: ['10.0.0.7:8080'] }), { currency: 'EUR' })).allowed).to.deep.equal([
      '10.0.0.7:8080',
    ]);
  });

  it('makes errors of refusals and failures, and doubts what a call with effects may have done', async () => {
    const of = (given: OutboundAnswer | Error, tool = rate()) =>
      made({ outbound: listening(given).outbound }).call('rate', { currency: 'EUR' }, [tool]);
    expect(await of(answer('{"no":1}', { status: 404 }))).to.deep.equal({
      text: 'The service answered 404: {"no":1}',
      isError: true,
    });
    const host = 'x.example';
    const failure = new OutboundFailure('timeout', `The host ${host} did not answer within 5 seconds.`, { host });
    expect((await of(failure)).text).to.equal('The host [hidden] did not answer within 5 seconds.');
    expect((await of(failure, rate({ method: 'POST' }))).text).to.match(/not known whether/);
    expect(
      (await of(new OutboundFailure('refused', 'It is a private address.'), rate({ method: 'POST' }))).text,
    ).to.equal('It is a private address.');
  });

  it('shows nobody the credentials of its request, which a server may repeat', async () => {
    const headers = { Authorization: 'Bearer s3cret-0123456789', 'X-Api-Key': 'key-0123456789', 'X-Day': '2026-11-20' };
    const tool = rate({ headers });
    const of = async (text: string, over: Partial<OutboundAnswer> = {}) =>
      (await made({ outbound: listening(answer(text, over)).outbound }).call('rate', { currency: 'EUR' }, [tool])).text;
    expect(await of('Authorization=Bearer s3cret-0123456789 is not valid', { status: 403 })).to.equal(
      'The service answered 403: Authorization=[hidden] is not valid',
    );
    expect(await of('{"token":"s3cret-0123456789","key":"key-0123456789","day":"2026-11-20"}')).to.equal(
      '{"token":"[hidden]","key":"[hidden]","day":"2026-11-20"}',
    );
    const login = rate({
      url: 'https://rates.example.com/{currency}?apiKey=query%2F0123456789&day=2026-11-20&keywords=invoices',
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from('ada:pass-"0123').toString('base64')}` },
      body: { login: { client_secret: 'body-0123456789' }, author: 'a.lovelace', sort_key: 'posting_date' },
    });
    const said =
      '/EUR?api_key=query%2F0123456789 query/0123456789 ada:pass-"0123 "pass-\\"0123" body-0123456789 2026-11-20 invoices a.lovelace posting_date';
    const outbound = listening(answer(said)).outbound;
    const { text } = await made({ outbound }).call('rate', { currency: 'EUR' }, [login]);
    expect(text).to.equal(
      '/EUR?api_key=[hidden] [hidden] [hidden] "[hidden]" [hidden] 2026-11-20 invoices a.lovelace posting_date',
    );
  });

  it('shows text and describes the rest', async () => {
    const of = async (over: Partial<OutboundAnswer>) =>
      (await made({ outbound: listening(answer('abc', over)).outbound }).call('rate', { currency: 'EUR' }, [rate()]))
        .text;
    expect(await of({ headers: { 'content-type': 'image/png' } })).to.equal(
      '(3 bytes of image/png, which is not text)',
    );
    expect(
      await of({ headers: { 'content-type': 'text/plain; charset=iso-8859-1' }, body: Uint8Array.of(0xe9) }),
    ).to.equal('é');
    expect(await of({ status: 204, body: new Uint8Array() })).to.equal('(status 204, no content)');
  });

  it('says of an answer that broke off that the rest is missing', async () => {
    const server = await receiver((response, { url = '' }) => {
      const head = {
        'content-type': 'text/plain',
        ...(url.startsWith('/rates/GZIP') && { 'content-encoding': 'gzip' }),
      };
      response.writeHead(200, head).write('EUR 1.1', () => url.startsWith('/rates/RESET') && response.socket?.end());
      if (url.startsWith('/rates/GZIP') || url.startsWith('/rates/WHOLE')) response.end();
    });
    const world = made({ outbound: safeOutbound({ allowedHosts: [server.host] }) });
    const of = async (currency: string) =>
      (await world.call('rate', { currency }, [rate({ url: `${server.url}/rates/{currency}` })])).text;
    const missing = '[The rest is missing: the answer broke off.]';
    try {
      expect(await of('WHOLE')).to.equal('EUR 1.1');
      expect(await of('RESET')).to.equal(`EUR 1.1\n${missing}`);
      expect(await of('GZIP')).to.equal(missing);
    } finally {
      await server.close();
    }
  });
});

describe('rows as an answer', () => {
  const stream = (rows: readonly object[], chunkSize = 7): RowStream & { returned: boolean } => {
    const bytes = new TextEncoder().encode(rows.map((row) => JSON.stringify(row)).join(','));
    let returned = false;
    const chunks = (async function* () {
      try {
        for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize);
      } finally {
        returned = true;
      }
    })();
    return {
      get returned() {
        return returned;
      },
      columns: [{ name: 'a', dataType: 'text' }],
      chunks,
      end: () => ({ rowCount: rows.length, more: false }),
    };
  };
  const read = async (rows: readonly object[], caps: { maxRows: number; maxBytes: number }) => {
    const given = stream(rows);
    const value = JSON.parse((await rowsAnswer(given, { more: 'truncated' }, caps)).text) as Record<string, unknown>;
    expect(given.returned).to.equal(true);
    return value;
  };

  it('are whole where they fit', async () => {
    const rows = [{ a: 'x"}{' }, { a: 'é\\', b: { c: [{}] } }];
    expect(await read(rows, { maxRows: 10, maxBytes: 1000 })).to.deep.equal({
      records: rows,
      row_count: 2,
      truncated: false,
    });
    expect(await read([], { maxRows: 10, maxBytes: 1000 })).to.deep.equal({
      records: [],
      row_count: 0,
      truncated: false,
      columns: [{ name: 'a', data_type: 'text' }],
    });
  });

  it('say how to go on, by what the tool takes', async () => {
    const rows = Array.from({ length: 9 }, (_, n) => ({ a: 'x'.repeat(40 + n) }));
    const noteOf = async (more: 'truncated' | 'has_more', maxBytes: number) =>
      JSON.parse((await rowsAnswer(stream(rows), { more }, { maxRows: 500, maxBytes })).text).note;
    expect(await noteOf('truncated', 20)).to.match(/^The first row alone is over 20 bytes: ask for fewer columns\.$/);
    expect(await noteOf('has_more', 20)).to.equal('The first row alone is over 20 bytes: go on behind it with offset.');
    expect(await noteOf('has_more', 100)).to.equal(
      'Only the first 2 rows are shown (at most 100 bytes): go on behind them with offset.',
    );
  });

  it('are cut between rows, and say what was cut', async () => {
    const rows = Array.from({ length: 50 }, (_, n) => ({ a: `}${n}"` }));
    const few = await read(rows, { maxRows: 3, maxBytes: 1000 });
    expect(few).to.deep.include({ records: rows.slice(0, 3), row_count: 3, truncated: true });
    expect(few.note).to.match(/first 3 rows/);
    const small = await read(rows, { maxRows: 500, maxBytes: 100 });
    expect((small.records as unknown[]).length)
      .to.equal(small.row_count)
      .and.to.be.within(5, 9);
    const none = await read([{ a: 'x'.repeat(500) }], { maxRows: 500, maxBytes: 100 });
    expect(none).to.deep.include({ records: [], row_count: 0, truncated: true });
  });
});

describe('secrets of tools', () => {
  const sealer = aesSealer(new Uint8Array(32).fill(3));
  const tools = [
    'search_web',
    rate(
      { headers: { authorization: 'Bearer SECRET' }, url: 'https://x.example/?key=SECRET' },
      { requires_approval: true },
    ),
    { mcp: { name: 'crm', url: 'https://tools.example/SECRET', headers: { 'x-key': 'SECRET' } } },
  ].map(declared);

  it('are sealed where they are stored, and come back as they were', () => {
    const stored = sealTools(tools, [], sealer);
    expect(JSON.stringify(stored)).to.not.include('SECRET');
    expect(JSON.stringify(stored)).to.include('"name":"rate"');
    expect(stored.map((tool) => openTool(tool, sealer))).to.deep.equal(tools);
  });

  it('keep their sealed text while nothing changes, so that applying a file again changes nothing', () => {
    const stored = sealTools(tools, [], sealer);
    expect(sealTools(tools, stored, sealer)).to.deep.equal(stored);
    expect(sealTools([...tools].reverse(), stored, sealer)).to.deep.equal([...stored].reverse());
    const another = aesSealer(new Uint8Array(32).fill(4));
    expect(sealTools(tools, stored, another)).to.not.deep.equal(stored);
  });

  it('sealed under another key leave the tool out', async () => {
    const stored = sealTools(tools, [], aesSealer(new Uint8Array(32).fill(9)));
    const { tools: offered, reports } = await made({ sealer }).catalogue(stored.map(toolJson));
    expect(offered.map(({ name }) => name)).to.deep.equal(['search_web']);
    expect(reports.every(({ message }) => message.includes('ENCRYPTION_KEY'))).to.equal(true);
  });
});
