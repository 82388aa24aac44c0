import { expect } from 'chai';
import { modelProviders } from '../../src/adapters/models/models.ts';
import { uuidIds } from '../../src/adapters/system/runtime.ts';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import type { OutboundRequest } from '../../src/application/ports/outbound.ts';
import { toolService } from '../../src/application/tools/tools.ts';
import type { Question } from '../../src/application/turns/conversation.ts';
import type { ReadFile } from '../../src/application/turns/file-reader.ts';
import { turn } from '../../src/application/turns/turn.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { Message } from '../../src/domain/conversation.ts';
import type { Step } from '../../src/domain/event.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { anAgent } from '../support/builders.ts';
import { unlimited } from '../support/journal.ts';
import { quiet } from '../support/log.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { toolWorld } from '../support/tools.ts';

const KEY = 'sk-test-0123456789';

const caller: Caller = {
  userId: 'u',
  workspaceId: 'w',
  email: 'ada@example.com',
  role: 'admin',
  credential: { id: 'r', kind: 'run' },
  door: 'model',
  signedInAt: null,
  scopes: null,
  boundToAgent: null,
};

const tool = (name: string, method: string): JsonObject => ({
  http: { name, method, url: `https://x.example/${name}`, input_schema: { properties: { at: {} } } },
});

const documentSchema = {
  type: 'object',
  properties: { total: { type: 'number' } },
  required: ['total'],
  additionalProperties: false,
};

const message = (role: Message['role'], fields: Partial<Message> = {}): Message => ({
  id: uuidIds.next(),
  role,
  content: '',
  toolCalls: [],
  toolCallId: null,
  attachments: [],
  createdAt: new Date(0),
  authorId: 'u',
  provenance: null,
  ...fields,
});

for (const provider of ['openai', 'anthropic'] as const) {
  describe(`an extraction that uses tools, over the ${provider} wire format`, () => {
    let server: ModelServer;
    before(async () => {
      server = await modelServer(KEY);
    });
    after(() => server.close());

    const running = (over: Partial<Question> = {}, read: readonly ReadFile[] = [], found = '12.5') => {
      const sent: string[] = [];
      const stored: Message[] = [];
      const intended: string[] = [];
      const steps: Omit<Step, 'unit'>[] = [];
      const send = async ({ url }: OutboundRequest) => {
        sent.push(new URL(url).pathname);
        return { status: 200, headers: {}, body: new TextEncoder().encode(found), url };
      };
      const { sources } = toolWorld({ outbound: { send } });
      const clock = { now: () => new Date(0) };
      const models = modelProviders({
        openai: { apiKey: KEY, baseUrl: server.url },
        anthropic: { apiKey: KEY, baseUrl: server.url },
        stepTimeoutSeconds: 5,
        maxAttempts: 1,
        log: quiet,
      });
      const service = turn({
        models,
        ids: uuidIds,
        clock,
        schemas: ajvSchemas(),
        settings: { turnMaxSteps: 5 },
        files: { read: async () => read, mustBeReadable() {} },
        readers: () => ({ userId: 'u', sees: async () => true }),
        tools: toolService({ ...sources, settings: { toolTimeoutSeconds: 5 } }),
      });
      const agent = anAgent({
        model: `${provider}/stub`,
        documentSchema,
        tools: [tool('look', 'GET'), { ...tool('book', 'POST'), untrusted: 'allow' }],
      });
      const question: Question = {
        agent,
        history: [],
        earlier: null,
        begun: new Set(),
        userMessage: 'Read it',
        attachments: [],
        caller,
        mayStartRuns: true,
        purpose: 'run',
        onDelta: null,
        authorId: 'u',
        earlierFacts: [],
        userProvenance: null,
        ...over,
        journal: {
          ...unlimited,
          append: async (messages) => void stored.push(...messages),
          intend: async (calls) => void intended.push(...calls),
          step: (step) => void steps.push(step),
          approvals: null,
          summarise: null,
        },
      };
      return { sent, stored, intended, steps, answer: service.answer(question, new AbortController().signal) };
    };

    const good = '{"document":{"total":12.5},"evidence":[]}';

    it('answers by the schema once its tools have answered', async () => {
      server.answer({ toolCalls: [{ id: 'c1', name: 'look', arguments: {} }] }, { text: good });
      const { answer, sent, stored } = running();
      expect((await answer)?.data).to.deep.equal({ total: 12.5 });
      expect(sent).to.deep.equal(['/look']);
      expect(stored.map(({ role, content }) => [role, content])).to.deep.equal([
        ['user', 'Read it'],
        ['assistant', ''],
        ['tool', '12.5'],
        ['assistant', good],
      ]);
      expect(JSON.stringify(server.asked[0]?.body.tools)).to.include('"look"').and.include('"book"');
    });

    it('knows for each part of a long file which tools it called for the parts before', async () => {
      const nothing = { text: '{"document":{},"evidence":[]}' };
      server.answer(
        { toolCalls: [{ id: 'c1', name: 'look', arguments: { at: 7 } }] },
        { ...nothing, length: true },
        { text: good },
        nothing,
      );
      const pages = [1, 2, 3, 4].map((number) => ({
        number,
        text: `Page ${number}. ${'Nothing stands here. '.repeat(900)}`,
      }));
      const about = { fileName: 'a.pdf', contentType: 'application/pdf', layouts: [], unreadable: null, native: null };
      const attachments = [{ fileKey: 'k', fileName: 'a.pdf', contentType: 'application/pdf' }];
      const { answer, sent, stored } = running({ attachments }, [
        { fileName: 'a.pdf', sha256: null, parts: [{ ...about, pages }] },
      ]);
      const document = await answer;
      expect(document?.data).to.deep.equal({ total: 12.5 });
      expect(document?.coverage).to.include({ pagesRead: 4, complete: true });
      expect(sent).to.deep.equal(['/look']);
      const asked = server.asked.map(({ body }) => JSON.stringify(body.messages));
      expect(asked.map((text) => text.includes('called look'))).to.deep.equal([
        false,
        false,
        true,
        ...asked.slice(3).map(() => true),
      ]);
      expect(stored.filter(({ content }) => content.startsWith('Part of the files')).length).to.be.at.least(2);
    });

    it('cuts answers of tools that are too long, and calls no tool again about parts of the file for that', async () => {
      const calls = Array.from({ length: 30 }, (_, n) => ({ id: `c${n}`, name: 'look', arguments: {} }));
      server.answer({ toolCalls: calls }, { text: good });
      const text = 'Nothing of note stands in this line.\n'.repeat(20);
      const part = { fileName: 'a.txt', contentType: 'text/plain', layouts: [], unreadable: null, native: null };
      const attachments = [{ fileKey: 'k', fileName: 'a.txt', contentType: 'text/plain' }];
      const read = [{ fileName: 'a.txt', sha256: null, parts: [{ ...part, pages: [{ number: null, text }] }] }];
      const { answer, sent, stored } = running({ attachments }, read, 'x'.repeat(50_000));
      expect((await answer)?.data).to.deep.equal({ total: 12.5 });
      expect(sent).to.have.length(30);
      expect(server.asked).to.have.length(2);
      expect(stored.filter(({ content }) => content.startsWith('Part of the files'))).to.deep.equal([]);
      expect(JSON.stringify(server.asked[1]?.body.messages).length).to.be.lessThan(100_000);
    });

    it('may use a tool to repair its answer', async () => {
      server.answer(
        { text: '{"document":{"total":"much"},"evidence":[]}' },
        { toolCalls: [{ id: 'c1', name: 'look', arguments: {} }] },
        { text: good },
      );
      const { answer, sent } = running();
      expect((await answer)?.data).to.deep.equal({ total: 12.5 });
      expect(sent).to.deep.equal(['/look']);
    });

    it('goes on after a crash: what was begun is told as unknown, what was not is done, what only reads is asked', async () => {
      server.answer({ text: good });
      const calls = ['book', 'look', 'book'].map((name, n) => ({ id: `c${n}`, name, arguments: {} }));
      const history = [message('user', { content: 'Read it' }), message('assistant', { toolCalls: calls })];
      const { answer, sent, stored, intended } = running({ history, begun: new Set(['c0']) });
      expect((await answer)?.data).to.deep.equal({ total: 12.5 });
      expect(sent.toSorted()).to.deep.equal(['/book', '/look']);
      expect(intended).to.deep.equal(['c2']);
      expect(stored[0]).to.include({ toolCallId: 'c0' });
      expect(stored[0]?.content).to.match(/^Error: .*not known whether/);
      expect(stored.map(({ role }) => role)).to.deep.equal(['tool', 'tool', 'tool', 'assistant']);
    });

    it('writes nothing by its tools where it reads files, also several together', async () => {
      server.answer({ toolCalls: [{ id: 'c1', name: 'book', arguments: {} }] }, { text: good });
      const attachments = ['a.txt', 'b.txt'].map((fileName) => ({
        fileKey: fileName,
        fileName,
        contentType: 'text/plain',
      }));
      const agent = anAgent({ model: `${provider}/stub`, documentSchema, tools: [tool('book', 'POST')] });
      const { answer, sent, stored, intended } = running({ agent, attachments });
      expect((await answer)?.data).to.deep.equal({ total: 12.5 });
      expect({ sent, intended }).to.deep.equal({ sent: [], intended: [] });
      expect(stored[2]?.content).to.match(/^Error: Not run: .*holds content that its user did not write/);
    });

    it('notes what it does with names and figures, and nothing of what it reads', async () => {
      server.answer({ toolCalls: [{ id: 'c1', name: 'look', arguments: {} }] }, { text: '{}' }, { text: good });
      const { answer, steps } = running();
      await answer;
      const model = `${provider}/stub`;
      expect(steps.map(({ type, name, error }) => [type, name, error])).to.deep.equal([
        ['unit.model_called', model, null],
        ['unit.tool_called', 'look', null],
        ['unit.model_called', model, null],
        ['unit.retried', 'invalid_output', null],
        ['unit.model_called', model, null],
      ]);
      for (const { type, durationMs, usage } of steps) {
        if (type !== 'unit.retried') expect(durationMs).to.be.a('number').that.is.at.least(0);
        expect(usage !== null, type).to.equal(type === 'unit.model_called');
      }
      expect(JSON.stringify(steps)).to.not.include('12.5');
    });

    it('has no tools where the user who started it is gone', async () => {
      server.answer({ toolCalls: [{ id: 'c1', name: 'look', arguments: {} }] }, { text: good });
      const { answer, sent, stored } = running({ caller: null });
      expect((await answer)?.data).to.deep.equal({ total: 12.5 });
      expect(sent).to.deep.equal([]);
      expect(stored[2]?.content).to.equal('Error: There is no tool look. There are none.');
    });
  });
}
