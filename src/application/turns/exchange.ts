import type { Message } from '../../domain/conversation.ts';
import type { Usage } from '../../domain/run.ts';
import { storable } from '../../domain/text.ts';
import { ModelError, type ModelMessage, type Step } from '../ports/models.ts';
import type { Ids } from '../ports/runtime.ts';
import { refused } from '../tools/tool.ts';
import type { DraftedMessage } from './drafted-message.ts';
import { type AnsweredDocument, type Checked, repairMessage, supportMessage, unsupported } from './extraction.ts';
import { type Journal, type MessageFields, OWN } from './journal.ts';
import { contentOf, distinct, type TurnTools } from './tool-calls.ts';
import { UnitFailure } from './unit-failure.ts';

/** A model is asked for one answer: with its calls of tools, and with what it is asked to correct. */
export interface Exchange {
  readonly journal: Journal;
  /** From the message that begins it on; grows while it goes on. */
  readonly history: readonly Message[];
  readonly tools: TurnTools;
  readonly draft: DraftedMessage | null;
  /** Whether less of the files may be asked about instead if it is too long. */
  readonly mayBeSplit: boolean;
  /** Whether an answer is what an extraction asks for; null if there is nothing to check. */
  readonly check: ((text: string) => Promise<Checked>) | null;
  add(next: MessageFields, usage?: Usage): Promise<void>;
  ask(): Promise<Step>;
  /** What the model is shown at first. */
  opening(): readonly ModelMessage[];
}

/** Why an exchange is too long. A model that answers at great length runs out of time. */
type TooLong = 'model_input_too_long' | 'model_output_too_long' | 'model_timeout';

/** The question or its answer is too long for the model: less of the files is to be asked about. */
export class ExchangeTooLong extends UnitFailure {
  declare readonly code: TooLong;
  /** How many characters the model answered before it was stopped. */
  readonly answered: number;

  constructor(code: TooLong, message: string, answered: number, options?: ErrorOptions) {
    super(code, message, options);
    this.name = 'ExchangeTooLong';
    this.answered = answered;
  }
}

/** How often a model may correct an answer that does not fit the schema, or whose evidence supports nothing. */
const REPAIRS = 1;

type Conclusion =
  | { readonly done: AnsweredDocument | null }
  | { readonly ask: null }
  | { readonly ask: string; readonly code: 'invalid_output' | 'unsupported_evidence' };

/** What to do with the newest message: another question to the model, or the end. */
const conclude = async ({ history, check }: Exchange): Promise<Conclusion> => {
  const last = history.at(-1);
  if (last?.role !== 'assistant') return { ask: null };
  if (check === null) return { done: null };
  const checked = await check(last.content);
  const mayRepair = history.filter(({ role }) => role === 'user').length - 1 < REPAIRS;
  if ('document' in checked) {
    const errors = mayRepair ? unsupported(checked.document) : [];
    return errors.length === 0
      ? { done: checked.document }
      : { ask: supportMessage(errors), code: 'unsupported_evidence' };
  }
  if (mayRepair) return { ask: repairMessage(checked), code: 'invalid_output' };
  const errors = checked.errors.slice(0, 5).map(({ path, message: expected }) => `${path || 'it'} ${expected}`);
  throw new UnitFailure(
    'invalid_output',
    `The model's answer does not fit the agent's document schema: ${errors.join('; ')}.`,
  );
};

/** A model whose answer fits the schema is asked for better evidence alone: the newest such answer counts if no better one comes. */
export const answeredBefore = async ({ history, check }: Exchange): Promise<AnsweredDocument | null> => {
  const begun = history.findLastIndex(({ role, provenance }) => role === 'user' && provenance?.own !== true);
  for (const { role, content, toolCalls } of history.slice(begun + 1).toReversed()) {
    if (check === null || role !== 'assistant' || toolCalls.length > 0) continue;
    const checked = await check(content);
    if ('document' in checked) return checked.document;
  }
  return null;
};

/** Results of tools are what makes a question too long, not the files: tools would be called again about each part of those. */
export const hasCalls = (history: readonly Message[]): boolean => history.some(({ role }) => role === 'tool');

const stepOf = async ({ ask, journal, mayBeSplit, history }: Exchange): Promise<Step> => {
  const step = await ask().catch((error: unknown) => {
    if (!(error instanceof ModelError)) throw error;
    const { code, message } = error;
    const isTooLong = code === 'model_input_too_long' || code === 'model_timeout';
    if (isTooLong && mayBeSplit && !hasCalls(history)) throw new ExchangeTooLong(code, message, 0, { cause: error });
    throw new UnitFailure(code, message, { cause: error });
  });
  if (step.finish !== 'length') return step;
  await journal.append([], step.usage);
  const message = 'The model stopped before its answer was complete: it is too long.';
  throw mayBeSplit
    ? new ExchangeTooLong('model_output_too_long', message, step.text.length)
    : new UnitFailure('model_error', message);
};

const stepsSince = (history: readonly Message[]) =>
  history.slice(history.findLastIndex(({ role }) => role === 'user') + 1).filter(({ role }) => role === 'assistant')
    .length;

interface Terms {
  readonly ids: Ids;
  /** How many steps it may take. */
  readonly most: number;
  readonly signal: AbortSignal;
  /** Calls that ids must differ from. */
  readonly conversation: readonly Message[];
}

/** One step of the assistant with the calls that it makes; the last one that there may be makes none. */
const advance = async (exchange: Exchange, isLast: boolean, { ids, signal, conversation }: Terms) => {
  const { text, toolCalls, usage } = await stepOf(exchange);
  const calls = distinct(toolCalls, conversation, () => ids.next());
  const stored = calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
  const id = exchange.draft?.id ?? ids.next();
  await exchange.add({ id, role: 'assistant', content: storable(text), toolCalls: stored }, usage);
  if (!isLast) return exchange.tools.perform(calls, signal);
  const content = contentOf(refused('Not run: the turn has used all its steps.'));
  for (const { id: toolCallId } of calls) await exchange.add({ role: 'tool', content, toolCallId, provenance: OWN });
};

/** Asks the model, step by step, until there is an answer. */
export const toTheEnd = async (exchange: Exchange, terms: Terms): Promise<AnsweredDocument | null> => {
  for (let steps = stepsSince(exchange.history); ; steps++) {
    terms.signal.throwIfAborted();
    const next = await conclude(exchange);
    if ('done' in next) return next.done;
    if (steps >= terms.most)
      throw new UnitFailure('too_many_steps', `The agent came to no answer within ${terms.most} steps.`);
    if (next.ask !== null) {
      exchange.journal.step({ type: 'unit.retried', name: next.code, durationMs: null, usage: null, error: null });
      await exchange.add({ role: 'user', content: next.ask, authorId: null, provenance: OWN });
    }
    await advance(exchange, steps + 1 >= terms.most, terms);
  }
};
