import { expect } from 'chai';
import { offlineStep, offlineTraits } from '../../src/adapters/models/offline/offline.ts';
import { ajvSchemas } from '../../src/adapters/validation/schemas.ts';
import { ModelError, type Models, type Step, type StepRequest } from '../../src/application/ports/models.ts';
import type { FilePart, TextExtractor } from '../../src/application/ports/text.ts';
import type { ToolService } from '../../src/application/tools/tools.ts';
import type { Question } from '../../src/application/turns/conversation.ts';
import { extractionSchema } from '../../src/application/turns/extraction-schemas.ts';
import { fileReader } from '../../src/application/turns/file-reader.ts';
import { turn } from '../../src/application/turns/turn.ts';
import { UnitFailure } from '../../src/application/turns/unit-failure.ts';
import type { Agent } from '../../src/domain/agent.ts';
import type { Message } from '../../src/domain/conversation.ts';
import { usualPolicy } from '../../src/domain/review.ts';
import type { Usage } from '../../src/domain/run.ts';
import { unlimited } from '../support/journal.ts';

const agent = (fields: Partial<Agent> = {}): Agent => ({
  id: 'a',
  workspaceId: 'w',
  name: 'Reader',
  description: '',
  version: 1,
  workflowType: 'document_extraction',
  model: 'offline',
  instructions: 'Read invoices.',
  systemOfRecord: null,
  process: 'manual',
  tools: [],
  review: usualPolicy,
  checks: [],
  duplicateKey: [],
  requiredValues: null,
  einvoice: null,
  listColumns: [],
  split: null,
  parts: [],
  visibleTo: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  documentSchema: {
    type: 'object',
    properties: { total: { type: 'number' } },
    required: ['total'],
    additionalProperties: false,
  },
  ...fields,
});

const step = (text: string, fields: Partial<Step> = {}): Step => ({
  text,
  toolCalls: [],
  finish: 'stop',
  usage: { inputTokens: 3, outputTokens: 2 },
  ...fields,
});

/** A model that answers from a script and remembers what it was asked. */
const scripted = (...answers: (Step | Error)[]) => {
  const asked: StepRequest[] = [];
  const models: Models = {
    traits: () => ({ images: false, pdf: false, contextTokens: 1000, outputTokens: 100 }),
    defect: () => null,
    step: async (request) => {
      asked.push(request);
      const answer = answers.shift() ?? new Error('asked once too often');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { models, asked };
};

const part = (text: string, fields: Partial<FilePart> = {}): FilePart => ({
  fileName: 'a.txt',
  contentType: 'text/plain',
  data: new Uint8Array([1]),
  pages: [{ number: 1, text }],
  layouts: [],
  unreadable: null,
  ...fields,
});

const schemas = ajvSchemas();

const noTools: Pick<ToolService, 'toolsOf' | 'refusal' | 'input' | 'rehearsal' | 'execute'> = {
  toolsOf: async () => ({ tools: [], reports: [] }),
  refusal: async () => null,
  input: async () => ({}),
  rehearsal: async () => null,
  execute: () => Promise.reject(new Error('there are no tools')),
};

const answering = (
  script: ReturnType<typeof scripted>,
  parts: readonly FilePart[] = [part('Total due:   12.50 EUR')],
) => {
  const stored: Message[] = [];
  const steps: object[] = [];
  const usage = { inputTokens: 0, outputTokens: 0 };
  const sources = { read: async () => ({ data: new Uint8Array([1]), sha256: 'digest' }) };
  const text: TextExtractor = {
    async extract({ sharer }) {
      expect(sharer?.workspaceId).to.equal('w');
      return parts;
    },
  };
  let ids = 0;
  const service = turn({
    models: script.models,
    files: fileReader({ sources, text, keptPages: { remember: async () => {} } }),
    schemas,
    tools: noTools,
    readers: () => ({ userId: 'u', sees: async () => true }),
    settings: { turnMaxSteps: 20 },
    ids: { next: () => `id-${++ids}`, traceId: () => '', nonce: () => 'f00d' },
    clock: { now: () => new Date(0) },
  });
  const ask = (fields: Partial<Question> = {}, signal = new AbortController().signal) =>
    service.answer(
      {
        agent: agent(),
        history: [],
        userMessage: 'hello',
        attachments: [{ fileKey: 'k', fileName: 'a.txt', contentType: 'text/plain' }],
        authorId: 'u',
        earlierFacts: [],
        userProvenance: null,
        earlier: null,
        begun: new Set<string>(),
        caller: null,
        mayStartRuns: true,
        purpose: 'run' as const,
        onDelta: null,
        journal: {
          ...unlimited,
          append: async (messages: readonly Message[], spent: Usage) => {
            stored.push(...messages);
            usage.inputTokens += spent.inputTokens;
            usage.outputTokens += spent.outputTokens;
          },
          step: (step: object) => void steps.push({ ...step, stored: stored.length }),
          intend: async () => {},
          approvals: null,
          summarise: null,
        },
        ...fields,
      },
      signal,
    );
  return { ask, stored, usage, steps };
};

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => {
      expect(error).to.be.instanceOf(UnitFailure);
      return error as UnitFailure;
    },
  );

const good =
  '{"document":{"total":12.5},"evidence":[{"pointer":"/total","quote":"Total due: 12.50 EUR","file_name":"a.txt","page":1}]}';

describe('the agent turn', () => {
  it('answers a document with the evidence that really stands in the file', async () => {
    const script = scripted(step(good));
    const { ask, stored, usage, steps } = answering(script);
    const document = await ask();
    expect(document?.data).to.deep.equal({ total: 12.5 });
    const place = {
      quote: 'Total due: 12.50 EUR',
      fileName: 'a.txt',
      page: 1,
      boxes: [],
      approximate: false,
      xpath: null,
    };
    expect(document?.evidence).to.deep.equal({
      '/total': { ...place, support: 'normalized', source: 'text', confidence: null },
    });
    expect(stored.map(({ role, content }) => [role, content])).to.deep.equal([
      ['user', 'hello'],
      ['assistant', good],
    ]);
    expect(usage).to.deep.equal({ inputTokens: 3, outputTokens: 2 });
    expect(steps.map((each) => ({ ...each, durationMs: 0 }))).to.deep.equal([
      { type: 'unit.file_read', name: 'a.txt', durationMs: 0, usage: null, error: null, stored: 0 },
      { type: 'unit.model_called', name: 'offline', durationMs: 0, usage, error: null, stored: 1 },
    ]);
    expect(script.asked[0]?.messages[0]).to.have.deep.nested.property('content[1]', {
      type: 'document',
      fileName: 'a.txt',
      pages: [{ number: 1, text: 'Total due:   12.50 EUR' }],
      unreadable: null,
    });
  });

  it('drops evidence that was made up, points nowhere or at something that is no leaf', async () => {
    const claims = [
      { pointer: '/total', quote: 'Total due: 99.00 EUR', file_name: 'a.txt', page: 1 },
      { pointer: '/missing', quote: 'Total due', file_name: 'a.txt', page: 1 },
      { pointer: '', quote: 'Total due', file_name: 'a.txt', page: 1 },
      { pointer: 7, quote: 'Total due' },
      null,
    ];
    const { ask } = answering(scripted(step(JSON.stringify({ document: { total: 1 }, evidence: claims }))));
    expect((await ask())?.evidence).to.deep.equal({});
  });

  it('puts evidence where the quote stands when the model names the wrong page', async () => {
    const pages = [
      { number: 1, text: 'Page one' },
      { number: 2, text: 'Total due: 12.50 EUR' },
    ];
    const { ask } = answering(scripted(step(good)), [part('', { pages })]);
    expect((await ask())?.evidence['/total']?.page).to.equal(2);
  });

  it('shows where a quote stands on its page, and whether OCR read it', async () => {
    const word = (text: string, x: number, confidence: number) => ({
      text,
      x,
      y: 0.5,
      width: 0.1,
      height: 0.02,
      confidence,
    });
    const words = [word('Total', 0.1, 0.9), word('due:', 0.2, 0.8), word('12.50', 0.3, 0.95), word('EUR', 0.4, 0.99)];
    const layouts = [{ number: 1, width: 595, height: 842, source: 'ocr' as const, words }];
    const { ask } = answering(scripted(step(good)), [part('Total due: 12.50 EUR', { layouts })]);
    expect((await ask())?.evidence['/total']).to.deep.include({
      boxes: [{ page: 1, x: 0.1, y: 0.5, width: 0.4, height: 0.02 }],
      approximate: false,
      support: 'normalized',
      source: 'ocr',
      confidence: 0.95,
    });
  });

  it('reads a table of 5,000 rows over 120 of 300 pages whole with the offline model', async () => {
    const row = (n: number) =>
      `${n}   Article no ${n} blue   ${(n % 7) + 1}   ${n}.50   ${(((n % 7) + 1) * (n * 10 + 5)) / 10}0`;
    const text = (page: number) => {
      if (page < 100 || page >= 220) return `Page of prose ${page}. ${'Nothing of note stands here. '.repeat(40)}`;
      const rows = Array.from({ length: 42 }, (_, at) => (page - 100) * 42 + at + 1).filter((n) => n <= 5000);
      return [
        page % 2 === 0 ? 'Pos   Description   Quantity   Unit price   Amount' : `Page ${page}`,
        ...rows.map(row),
      ].join('\n');
    };
    const pages = Array.from({ length: 300 }, (_, at) => ({ number: at + 1, text: text(at) }));
    const number = { type: 'number' };
    const item = {
      type: 'object',
      properties: {
        position: number,
        description: { type: 'string' },
        quantity: number,
        unit_price: number,
        amount: number,
      },
    };
    const documentSchema = { type: 'object', properties: { lines: { type: 'array', items: item } } };
    const models: Models = { traits: () => offlineTraits, defect: () => null, step: offlineStep };
    const document = await answering({ models, asked: [] }, [part('', { pages })]).ask({
      agent: agent({ documentSchema }),
    });
    const lines = document?.data.lines as readonly { description: string; unit_price: number }[];
    expect(lines).to.have.length(5000);
    for (const [index, line] of lines.entries())
      expect(line).to.deep.include({ description: `Article no ${index + 1} blue`, unit_price: index + 1.5 });
    expect(
      Object.values(document?.evidence ?? {}).every(({ support }) => support === 'exact' || support === 'normalized'),
    ).to.equal(true);
    expect(document?.coverage).to.include({ pagesRead: 300, pagesTotal: 300, complete: true });
  });

  describe('says how much of the files was read', () => {
    const coverageFor = async (parts: readonly FilePart[]) =>
      (await answering(scripted(step(good)), parts).ask())?.coverage;
    const pages = (...texts: readonly string[]) => texts.map((text, index) => ({ number: index + 1, text }));
    const whole = { complete: true, unread: [], doubts: [] };

    it('all of it', async () => {
      const expected = { pagesRead: 2, pagesTotal: 2, charactersRead: 9, charactersTotal: 9, ...whole };
      expect(await coverageFor([part('', { pages: pages('12345', '6789') })])).to.deep.equal(expected);
      const withoutPages = { pagesRead: 0, pagesTotal: 0, charactersRead: 5, charactersTotal: 5, ...whole };
      expect(await coverageFor([part('', { pages: [{ number: null, text: '12345' }] })])).to.deep.equal(withoutPages);
    });

    it('what is beyond the last of a thousand windows', async () => {
      const script = scripted();
      const models: Models = { ...script.models, step: async () => step('{"document":{"total":12.5},"evidence":[]}') };
      const many = Array.from({ length: 1010 }, () => 'a'.repeat(700));
      const document = await answering({ ...script, models }, [part('', { pages: pages(...many) })]).ask();
      expect(document?.data).to.deep.equal({ total: 12.5 });
      const expected = {
        pagesRead: 1000,
        pagesTotal: 1010,
        charactersRead: 700_000,
        charactersTotal: 707_000,
        complete: false,
      };
      expect(document?.coverage).to.deep.include(expected);
      expect(document?.coverage.unread).to.have.length(10);
      expect(document?.coverage.unread[0]).to.deep.equal({
        fileName: 'a.txt',
        page: 1001,
        what: '700 characters that the model was not shown',
      });
    });

    it('what a single line too long for the model cuts off', async () => {
      const text = 'b'.repeat(395);
      const tooLong = new ModelError('model_input_too_long', 'It does not fit.');
      const script = scripted(tooLong, tooLong, step(good));
      const document = await answering(script, [part('', { pages: pages(text) })]).ask({
        userMessage: 'Read it. '.repeat(20),
      });
      expect(document?.coverage).to.include({ pagesRead: 0, pagesTotal: 1, charactersTotal: 395, complete: false });
      expect(document?.coverage.charactersRead).to.be.within(1, 394);
    });

    it('what the reader left out, and what nothing could read', async () => {
      const text = 'Total due: 12.50 EUR\n[The text ends here]';
      const cut = part('', { pages: [{ number: 1, text, unread: { pages: 4, characters: 100 } }] });
      const expected = { pagesRead: 0, pagesTotal: 4, charactersRead: 20, charactersTotal: 120, complete: false };
      const unread = [{ fileName: 'a.txt', page: 1, what: 'The text ends here' }];
      expect(await coverageFor([cut])).to.deep.equal({ ...expected, unread, doubts: [] });
      const broken = part('', { fileName: 'b.pdf', within: 'mail.eml', pages: [], unreadable: 'is damaged' });
      expect(await coverageFor([part('12'), broken])).to.deep.include({
        pagesRead: 1,
        pagesTotal: 1,
        complete: false,
        unread: [{ fileName: 'mail.eml › b.pdf', page: null, what: 'all of it: it is damaged' }],
      });
    });

    it('what the reader says that it did not read, a hundred at most, and what else a person should know of a file', async () => {
      const lacks = (page: number | null, what: string) => ({ kind: 'unread', page, what }) as const;
      const notes = Array.from({ length: 101 }, (_, index) => lacks(index + 1, 'a stamp'));
      const coverage = await coverageFor([
        part('12', {
          notes: [
            ...notes,
            { kind: 'hidden', page: null, what: '1 hidden sheet' },
            { kind: 'encoding', page: null, what: 'may be windows-1250' },
          ],
        }),
      ]);
      expect(coverage).to.deep.include({ pagesRead: 1, pagesTotal: 1, complete: false });
      expect(coverage?.unread).to.have.length(101);
      expect(coverage?.unread.slice(-2)).to.deep.equal([
        { fileName: 'a.txt', page: 100, what: 'a stamp' },
        { fileName: null, page: null, what: 'and 1 more' },
      ]);
      expect(coverage?.doubts).to.deep.equal([
        { code: 'hidden_text', message: 'a.txt has 1 hidden sheet: that was not read.' },
        { code: 'encoding_uncertain', message: 'a.txt may be windows-1250.' },
      ]);
    });
  });

  it('asks the model once for evidence that supports its value, and takes what mends it', async () => {
    const wrong = good.replace('"total":12.5', '"total":12.6');
    const script = scripted(step(wrong), step(good));
    const { ask, stored, steps } = answering(script);
    const document = await ask();
    expect(document?.data).to.deep.equal({ total: 12.5 });
    expect(document?.evidence['/total']).to.include({ support: 'normalized' });
    expect(stored[2]?.content).to.contain('/total is 12.6').and.to.contain('Total due: 12.50 EUR');
    expect(steps).to.deep.include({
      type: 'unit.retried',
      name: 'unsupported_evidence',
      durationMs: null,
      usage: null,
      error: null,
      stored: 2,
    });
  });

  it('says that a quote does not support its value if the model does not mend it', async () => {
    const wrong = good.replace('"total":12.5', '"total":12.6');
    const { ask } = answering(scripted(step(wrong), step(wrong)));
    expect((await ask())?.evidence['/total']).to.include({ support: 'none', quote: 'Total due: 12.50 EUR' });
  });

  it('keeps an answer that fits the schema when what follows it does not, or never comes', async () => {
    const wrong = good.replace('"total":12.5', '"total":12.6');
    for (const next of [
      step('no json'),
      new ModelError('model_error', 'It is down.'),
      step(wrong, { finish: 'length' }),
    ]) {
      const { ask } = answering(scripted(step(wrong), next));
      const document = await ask();
      expect(document?.data).to.deep.equal({ total: 12.6 });
      expect(document?.evidence['/total']).to.include({ support: 'none' });
    }
  });

  it('counts no answer of an earlier turn, and none once it is to stop', async () => {
    const script = scripted(step(good), new ModelError('model_error', 'It is down.'));
    const { ask, stored } = answering(script);
    await ask();
    const next: Message = { ...(stored[0] as Message), id: 'next', content: 'again', attachments: [] };
    expect(await failure(ask({ history: [...stored, next] }))).to.include({ code: 'model_error' });
    const stopped = new AbortController();
    const reason = new UnitFailure('document_trashed', 'It was moved to trash.');
    const wrong = scripted(step(good.replace('"total":12.5', '"total":12.6')));
    const stopping: Models = {
      ...wrong.models,
      step: (request) => {
        if (wrong.asked.length > 0) stopped.abort(reason);
        return wrong.asked.length > 0 ? Promise.reject(reason) : wrong.models.step(request);
      },
    };
    const trashed = answering({ ...wrong, models: stopping });
    expect(await failure(trashed.ask({}, stopped.signal))).to.equal(reason);
  });

  it('lets the model repair an answer once, naming every error', async () => {
    const script = scripted(step('{"document":{"total":"much"},"evidence":[]}'), step(good));
    const { ask, stored, usage } = answering(script);
    expect((await ask())?.data).to.deep.equal({ total: 12.5 });
    expect(stored.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'user', 'assistant']);
    expect(stored[2]?.content).to.match(/total.*number/);
    expect(usage.inputTokens).to.equal(6);
  });

  it('fails when the repaired answer does not fit either', async () => {
    const { ask } = answering(scripted(step('no json'), step('{"document":{},"evidence":[]}')));
    expect(await failure(ask())).to.include({ code: 'invalid_output' });
  });

  it('goes on from the last stored message without asking again', async () => {
    const message = (role: Message['role'], content: string): Message => ({
      id: role,
      role,
      content,
      toolCalls: [],
      toolCallId: null,
      createdAt: new Date(0),
      authorId: 'u',
      provenance: null,
      attachments: role === 'user' ? [{ fileKey: 'k', fileName: 'a.txt', contentType: 'text/plain' }] : [],
    });
    const script = scripted();
    const { ask, stored } = answering(script);
    expect((await ask({ history: [message('user', 'hello'), message('assistant', good)] }))?.data).to.deep.equal({
      total: 12.5,
    });
    expect(stored).to.deep.equal([]);
    expect(script.asked).to.deep.equal([]);
  });

  it('has the steps that are left when it goes on behind a correction', async () => {
    const stored = (role: Message['role'], fields: Partial<Message> = {}): Message => ({
      id: role,
      role,
      content: '',
      toolCalls: [],
      toolCallId: null,
      createdAt: new Date(0),
      authorId: 'u',
      provenance: null,
      attachments: [],
      ...fields,
    });
    const looked = Array.from({ length: 18 }, (_value, n) => [
      stored('assistant', { toolCalls: [{ id: `c${n}`, name: 'look', arguments: {} }] }),
      stored('tool', { toolCallId: `c${n}`, content: 'nothing' }),
    ]);
    const corrected = [
      stored('assistant', { content: 'no json' }),
      stored('user', { content: 'Answer again.', provenance: { own: true, system: null } }),
    ];
    const script = scripted(step('', { toolCalls: [{ id: 'last', name: 'look', arguments: {}, invalid: null }] }));
    const { ask, stored: added } = answering(script);
    const history = [stored('user', { content: 'hello' }), ...looked.flat(), ...corrected];
    expect(await failure(ask({ history }))).to.include({ code: 'too_many_steps' });
    expect(script.asked).to.have.length(1);
    expect(added.at(-1)?.content).to.contain('has used all its steps');
  });

  it('does not ask a model about files of which nothing can be read', async () => {
    const { ask } = answering(scripted(), [part('', { pages: [], unreadable: 'is damaged: it ends too early' })]);
    expect((await failure(ask())).message).to.equal('a.txt is damaged: it ends too early.');
  });

  it('says why the model gave no answer', async () => {
    const { ask } = answering(scripted(new ModelError('model_refused', 'The model refused.')));
    expect(await failure(ask())).to.include({ code: 'model_refused', message: 'The model refused.' });
  });

  it('takes an answer cut off by its length for no answer', async () => {
    const { ask } = answering(scripted(step('{"docum', { finish: 'length' })));
    expect((await failure(ask())).code).to.equal('model_error');
  });

  it('takes silence for no answer, unless calls of tools came before it', async () => {
    const assistant = { agent: agent({ workflowType: 'assistant', documentSchema: null }), attachments: [] };
    const silent = answering(scripted(step(' \n')));
    expect(await failure(silent.ask(assistant))).to.include({
      code: 'model_error',
      message: 'The model answered nothing.',
    });
    expect(silent.stored.map(({ role }) => role)).to.deep.equal(['user']);
    expect(silent.usage).to.deep.equal({ inputTokens: 3, outputTokens: 2 });
    const call = { id: 'c', name: 'enter', arguments: {}, invalid: null };
    const { ask, stored } = answering(scripted(step('', { toolCalls: [call], finish: 'tool_calls' }), step('')));
    await ask(assistant);
    expect(stored.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'tool', 'assistant']);
  });

  it('asks about less if the model runs out of time, and gives up once that does not help', async () => {
    const late = new ModelError('model_timeout', 'The model gave no answer within 120 s.');
    const text = [
      'Total due: 12.50 EUR',
      ...Array.from({ length: 60 }, (_, line) => `Line ${line} says nothing of note to anybody.`),
    ].join('\n');
    const empty = step('{"document":{},"evidence":[]}');
    const slow = scripted(late, late, step(good), ...Array.from({ length: 20 }, () => empty));
    const wide = (script: ReturnType<typeof scripted>) => {
      const traits = () => ({ images: false, pdf: false, contextTokens: 4000, outputTokens: 100 });
      return answering({ ...script, models: { ...script.models, traits } }, [part(text)]);
    };
    const { ask, steps } = wide(slow);
    expect(await ask()).to.deep.include({ data: { total: 12.5 } });
    expect(steps.filter((each) => 'name' in each && each.name === 'model_timeout')).to.have.length(2);
    const never = scripted(late, late, late);
    expect(await failure(wide(never).ask())).to.include({ code: 'model_timeout', message: late.message });
  });

  it('stores text that PostgreSQL and JSON can keep', async () => {
    const { ask, stored } = answering(scripted(step(good)));
    await ask({ userMessage: 'a\0b\ud800' });
    expect(stored[0]?.content).to.equal('a\ufffdb\ufffd');
  });

  it('answers no document for an assistant', async () => {
    const { ask, stored } = answering(scripted(step('Good morning.')));
    expect(await ask({ agent: agent({ workflowType: 'assistant', documentSchema: null }), attachments: [] })).to.equal(
      null,
    );
    expect(stored[1]?.content).to.equal('Good morning.');
  });

  it('asks about text that outgrows the window of the model in several windows', async () => {
    const text = `Total due: 12.50 EUR\n${'x'.repeat(5000)}`;
    const script = scripted(step(good), ...Array.from({ length: 20 }, () => step('{"document":{},"evidence":[]}')));
    const { ask, stored } = answering(script, [part(text)]);
    const document = await ask();
    expect(document?.data).to.deep.equal({ total: 12.5 });
    const shown = script.asked.map(({ messages: [first] }) => {
      const [document] = first?.role === 'user' ? first.content.filter((each) => each.type === 'document') : [];
      return document?.pages.map((page) => page.text).join('') ?? '';
    });
    expect(shown.join('')).to.equal(text);
    expect(Math.max(...shown.map(({ length }) => length))).to.be.lessThan(1000);
    expect(stored.filter(({ role }) => role === 'assistant')).to.have.length(shown.length);
    expect(document?.coverage).to.include({ pagesRead: 1, complete: true });
  });
});

describe('the schema of an extraction', () => {
  it('keeps every reference pointing at what it meant', () => {
    const node = {
      type: 'object',
      properties: { child: { $ref: '#' }, total: { $ref: '#/$defs/money' }, same: { $ref: '#/properties/total' } },
    };
    const schema = extractionSchema({ ...node, $defs: { money: { type: 'number' }, list: { items: { $ref: '#' } } } });
    const value = { document: { child: { total: 1 }, total: 2, same: 3 }, evidence: [] };
    expect(schemas.errors(schema, value)).to.deep.equal([]);
    expect(schemas.errors(schema, { ...value, document: { child: { total: 'x' } } })).to.have.length(1);
    expect(schemas.errors(schema, { ...value, document: { same: 'x' } })).to.have.length(1);
  });
});
