import { expect } from 'chai';
import fc from 'fast-check';
import { offlineStep, offlineTraits } from '../../src/adapters/models/offline/offline.ts';
import type { Reservation, StepBound } from '../../src/application/ports/budgets.ts';
import { type ModelContent, ModelError, type Step, type StepRequest } from '../../src/application/ports/models.ts';
import { reservedStep } from '../../src/application/turns/reserved-step.ts';
import { stepBound } from '../../src/application/turns/step-bound.ts';
import { UnitFailure } from '../../src/application/turns/unit-failure.ts';
import type { SpentBudget } from '../../src/domain/budget.ts';

const request = (content: readonly ModelContent[] = [], over: Partial<StepRequest> = {}): StepRequest => ({
  model: 'openai/some',
  instructions: 'Read.',
  fence: 'x',
  tools: [],
  outputSchema: null,
  messages: [{ role: 'user', content }],
  ...over,
});
const traits = { images: true, pdf: true, contextTokens: 1000, outputTokens: 300 };
const step: Step = { text: '', toolCalls: [], finish: 'stop', usage: { inputTokens: 1, outputTokens: 1 } };
const budget: SpentBudget = {
  name: 'All',
  agent: null,
  period: 'day',
  limit: '1.00',
  currency: 'EUR',
  seconds: 60,
};

describe('a step of a model that a budget limits', () => {
  const world = (outcomes: readonly Reservation[], isLimited = true) => {
    const left = [...outcomes];
    const bounds: StepBound[] = [];
    let freed = 0;
    const ended = new AbortController();
    const terms = {
      journal: {
        append: async () => {
          freed += 1;
        },
        isLimited: () => isLimited,
        reserve: async (bound: StepBound) => {
          bounds.push(bound);
          return left.shift() ?? ({ outcome: 'full' } as const);
        },
      },
      models: { traits: () => traits },
      pagesOcr: 3,
      signal: ended.signal,
    };
    const ask = (answer: () => Promise<Step>) =>
      reservedStep(request([{ type: 'text', text: 'Hello' }]), answer, terms);
    return { ask, bounds, ended, freed: () => freed };
  };
  const failure = (work: Promise<unknown>) => work.catch((error: unknown) => error);

  it('is reserved with all that it may take, pages that OCR has read among it, and asked once', async () => {
    const { ask, bounds, freed } = world([{ outcome: 'full' }, { outcome: 'reserved' }]);
    expect(await ask(async () => step)).to.equal(step);
    expect(bounds).to.have.length(2);
    expect(bounds[1]).to.deep.include({ outputTokens: 300, pagesOcr: 3 });
    expect(freed()).to.equal(0);
  });

  it('is asked at once where nothing limits it', async () => {
    const { ask, bounds } = world([], false);
    expect(await ask(async () => step)).to.equal(step);
    expect(bounds).to.deep.equal([]);
  });

  it('is not asked once the budget is spent, and the unit fails with that code', async () => {
    const { ask } = world([{ outcome: 'spent', budget }]);
    const error = await failure(ask(() => Promise.reject(new Error('it was asked'))));
    expect(error).to.be.instanceOf(UnitFailure).and.include({ code: 'budget_exhausted' });
    expect(String(error)).to.match(/The budget All, 1\.00 EUR for this day, is spent\./);
  });

  it('sets free what was reserved where the model gave no answer, and not where it was cut off', async () => {
    const refused = world([{ outcome: 'reserved' }]);
    const error = new ModelError('model_error', 'No.');
    expect(await failure(refused.ask(() => Promise.reject(error)))).to.equal(error);
    expect(refused.freed()).to.equal(1);
    const cut = world([{ outcome: 'reserved' }]);
    const stopping = new Error('stopping');
    expect(await failure(cut.ask(() => Promise.reject(stopping)))).to.equal(stopping);
    expect(cut.freed()).to.equal(0);
  });

  it('waits no longer than its run', async () => {
    const { ask, ended } = world([]);
    const waiting = failure(ask(async () => step));
    const reason = new Error('cancelled');
    ended.abort(reason);
    expect(await waiting).to.equal(reason);
  });
});

describe('what a step may take at most', () => {
  it('is no less than what the offline model counts, whatever it is asked', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(text, fc.array(text), async (instructions, texts) => {
        const asked = request(
          texts.map((each) => ({ type: 'text', text: each })),
          { model: 'offline', instructions },
        );
        const { usage } = await offlineStep(asked);
        const bound = stepBound(asked, offlineTraits);
        expect(bound.inputTokens).to.be.at.least(usage.inputTokens);
      }),
    );
  });

  it('is no more than what the model takes', () => {
    const file = { type: 'file', fileName: 'a.pdf', contentType: 'application/pdf' } as const;
    const bound = (content: readonly ModelContent[], over = traits) => stepBound(request(content), over);
    expect(bound([{ type: 'text', text: 'x'.repeat(10_000) }])).to.deep.equal({ inputTokens: 1000, outputTokens: 300 });
    const roomy = { ...traits, contextTokens: 1_000_000 };
    const [small, large] = [1000, 1_000_000].map(
      (length) => bound([{ ...file, data: new Uint8Array(length) }], roomy).inputTokens,
    );
    expect(small).to.be.within(5000, 5100);
    expect(large).to.be.within(50_000, 50_100);
  });
});
