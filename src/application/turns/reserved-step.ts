import { backOffSeconds } from '../../domain/back-off.ts';
import { budgetWords } from '../../domain/budget.ts';
import { ModelError, type Models, type Step, type StepRequest } from '../ports/models.ts';
import { abortable, pause } from '../shared/async.ts';
import { type Journal, NO_USAGE } from './journal.ts';
import { stepBound } from './step-bound.ts';
import { UnitFailure } from './unit-failure.ts';

interface Terms {
  readonly journal: Pick<Journal, 'append' | 'isLimited' | 'reserve'>;
  readonly models: Pick<Models, 'traits'>;
  /** What OCR has read for the document that is made. */
  readonly pagesOcr: number;
  readonly signal: AbortSignal;
}

/** So long a step waits before it asks again whether those under way have left anything: ever less often, because many may wait. */
const AGAIN = { firstSeconds: 0.25, longestSeconds: 5 };

/** Waits while all that is left is reserved for other steps: what they do not need is free once they end, or their leases do. */
const reserve = async (request: StepRequest, { journal, models, pagesOcr, signal }: Terms): Promise<void> => {
  const bound = { ...stepBound(request, models.traits(request.model)), pagesOcr };
  for (let tries = 1; ; tries += 1) {
    const reservation = await journal.reserve(bound);
    if (reservation.outcome === 'reserved') return;
    if (reservation.outcome === 'spent') throw new UnitFailure('budget_exhausted', budgetWords(reservation.budget));
    await abortable(pause(1000 * backOffSeconds(tries, Math.random(), AGAIN)), signal);
  }
};

/** Asks the model, once what that may cost at most is reserved, if a budget stops the agent. The usage is to be stored next. */
export const reservedStep = async (request: StepRequest, ask: () => Promise<Step>, terms: Terms): Promise<Step> => {
  const { journal } = terms;
  if (!journal.isLimited()) return ask();
  await reserve(request, terms);
  try {
    return await ask();
  } catch (error) {
    // A model that gives no answer costs nothing. What a step costs that was cut off, nobody knows: it stays reserved.
    if (error instanceof ModelError) await journal.append([], NO_USAGE);
    throw error;
  }
};
