import { expect } from 'chai';
import { modelProviders } from '../../src/adapters/models/models.ts';
import type { TurnObserver } from '../../src/application/conversations/exchange.ts';
import type { OutboundRequest } from '../../src/application/ports/outbound.ts';
import type { ShownMessage } from '../../src/application/ports/storage.ts';
import type { Delta } from '../../src/application/turns/drafted-message.ts';
import type { Message } from '../../src/domain/conversation.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import { quiet } from '../support/log.ts';
import { type ModelServer, modelServer, type Reply } from '../support/model-server.ts';
import { usePostgres } from '../support/postgres.ts';
import { aTalk, type Talk } from '../support/talk.ts';

const KEY = 'sk-test-0123456789';

const tool = (name: string, method: string): JsonValue => ({
  http: { name, method, url: `https://x.example/${name}`, input_schema: { properties: { n: { type: 'integer' } } } },
});
const tools = [tool('look', 'GET'), tool('book', 'POST')];

const outbound = {
  send: async ({ url }: OutboundRequest) => ({
    status: 200,
    headers: { 'content-type': 'text/plain' },
    url,
    body: new TextEncoder().encode(`Seen: ${new URL(url).search}`),
  }),
};

type Seen = { readonly delta: Delta } | { readonly message: ShownMessage };

const watcher = (): TurnObserver & { readonly seen: readonly Seen[] } => {
  const seen: Seen[] = [];
  return { seen, onDelta: (delta) => void seen.push({ delta }), onMessage: (message) => void seen.push({ message }) };
};

const messagesIn = (seen: readonly Seen[]) => seen.flatMap((each) => ('message' in each ? [each.message] : []));
const deltasOf = (seen: readonly Seen[], id: string) =>
  seen.flatMap((each) => ('delta' in each && each.delta.id === id ? [each.delta.text] : []));

/** What is the same in two conversations with the same words. */
const comparable = (message: Message) => ({
  ...message,
  id: null,
  createdAt: null,
  author: null,
  authorId: message.authorId !== null,
});

describe('a turn that is watched', () => {
  const postgres = usePostgres();
  let server: ModelServer;
  before(async () => {
    server = await modelServer(KEY);
  });
  after(() => server.close());

  for (const provider of ['openai', 'anthropic'] as const) {
    const own = () => ({ apiKey: KEY, baseUrl: server.url });
    const start = (stepTimeoutSeconds = 5): Promise<Talk> => {
      const limits = {
        stepTimeoutSeconds,
        maxAttempts: 2,
        backoff: { baseMs: 1, capMs: 2, retryAfterCapMs: 5 },
        log: quiet,
      };
      const models = modelProviders({ openai: own(), anthropic: own(), ...limits });
      return aTalk(postgres.database, { models, model: `${provider}/stub`, tools, outbound, maxSteps: 3 });
    };
    const bad = provider === 'openai' ? { rawArguments: '{"n": 1' } : { arguments: ['not an object'] };
    const emoji = 'Yes \u{1F600}\u{1F680}\0 and no. '.repeat(20);

    const turns: Readonly<Record<string, readonly Reply[]>> = {
      'an answer': [{ text: emoji }],
      'calls of tools, good and bad': [
        {
          text: 'Let me see.',
          toolCalls: [
            { id: 'c1', name: 'look', arguments: { n: 1 } },
            { id: 'c2', name: 'book', ...bad },
            { id: 'c3', name: 'steal', arguments: {} },
          ],
        },
        { text: 'There.', usage: { input: 30, output: 4 } },
      ],
      'more steps than it has': [1, 2, 3].map((n) => ({
        text: 'On.',
        toolCalls: [{ id: `c${n}`, name: 'look', arguments: { n } }],
      })),
      'an answer after a failure': [{ status: 500 }, { text: 'At last.' }],
      'a refusal': [{ refusal: 'I cannot help with that.' }],
      'an answer that is too long': [{ text: 'And then', length: true }],
      'nothing but failures': [{ status: 503, message: 'Down.' }],
    };
    for (const [what, replies] of Object.entries(turns)) {
      it(`is stored by ${provider} exactly as one that is not, with ${what}`, async () => {
        const [one, other] = [await start(), await start()];
        server.answer(...replies);
        const plain = await one.send('Hello');
        server.answer(...replies);
        const watch = watcher();
        const watched = await other.send('Hello', watch);
        const stored = await other.stored();
        expect(stored.map(comparable)).to.deep.equal((await one.stored()).map(comparable));
        expect(watched.error).to.equal(plain.error);
        expect(await other.row()).to.deep.equal(await one.row());
        expect(messagesIn(watch.seen)).to.deep.equal(watched.messages);
        expect(watched.messages.map(({ id }) => id)).to.deep.equal(stored.slice(1).map(({ id }) => id));
        for (const { id, content, role } of watched.messages) {
          expect(deltasOf(watch.seen, id).join(''), role).to.equal(role === 'assistant' ? content : '');
        }
      });
    }

    it(`shows of ${provider} what grows before it is final, and calls before their results`, async () => {
      const given = await start();
      const watch = watcher();
      server.answer(
        { text: 'Let me see.', toolCalls: [{ id: 'c1', name: 'look', arguments: { n: 1 } }] },
        { text: 'It is there.' },
      );
      await given.send('Hello', watch);
      const kinds = watch.seen.map((each) => ('delta' in each ? 'delta' : each.message.role));
      expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).to.deep.equal([
        'delta',
        'assistant',
        'tool',
        'delta',
        'assistant',
      ]);
      expect(kinds.filter((kind) => kind === 'delta').length).to.be.greaterThan(4);
    });

    it(`gives an answer of ${provider} that begins again another id`, async () => {
      const given = await start();
      const watch = watcher();
      server.answer({ text: 'This is how it began.', midway: 'reset' }, { text: 'This is how it ended.' });
      const { messages, error } = await given.send('Hello', watch);
      expect(error).to.equal(null);
      expect(messages.map(({ content }) => content)).to.deep.equal(['This is how it ended.']);
      expect(await given.stored()).to.have.length(2);
      const ids = [...new Set(watch.seen.flatMap((each) => ('delta' in each ? [each.delta.id] : [])))];
      expect(ids).to.have.length(2);
      expect(ids[1]).to.equal(messages[0]?.id);
      expect('This is how it began.'.startsWith(deltasOf(watch.seen, ids[0] ?? '').join(''))).to.equal(true);
      expect(deltasOf(watch.seen, ids[1] ?? '').join('')).to.equal('This is how it ended.');
    });

    it(`stores nothing of an answer of ${provider} that stalls`, async () => {
      const given = await start(0.5);
      const watch = watcher();
      server.answer({ text: 'This is how it began.', midway: 'stall' });
      const { messages, error } = await given.send('Hello', watch);
      expect(error).to.match(/no answer within 0.5 s/);
      expect(messages).to.deep.equal([]);
      expect(watch.seen.length).to.be.greaterThan(0);
      expect(messagesIn(watch.seen)).to.deep.equal([]);
      expect((await given.stored()).map(({ role }) => role)).to.deep.equal(['user']);
      expect((await given.row()).status).to.equal('idle');
    });
  }
});
