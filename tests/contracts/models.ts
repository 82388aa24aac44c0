import { expect } from 'chai';
import {
  type Draft,
  ModelError,
  type ModelMessage,
  type Models,
  type StepRequest,
  type ToolSpec,
} from '../../src/application/ports/models.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import type { Reply } from '../support/model-server.ts';

export interface ModelsUnderTest {
  readonly models: Models;
  /** A model that can be used. */
  readonly model: string;
  /** Makes the model give this answer; the messages that do so. A model that cannot be told (offline) is asked by its messages alone. */
  prepare(reply: Reply): readonly ModelMessage[];
}

const invoice: ModelMessage = {
  role: 'user',
  content: [
    {
      type: 'document',
      fileName: 'a.txt',
      pages: [{ number: null, text: 'Invoice number: A-1\nTotal: 12.50' }],
      unreadable: null,
    },
  ],
};

const documentSchema = {
  type: 'object',
  properties: { invoice_number: { type: ['string', 'null'] }, total: { type: ['number', 'null'] } },
  required: ['invoice_number', 'total'],
  additionalProperties: false,
};

export const tools: readonly ToolSpec[] = [
  {
    name: 'add',
    description: 'Adds two numbers.',
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  },
  { name: 'now', description: 'The time.', inputSchema: { type: 'object', properties: {} } },
];

export const says = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });

export const request = (model: string, fields: Partial<StepRequest> = {}): StepRequest => ({
  model,
  instructions: 'Be brief.',
  fence: 'f00d',
  messages: [says('Hello')],
  tools: [],
  outputSchema: null,
  ...fields,
});

/** The error that a step rejects with. */
export const error = (step: Promise<unknown>): Promise<ModelError> =>
  step.then(
    () => expect.fail('the step should have failed'),
    (error: unknown) => {
      if (!(error instanceof ModelError)) throw error;
      return error;
    },
  );

export const rejection = (step: Promise<unknown>): Promise<unknown> =>
  step.then(
    () => expect.fail('the step should have failed'),
    (error: unknown) => error,
  );

/** A draft that keeps what each attempt wrote. */
export const keptDraft = (): Draft & { readonly attempts: readonly (readonly string[])[] } => {
  const attempts: string[][] = [];
  return { attempts, begin: () => void attempts.push([]), write: (text) => void attempts.at(-1)?.push(text) };
};

/** These models, asked for each step with a draft if there is none, which must end as the text of the step. */
export const drafting = (models: Models): Models => ({
  ...models,
  async step(request, signal, given = null, onRetry = undefined) {
    if (given !== null) return models.step(request, signal, given, onRetry);
    const draft = keptDraft();
    const step = await models.step(request, signal, draft, onRetry);
    expect(draft.attempts.at(-1)?.join('')).to.equal(step.text);
    return step;
  },
});

/** Every Models passes this, with drafts and without, or it is not one. */
export const modelsContract = (make: () => Promise<ModelsUnderTest>) => {
  describe('Models', () => contract(make));
  describe('Models that write a draft', () =>
    contract(async () => {
      const under = await make();
      return { ...under, models: drafting(under.models) };
    }));
};

const contract = (make: () => Promise<ModelsUnderTest>) => {
  let under: ModelsUnderTest;
  before(async () => {
    under = await make();
  });

  it('answers in words, and counts what that cost', async () => {
    const { models, model, prepare } = under;
    const step = await models.step(request(model, { messages: prepare({ text: 'Hello.' }) }));
    expect(step.text).to.be.a('string').that.is.not.empty;
    expect(step).to.deep.include({ toolCalls: [], finish: 'stop' });
    expect(step.usage.inputTokens).to.be.greaterThan(0);
    expect(step.usage.outputTokens).to.be.greaterThan(0);
  });

  it('calls several tools at once, and goes on from their results', async () => {
    const { models, model, prepare } = under;
    const calls = [
      { id: 'call_1', name: 'add', arguments: { a: 1, b: 2 } },
      { id: 'call_2', name: 'now', arguments: {} },
    ];
    const asked = prepare({ toolCalls: calls });
    const step = await models.step(request(model, { messages: asked, tools }));
    expect(step.finish).to.equal('tool_calls');
    expect(step.toolCalls).to.deep.equal(calls.map((call) => ({ ...call, invalid: null })));
    prepare({ text: 'It is 3.' });
    const results: ModelMessage[] = [
      { role: 'assistant', text: step.text, toolCalls: step.toolCalls },
      { role: 'tool', toolCallId: 'call_1', toolName: 'add', text: '{"sum":3}', isError: false },
      { role: 'tool', toolCallId: 'call_2', toolName: 'now', text: 'the clock is broken', isError: true },
    ];
    const next = await models.step(request(model, { messages: [...asked, ...results], tools }));
    expect(next).to.deep.include({ toolCalls: [], finish: 'stop' });
    expect(next.text).to.contain('3');
  });

  it('keeps every digit of a number in arguments', async () => {
    const { models, model, prepare } = under;
    const [a, b] = [jsonNumber('9007199254740993'), jsonNumber('-123456789012345678.90123456789')];
    const calls = [
      { id: 'call_1', name: 'add', arguments: { a, b } },
      { id: 'call_2', name: 'add', arguments: { a: b, b: 1 } },
    ];
    const step = await models.step(request(model, { messages: prepare({ toolCalls: calls }), tools }));
    expect(step.toolCalls).to.deep.equal(calls.map((call) => ({ ...call, invalid: null })));
  });

  it('answers JSON where a schema asks for it', async () => {
    const { models, model, prepare } = under;
    prepare({ text: '{"invoice_number":"A-1","total":12.5}' });
    const step = await models.step(request(model, { messages: [invoice], outputSchema: documentSchema }));
    expect(JSON.parse(step.text)).to.deep.equal({ invoice_number: 'A-1', total: 12.5 });
    expect(step).to.deep.include({ toolCalls: [], finish: 'stop' });
  });

  it('rejects with the reason of a signal that is aborted already', async () => {
    const reason = new Error('the run was cancelled');
    expect(await rejection(under.models.step(request(under.model), AbortSignal.abort(reason)))).to.equal(reason);
  });

  it('says what each model takes', () => {
    const traits = under.models.traits(under.model);
    expect(traits.images).to.be.a('boolean');
    expect(traits.pdf).to.be.a('boolean');
    expect(traits.contextTokens).to.be.greaterThan(1000);
  });

  it('says why a model cannot be used, and refuses to use it', async () => {
    const { models, model } = under;
    expect(models.defect(model)).to.equal(null);
    for (const wrong of ['', 'gpt-5', 'acme/gpt-5', 'openai/', 'anthropic/ ', 'Offline']) {
      expect(models.defect(wrong), wrong).to.match(/offline, openai\/<model> or anthropic\/<model>/);
      expect((await error(models.step(request(wrong)))).code).to.equal('model_not_configured');
    }
  });
};
