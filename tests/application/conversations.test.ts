import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { modelProviders } from '../../src/adapters/models/models.ts';
import {
  ModelError,
  type ModelMessage,
  type Models,
  type Step,
  type StepRequest,
} from '../../src/application/ports/models.ts';
import type { OutboundAnswer, OutboundRequest } from '../../src/application/ports/outbound.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import { anId } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { usePostgres } from '../support/postgres.ts';
import { aTalk, type Talk, type TalkOptions } from '../support/talk.ts';

const KEY = 'sk-test-0123456789';
const offline = modelProviders({ openai: null, anthropic: null, stepTimeoutSeconds: 5, maxAttempts: 1, log: quiet });

const httpTool = (name: string, method: string, more: object = {}): JsonValue =>
  ({
    http: {
      name,
      method,
      url: `https://x.example/${name}`,
      input_schema: { properties: { n: { type: 'integer' }, 'k\ufffd': {} } },
    },
    ...more,
  }) as JsonValue;
const tools = [httpTool('look', 'GET'), httpTool('book', 'POST')];

const said = (text: string): OutboundAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  url: 'https://x.example/',
  body: new TextEncoder().encode(text),
});

type Answering = (name: string, n: number) => Promise<string>;

/** Systems behind the http tools: each call is answered as the test wants. */
const systems = (answer: Answering = async (name, n) => `${name} ${n}`) => {
  const calls: string[] = [];
  const send = async ({ url, body }: OutboundRequest) => {
    const address = new URL(url);
    const name = address.pathname.slice(1);
    const n = Number(address.searchParams.get('n') ?? JSON.parse(String(body ?? '{}')).n ?? 0);
    calls.push(`${name} ${n}`);
    return said(await answer(name, n));
  };
  return { calls, outbound: { send } };
};

const step = (
  text: string,
  calls: readonly (readonly [id: string, name: string, args: JsonValue])[] = [],
  over: Partial<Step> = {},
): Step => ({
  text,
  toolCalls: calls.map(([id, name, args]) => ({ id, name, arguments: args, invalid: null })),
  finish: calls.length > 0 ? 'tool_calls' : 'stop',
  usage: { inputTokens: 3, outputTokens: 2 },
  ...over,
});

type Script = readonly (Step | Error | ((request: StepRequest, signal?: AbortSignal) => Promise<Step>))[];

/** A model that answers from a script, the last entry for ever, and remembers what it was asked. */
const scripted = (script: Script, contextTokens = 100_000) => {
  const asked: StepRequest[] = [];
  const models: Models = {
    traits: () => ({ images: false, pdf: false, contextTokens, outputTokens: 0 }),
    defect: () => null,
    async step(request, signal) {
      const next = script[Math.min(asked.length, script.length - 1)];
      asked.push(structuredClone(request));
      if (next instanceof Error) throw next;
      return typeof next === 'function' ? next(request, signal) : (next ?? step('done'));
    },
  };
  return { models, asked };
};

const shape = (messages: readonly { role: string; content: string; toolCallId: string | null }[]) =>
  messages.map(({ role, content, toolCallId }) =>
    toolCallId === null ? [role, content] : [role, content, toolCallId],
  );

const shown = (messages: readonly ModelMessage[]) =>
  messages.map((message) =>
    message.role === 'user'
      ? ['user', message.content.map((part) => ('text' in part ? part.text : '')).join('')]
      : [message.role, message.text, ...(message.role === 'tool' ? [message.toolCallId, message.isError] : [])],
  );

describe('conversations', () => {
  const postgres = usePostgres();
  const talk = (options: TalkOptions) => aTalk(postgres.database, options);
  const expire = (id: string) =>
    postgres.database.pool.query(
      `update conversations set lease_expires_at = now() - interval '1 second' where id = $1`,
      [id],
    );

  /** Afterwards everything is as if nothing had gone wrong. */
  const mustBeUsable = async (given: Talk) => {
    expect((await given.row()).status).to.equal('idle');
    const messages = await given.stored();
    const results = new Set(messages.map(({ toolCallId }) => toolCallId));
    for (const { id } of messages.flatMap(({ toolCalls }) => toolCalls))
      expect(results.has(id), `the result of ${id}`).to.equal(true);
  };

  describe('with the offline model', () => {
    it('answers from what its tools found', async () => {
      const given = await talk({ models: offline, tools, ...systems() });
      const { conversationId, messages, error } = await given.send('/look {"n": 7}\n/look {"n": 8}');
      expect({ conversationId, error }).to.deep.equal({ conversationId: given.id, error: null });
      expect(messages.map(({ role }) => role)).to.deep.equal(['assistant', 'tool', 'tool', 'assistant']);
      expect(messages.at(-1)?.content).to.equal('look answered:\nlook 7\n\nlook answered:\nlook 8');
      expect(await given.stored()).to.have.length(5);
      expect((await given.row()).status).to.equal('idle');
      expect((await given.row()).input).to.be.greaterThan(0);
    });

    it('goes on from what was said before', async () => {
      const given = await talk({ models: offline, tools, ...systems() });
      await given.send('/look {"n": 1}');
      await given.send('/book {"n": 2}');
      const ids = (await given.stored()).flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id));
      expect(ids).to.deep.equal(['call_1', 'call_2']);
      expect((await given.send('Hello')).messages.at(-1)?.content).to.match(/I am the offline model/);
    });
  });

  for (const provider of ['openai', 'anthropic'] as const) {
    describe(`with a model behind the ${provider} wire format`, () => {
      let server: ModelServer;
      before(async () => {
        server = await modelServer(KEY);
      });
      after(() => server.close());

      const provided = (stepTimeoutSeconds = 5) =>
        modelProviders({
          openai: { apiKey: KEY, baseUrl: server.url },
          anthropic: { apiKey: KEY, baseUrl: server.url },
          stepTimeoutSeconds,
          maxAttempts: 2,
          backoff: { baseMs: 1, capMs: 2, retryAfterCapMs: 5 },
          log: quiet,
        });
      const withStub = (over: Partial<TalkOptions> = {}) =>
        talk({ models: provided(), model: `${provider}/stub`, tools, ...systems(), ...over });

      /** What the model was told of its calls, in the order in which it was told. */
      const toldResults = (body: Record<string, unknown> | undefined): readonly (readonly [string, string])[] => {
        const messages = body?.messages as readonly Record<string, unknown>[];
        if (provider === 'openai') {
          return messages
            .filter(({ role }) => role === 'tool')
            .map(({ tool_call_id: id, content }) => [String(id), String(content)]);
        }
        const blocks = messages.flatMap(({ content }) =>
          Array.isArray(content) ? (content as Record<string, unknown>[]) : [],
        );
        return blocks
          .filter(({ type }) => type === 'tool_result')
          .map(({ tool_use_id: id, content }) => [
            String(id),
            typeof content === 'string' ? content : JSON.stringify(content),
          ]);
      };

      it('makes the calls that the model asks for at once, and shows it the results in its order', async () => {
        const slowFirst = systems(async (name, n) => {
          await sleep(n === 1 ? 60 : 0);
          return `${name} ${n}`;
        });
        const given = await withStub(slowFirst);
        server.answer(
          { text: 'Let me see.', toolCalls: [1, 2].map((n) => ({ id: `c${n}`, name: 'look', arguments: { n } })) },
          { text: 'Both are there.', usage: { input: 30, output: 4 } },
        );
        const { messages, error } = await given.send('Are they there?');
        expect(error).to.equal(null);
        expect(shape(messages)).to.deep.equal([
          ['assistant', 'Let me see.'],
          ['tool', 'look 2', 'c2'],
          ['tool', 'look 1', 'c1'],
          ['assistant', 'Both are there.'],
        ]);
        expect(toldResults(server.asked[1]?.body).map(([id]) => id)).to.deep.equal(['c1', 'c2']);
        expect(await given.row()).to.deep.include({ input: 41, output: 11, begun: [] });
      });

      it('says what is wrong with arguments, and the model may try again', async () => {
        const { calls, outbound } = systems();
        const given = await withStub({ outbound });
        const bad = provider === 'openai' ? { rawArguments: '{"n": 1' } : { arguments: ['not an object'] };
        server.answer(
          {
            toolCalls: [
              { id: 'c1', name: 'book', ...bad },
              { id: 'c2', name: 'book', arguments: { n: 'x' } },
              { id: 'c3', name: 'steal', arguments: {} },
            ],
          },
          { toolCalls: [{ id: 'c4', name: 'book', arguments: { n: 4 } }] },
          { text: 'Booked.' },
        );
        const { messages, error } = await given.send('Book it');
        expect(error).to.equal(null);
        const contents = Object.fromEntries(messages.map(({ toolCallId, content }) => [toolCallId, content]));
        expect(contents.c1).to.match(/^Error: .*(not valid JSON|one JSON object)/s);
        expect(contents.c2).to.match(/\/n must be an integer/);
        expect(contents.c3).to.match(/There is no tool steal. There are look, book/);
        expect(calls).to.deep.equal(['book 4']);
        expect(toldResults(server.asked[1]?.body)).to.have.length(3);
      });

      const troubles = {
        'a refusal': [{ refusal: 'I cannot help with that.' }, /refused to answer: I cannot help/],
        'a rate limit that does not end': [
          { status: 429, headers: { 'retry-after': '0' }, message: 'Slow down.' },
          /rate limited/,
        ],
        'an answer that breaks off': [{ fault: 'truncate' as const }, /could not be reached|could not be read/],
        'an answer that is too long': [{ text: 'And then', length: true }, /before its answer was complete/],
        'an error of the provider': [{ status: 500, message: 'Oops.' }, /The model provider failed/],
        nonsense: [{ body: '{"x":' }, /could not be read|could not be used/],
      } as const;
      for (const [trouble, [reply, expected]] of Object.entries(troubles)) {
        it(`tells of ${trouble}, and can be continued`, async () => {
          const given = await withStub();
          server.answer(reply);
          const { messages, error } = await given.send('Hello');
          expect(error).to.match(expected);
          expect(messages).to.deep.equal([]);
          await mustBeUsable(given);
          server.answer({ text: 'Here I am.' });
          expect((await given.send('Hello?')).messages.map(({ content }) => content)).to.deep.equal(['Here I am.']);
          expect((await given.stored()).map(({ role }) => role)).to.deep.equal(['user', 'user', 'assistant']);
        });
      }

      it('obeys Retry-After and goes on', async () => {
        const given = await withStub();
        server.answer({ status: 429, headers: { 'retry-after': '0' } }, { text: 'Now.' });
        expect((await given.send('Hello')).messages.map(({ content }) => content)).to.deep.equal(['Now.']);
      });

      it('gives up on a model that does not answer, in the middle of a turn too', async () => {
        const given = await withStub({ models: provided(0.3) });
        server.answer({ toolCalls: [{ id: 'c1', name: 'look', arguments: { n: 1 } }] }, { fault: 'hang' });
        const { messages, error } = await given.send('Hello');
        expect(error).to.match(/no answer within 0.3 s/);
        expect(messages.map(({ role }) => role)).to.deep.equal(['assistant', 'tool']);
        await mustBeUsable(given);
      });
    });
  }

  describe('a turn', () => {
    it('has an end, whatever the model wants', async () => {
      const { calls, outbound } = systems();
      const { models, asked } = scripted([step('', [['c', 'look', { n: 1 }]])]);
      const given = await talk({ models, tools, outbound, maxSteps: 3 });
      expect((await given.send('Go on')).error).to.equal('The agent came to no answer within 3 steps.');
      expect(asked).to.have.length(3);
      expect(calls).to.have.length(2);
      expect((await given.stored()).at(-1)?.content).to.match(/Not run: the turn has used all its steps/);
      await mustBeUsable(given);
    });

    it('gives each call an id of its own, whatever the provider counts from', async () => {
      const same = step('', [
        ['call_0', 'look', { n: 1 }],
        ['call_0', 'look', { n: 2 }],
        ['no good!', 'look', { n: 3 }],
      ]);
      const given = await talk({ models: scripted([same, same, step('done')]).models, tools, ...systems() });
      expect((await given.send('Go')).error).to.equal(null);
      const ids = (await given.stored()).flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id));
      expect(new Set(ids).size).to.equal(6);
      for (const id of ids) expect(id).to.match(/^[\w-]{1,64}$/);
      await mustBeUsable(given);
    });

    it('stores every message as it is final', async () => {
      const gate = Promise.withResolvers<void>();
      const slow = systems(async (name, n) => {
        if (n === 1) await gate.promise;
        return `${name} ${n}`;
      });
      const given = await talk({
        models: scripted([
          step('', [
            ['c1', 'look', { n: 1 }],
            ['c2', 'look', { n: 2 }],
          ]),
          step('done'),
        ]).models,
        tools,
        ...slow,
      });
      const sending = given.send('Go');
      while ((await given.stored()).length < 3) await sleep(5);
      expect((await given.stored()).map(({ role, toolCallId }) => [role, toolCallId])).to.deep.equal([
        ['user', null],
        ['assistant', null],
        ['tool', 'c2'],
      ]);
      gate.resolve();
      expect((await sending).error).to.equal(null);
    });

    it('stores that a call with side effects is about to be made before it is', async () => {
      const begun = new Map<string, readonly string[]>();
      let given: Talk | undefined;
      const watching = systems(async (name) => {
        begun.set(name, (await given?.row())?.begun ?? []);
        return 'ok';
      });
      given = await talk({
        models: scripted([
          step('', [
            ['c1', 'book', { n: 1 }],
            ['c2', 'look', { n: 2 }],
          ]),
          step('done'),
        ]).models,
        tools,
        ...watching,
      });
      await given.send('Go');
      expect(Object.fromEntries(begun)).to.deep.include({ book: ['c1'] });
      expect((await given.row()).begun).to.deep.equal([]);
    });

    it('answers what is stored, also where the conversation cannot be freed before its lease is over', async () => {
      const { pool } = postgres.database;
      await pool.query(`create function keep() returns trigger language plpgsql as $$ begin
        if new.status = 'idle' then raise exception 'canceling statement' using errcode = '57014'; end if; return new; end $$`);
      const waiting = {
        book: [httpTool('book', 'POST', { requires_approval: true })],
        look: [httpTool('look', 'GET')],
      };
      for (const [name, own] of Object.entries(waiting)) {
        const given = await talk({ models: offline, tools: own, ...systems() });
        await pool.query('create trigger keep before update on conversations for each row execute function keep()');
        const { messages, error } = await given
          .send(`/${name} {"n": 1}`)
          .finally(() => pool.query('drop trigger keep on conversations'));
        expect(error, name).to.equal(null);
        expect(messages.map(({ role }) => role).slice(0, 2), name).to.deep.equal(['assistant', 'tool']);
        await expire(given.id);
        expect((await given.send('Thank you.')).error, name).to.equal(null);
        await mustBeUsable(given);
      }
      await pool.query('drop function keep');
    });

    it('does not say that nothing was done once the message is stored', async () => {
      const { pool } = postgres.database;
      await pool.query(`create function no_room() returns trigger language plpgsql as $$ begin
        if new.role = 'assistant' then raise exception 'canceling statement' using errcode = '57014'; end if; return new; end $$`);
      const given = await talk({ models: offline });
      await pool.query('create trigger no_room before insert on messages for each row execute function no_room()');
      const { error } = await given
        .send('Hello')
        .finally(() => pool.query('drop trigger no_room on messages; drop function no_room'));
      expect(error).to.equal('The database did not take all of the answer. Send the message again.');
      expect(shape(await given.stored())).to.deep.equal([['user', 'Hello']]);
      await mustBeUsable(given);
    });

    it('asks a person about what needs approval, and calls nothing meanwhile', async () => {
      const { calls, outbound } = systems();
      const given = await talk({
        models: offline,
        tools: [httpTool('book', 'POST', { requires_approval: true })],
        outbound,
      });
      const { messages } = await given.send('/book {"n": 1}');
      expect(messages.map(({ role }) => role)).to.deep.equal(['assistant', 'tool']);
      expect(messages[1]?.content).to.match(
        /^Waits for the approval of a person: https:\/\/portico\.example\/console\/approvals\//,
      );
      expect(calls).to.deep.equal([]);
      expect((await given.row()).begun).to.deep.equal([]);
    });

    it('keeps what PostgreSQL and JSON can keep', async () => {
      const strange = step('a\0b\ud800', [['c1', 'look', { n: 1, 'k\0': ['\ud800'] }]]);
      const given = await talk({
        models: scripted([strange, step('done')]).models,
        tools,
        ...systems(async () => 'x\0y'),
      });
      expect((await given.send('Go')).error).to.equal(null);
      const [, assistant, tool] = await given.stored();
      expect(assistant?.content).to.equal('a\ufffdb\ufffd');
      expect(assistant?.toolCalls[0]?.arguments).to.deep.equal({ n: 1, 'k\ufffd': ['\ufffd'] });
      expect(tool?.content).to.equal('x\ufffdy');
    });

    it('answers in words where runs of the agent answer documents', async () => {
      const { models, asked } = scripted([step('It is an invoice.')]);
      const given = await talk({ models });
      await postgres.database.pool.query(
        `update agents set workflow_type = 'document_extraction', document_schema = '{"type":"object"}'`,
      );
      expect((await given.send('What is it?')).messages.map(({ content }) => content)).to.deep.equal([
        'It is an invoice.',
      ]);
      expect(asked[0]?.outputSchema).to.equal(null);
    });
  });

  describe('at once', () => {
    it('answers one of fifty, and refuses the others before it has answered', async () => {
      const gate = Promise.withResolvers<void>();
      const { models } = scripted([
        async () => {
          await gate.promise;
          return step('Only you.');
        },
      ]);
      const given = await talk({ models });
      const services = [given.service, given.another(), given.another()];
      let refusals = 0;
      const outcomes = Array.from({ length: 50 }, (_, n) =>
        (services[n % services.length] as typeof given.service)
          .send(given.caller, given.id, `I am ${n}`)
          .catch((error: unknown) => {
            if (++refusals === 49) gate.resolve();
            return error;
          }),
      );
      const settled = await Promise.all(outcomes);
      const refused = settled.filter((outcome) => outcome instanceof DomainError);
      expect(refused).to.have.length(49);
      for (const { kind, code, extra, retryAfterSeconds } of refused) {
        expect({ kind, code, extra }).to.deep.equal({
          kind: 'conflict',
          code: 'conversation_busy',
          extra: { conversation_id: given.id },
        });
        expect(retryAfterSeconds).to.be.greaterThan(0);
      }
      expect((await given.stored()).map(({ role }) => role)).to.deep.equal(['user', 'assistant']);
      await mustBeUsable(given);
    });

    it('is refused to viewers, and is not there for those who do not see its agent', async () => {
      const given = await talk({ models: offline });
      const failure = (caller: Talk['caller'], id = given.id) =>
        given.service.send(caller, id, 'Hello').catch((error: unknown) => error);
      expect(await failure({ ...given.caller, role: 'viewer' })).to.include({ kind: 'forbidden' });
      expect(await failure({ ...given.caller, workspaceId: anId() })).to.include({ kind: 'not_found' });
      expect(await failure(given.caller, anId())).to.include({ kind: 'not_found' });
      expect(await failure(given.caller, 'no id')).to.include({ kind: 'not_found' });
      expect(await given.stored()).to.deep.equal([]);
      expect((await given.service.send(given.caller, given.id.toUpperCase(), 'Hello')).conversationId).to.equal(
        given.id,
      );
    });
  });

  describe('after a crash', () => {
    /** A turn that stops for ever, as if its process had been killed, in the middle of these calls. */
    const crashed = async (script: Script, answer: Answering): Promise<Talk> => {
      const given = await talk({ models: scripted(script).models, tools, ...systems(answer) });
      const lost = given.send('First');
      lost.catch(() => {});
      return given;
    };

    it('says of a call with effects that its outcome is unknown, of others that they were not made, and repeats neither', async () => {
      const reached = Promise.withResolvers<void>();
      let inside = 0;
      const given = await crashed(
        [
          step('', [
            ['c1', 'book', { n: 1 }],
            ['c2', 'look', { n: 2 }],
            ['c3', 'look', { n: 3 }],
          ]),
        ],
        async (_name, n) => {
          if (n === 3) return 'three';
          if (++inside === 2) reached.resolve();
          return new Promise<never>(() => {});
        },
      );
      await reached.promise;
      while ((await given.stored()).length < 3) await sleep(5);
      await expire(given.id);

      const { calls, outbound } = systems();
      const heir = scripted([step('I see.')]);
      const second = await talk({ models: heir.models, tools, outbound });
      await postgres.database.pool.query(
        'update conversations set agent_id = $2, workspace_id = $3, user_id = $4 where id = $1',
        [given.id, (await agentOf(second.id)).agent, second.caller.workspaceId, second.caller.userId],
      );
      const { messages, error } = await second.service.send(second.caller, given.id, 'Second');
      expect({ error, said: messages.map(({ content }) => content) }).to.deep.equal({ error: null, said: ['I see.'] });
      expect(calls).to.deep.equal([]);
      const history = await given.stored();
      expect(history.map(({ role, toolCallId }) => toolCallId ?? role)).to.deep.equal([
        'user',
        'assistant',
        'c3',
        'c1',
        'c2',
        'user',
        'assistant',
      ]);
      expect(history[3]?.content).to.match(/^Error: .*not known whether the call took effect/);
      expect(history[4]?.content).to.match(/^Error: .*changed nothing/);
      expect(shown(heir.asked[0]?.messages ?? []).map(([role, , id, isError]) => [role, id, isError])).to.deep.equal([
        ['user', undefined, undefined],
        ['assistant', undefined, undefined],
        ['tool', 'c1', true],
        ['tool', 'c2', true],
        ['tool', 'c3', false],
        ['user', undefined, undefined],
      ]);
      await mustBeUsable(given);
    });

    const agentOf = async (id: string) => {
      const { rows } = await postgres.database.pool.query<{ agent: string }>(
        'select agent_id as agent from conversations where id = $1',
        [id],
      );
      return rows[0] as { agent: string };
    };

    it('refuses what the deposed one still says, and tells its client', async () => {
      const gate = Promise.withResolvers<void>();
      const given = await talk({
        models: scripted([
          async () => {
            await gate.promise;
            return step('too late');
          },
          step('I am the heir.'),
        ]).models,
      });
      const first = given.send('First');
      while ((await given.stored()).length < 1) await sleep(5);
      await expire(given.id);
      expect((await given.another().send(given.caller, given.id, 'Second')).error).to.equal(null);
      gate.resolve();
      expect((await first).error).to.match(/another one has taken the conversation over/);
      expect((await given.stored()).map(({ content }) => content)).to.deep.equal(['First', 'Second', 'I am the heir.']);
    });

    it('keeps the lease of a turn that takes longer than the lease', async () => {
      // Renewed three times while it lasts: so long that a busy machine is in time for one of them.
      const leaseSeconds = 3;
      const gate = Promise.withResolvers<void>();
      const models = scripted([() => gate.promise.then(() => step('At last.'))]).models;
      const given = await talk({ leaseSeconds, models });
      const sending = given.send('Take your time');
      await sleep(leaseSeconds * 1000 + 500);
      const other = given.another().send(given.caller, given.id, 'Me too');
      expect(await other.catch((error: unknown) => error)).to.include({ code: 'conversation_busy' });
      gate.resolve();
      expect((await sending).messages.map(({ content }) => content)).to.deep.equal(['At last.']);
    });
  });

  describe('when the server stops', () => {
    it('ends a turn that is done in time, and no other', async () => {
      const given = await talk({ models: scripted([async () => sleep(50).then(() => step('In time.'))]).models });
      const sending = given.send('Quick');
      while ((await given.stored()).length < 1) await sleep(5);
      await given.service.stop(5000);
      expect((await sending).messages.map(({ content }) => content)).to.deep.equal(['In time.']);
    });

    it('leaves the conversation whole and free, and tells the client why there is no answer', async () => {
      const reached = Promise.withResolvers<void>();
      const hang = systems(() => {
        reached.resolve();
        return new Promise<never>(() => {});
      });
      const given = await talk({
        models: scripted([
          step('', [
            ['c1', 'book', { n: 1 }],
            ['c2', 'look', { n: 2 }],
          ]),
          step('ok'),
        ]).models,
        tools,
        ...hang,
      });
      const sending = given.send('Book it');
      await reached.promise;
      await given.service.stop(10);
      const { messages, error } = await sending;
      expect(error).to.match(/server stopped before/);
      expect(messages.map(({ role }) => role)).to.deep.equal(['assistant', 'tool', 'tool']);
      expect(messages[1]?.content).to.match(/not known whether/);
      await mustBeUsable(given);
      expect((await given.another().send(given.caller, given.id, 'And now?')).error).to.equal(null);
    });
  });

  describe('that outgrow the window of the model', () => {
    const long = (n: number) => `result ${n} ${'x'.repeat(3000)}`;

    it('leave out the oldest results first', async () => {
      const calls = [1, 2, 3].map((n) => step('', [[`c${n}`, 'look', { n }]]));
      const { models, asked } = scripted([...calls, step('All seen.')], 3200);
      const given = await talk({ models, tools, ...systems(async (_name, n) => long(n)) });
      expect((await given.send('Look at all')).error).to.equal(null);
      expect(asked).to.have.length(4);
      const last = shown(asked[3]?.messages ?? []).filter(([role]) => role === 'tool');
      expect(last[0]?.[1]).to.match(/characters are left out here/);
      expect(last[2]?.[1]).to.match(/^result 3 /);
      expect(
        (await given.stored()).filter(({ role }) => role === 'tool').every(({ content }) => content.length > 3000),
      ).to.equal(true);
    });

    it('are summed up, once, and the summary is what the model goes on from', async () => {
      const talkative = (request: StepRequest) =>
        Promise.resolve(
          /Sum it up/.test(request.instructions)
            ? step(`They talked ${request.messages.length}.`)
            : step(`answer ${'y'.repeat(700)}`),
        );
      const { models, asked } = scripted([talkative], 1600);
      const given = await talk({ models });
      for (let n = 0; n < 8; n++) expect((await given.send(`question ${n}`)).error).to.equal(null);
      const summaries = asked.filter(({ instructions }) => /Sum it up/.test(instructions));
      expect(summaries.length).to.be.within(1, 3);
      expect((await given.row()).summary).to.match(/^They talked/);
      const last = shown(asked.at(-1)?.messages ?? []);
      expect(last[0]?.[1]).to.match(/^They talked/);
      expect(asked.at(-1)?.messages[0]).to.have.nested.property('content[0].of', 'summary of the conversation so far');
      expect(last.at(-1)?.[1]).to.equal('question 7');
      expect(last.length).to.be.lessThan(10);
      expect(await given.stored()).to.have.length(16);
    });

    it('go on where the summary cannot be written', async () => {
      const mute = (request: StepRequest) =>
        /Sum it up/.test(request.instructions)
          ? Promise.reject(new ModelError('model_error', 'No.'))
          : Promise.resolve(step('y'.repeat(700)));
      const { models, asked } = scripted([mute], 1600);
      const given = await talk({ models });
      for (let n = 0; n < 8; n++) expect((await given.send(`question ${n}`)).error).to.equal(null);
      expect(shown(asked.at(-1)?.messages ?? [])[0]?.[1]).to.equal('[Earlier messages are left out.]');
    });

    it('are cut where one message alone is too long', async () => {
      const { models, asked } = scripted([step('Long.')], 2000);
      const given = await talk({ models });
      expect((await given.send('z'.repeat(50_000))).error).to.equal(null);
      expect(String(shown(asked[0]?.messages ?? [])[0]?.[1]).length).to.be.lessThan(5500);
    });

    it('are shortened further where the provider finds them too long all the same', async () => {
      const fussy = (request: StepRequest) => {
        const size = JSON.stringify(request.messages).length;
        return size > 9000
          ? Promise.reject(new ModelError('model_input_too_long', 'It does not fit.'))
          : Promise.resolve(step('Fine.'));
      };
      const { models, asked } = scripted([fussy], 8000);
      const given = await talk({ models });
      expect(await given.send('z'.repeat(50_000))).to.include({ error: null });
      expect(asked.length).to.be.within(2, 3);
    });

    it('may have ten thousand messages', async () => {
      const { models, asked } = scripted([step('Still here.')], 4000);
      const given = await talk({ models });
      await postgres.database.pool.query(
        `insert into messages (conversation_id, seq, id, role, content) select $1, n, gen_random_uuid(), case when n % 2 = 0 then 'assistant' else 'user' end,
           'message ' || n || repeat(' and on', 100) from generate_series(1, 10000) n`,
        [given.id],
      );
      expect((await given.send('Are you there?')).error).to.equal(null);
      expect(JSON.stringify(asked.at(-1)?.messages).length).to.be.lessThan(12_000);
      let [pages, most, count] = [0, 0, 0];
      for await (const page of (await given.service.get(given.caller, given.id)).messages) {
        [pages, most, count] = [pages + 1, Math.max(most, page.length), count + page.length];
      }
      expect(count).to.equal(10_002);
      expect(most).to.be.at.most(100);
      expect(pages).to.be.greaterThan(100);
    });
  });
});
