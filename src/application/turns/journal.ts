import type { Message, Provenance } from '../../domain/conversation.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Step } from '../../domain/event.ts';
import type { Usage } from '../../domain/run.ts';
import type { Reservation, StepBound } from '../ports/budgets.ts';
import type { Summary } from '../ports/conversations.ts';
import { ModelError } from '../ports/models.ts';
import type { Clock, Ids } from '../ports/runtime.ts';
import type { CallApprovals } from './call-approval.ts';
import { UnitFailure } from './unit-failure.ts';

/** Where a turn stores what has happened. Each method rejects with LeaseLost once another worker has the conversation. */
export interface Journal {
  /** Stores messages that are final, and what they cost. */
  append(messages: readonly Message[], usage: Usage): Promise<void>;
  /** Whether each step of the model is to be reserved, because a budget stops the agent; by what was stored last. */
  isLimited(): boolean;
  /** Reserves what the next step may cost at most; what is stored next sets it free again. */
  reserve(bound: StepBound): Promise<Reservation>;
  /** Notes a step: it is stored with what is stored next. */
  step(step: Omit<Step, 'unit'>): void;
  /** Records that these calls, which have side effects, are about to be made. */
  intend(toolCallIds: readonly string[]): Promise<void>;
  /** Where calls are kept that need the approval of a person; null if none can be given here. */
  readonly approvals: CallApprovals | null;
  /** Keeps a summary in place of what no longer fits; null if none is kept. */
  readonly summarise: ((summary: Summary) => Promise<void>) | null;
}

/** Of text that Portico itself wrote. */
export const OWN: Provenance = { own: true, system: null };
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

/** Notes how long the work took, and how it ended; `outcome` says what of its result is noted. */
export const timed = async <T>(
  { step }: Pick<Journal, 'step'>,
  { type, name }: Pick<Step, 'type' | 'name'>,
  work: () => Promise<T>,
  outcome: (result: T) => Partial<Pick<Step, 'usage' | 'error'>> = () => ({}),
): Promise<T> => {
  const begunAt = performance.now();
  const note = (how: Partial<Step>) =>
    step({ type, name, durationMs: Math.round(performance.now() - begunAt), usage: null, error: null, ...how });
  try {
    const result = await work();
    note(outcome(result));
    return result;
  } catch (error) {
    note({ error: codeOf(error) });
    throw error;
  }
};

const codeOf = (error: unknown): string =>
  error instanceof ModelError || error instanceof UnitFailure || error instanceof DomainError
    ? error.code
    : 'interrupted';

export type MessageFields = Pick<Message, 'role' | 'content'> & Partial<Message>;

/** A message of now. */
export const newMessage = (
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  fields: MessageFields,
): Message => ({
  id: ids.next(),
  toolCalls: [],
  toolCallId: null,
  attachments: [],
  authorId: null,
  provenance: null,
  createdAt: clock.now(),
  ...fields,
});
