import type { Agent } from '../../domain/agent.ts';
import type { Caller } from '../../domain/caller.ts';
import {
  type Attachment,
  factsOf,
  isForeign,
  type Message,
  type MessageFacts,
  type Provenance,
} from '../../domain/conversation.ts';
import type { ValidationError } from '../../domain/errors.ts';
import type { JsonObject, JsonSchema } from '../../domain/json.ts';
import type { Usage } from '../../domain/run.ts';
import { storable } from '../../domain/text.ts';
import {
  type ModelContent,
  ModelError,
  type ModelMessage,
  type Models,
  type Step,
  type StepRequest,
} from '../ports/models.ts';
import type { Clock, Ids, SchemaValidator } from '../ports/runtime.ts';
import type { ToolResult } from '../ports/tools.ts';
import { concurrently } from '../shared/async.ts';
import { caution } from '../shared/fence.ts';
import { refused, type Tool } from '../tools/tool.ts';
import type { ToolService } from '../tools/tools.ts';
import { WaitsForApproval } from './call-approval.ts';
import { ContextWindow, type Excerpt } from './context-window.ts';
import { type Delta, type DraftedMessage, draftedMessage } from './drafted-message.ts';
import { pagesByOcr, type ReadFile, type ReadKeeper } from './file-reader.ts';
import { type Budget, totalOf, transcript } from './history.ts';
import { type Journal, type MessageFields, NO_USAGE, newMessage, OWN, timed } from './journal.ts';
import { reservedStep } from './reserved-step.ts';
import { abandoned, CallRound, contentOf, distinct, type MadeCall, unanswered } from './tool-calls.ts';
import { UnitFailure } from './unit-failure.ts';

export interface Question {
  readonly agent: Agent;
  /** What is stored already: a turn goes on from there, not from the beginning. */
  readonly history: readonly Message[];
  /** What is known of the conversation before that; null for nothing. */
  readonly earlier: ModelContent | null;
  /** What there was among those messages. */
  readonly earlierFacts: readonly MessageFacts[];
  /** Calls that were begun in the history and have no result there. */
  readonly begun: ReadonlySet<string>;
  /** Begins an empty history. */
  readonly userMessage: string;
  /** Set if no person wrote it. */
  readonly userProvenance: Provenance | null;
  readonly attachments: readonly Attachment[];
  /** In whose name it is asked. */
  readonly authorId: string;
  /** With whose rights tools are used and results of tools are read; null if there is no such user any more. */
  readonly caller: Caller | null;
  readonly mayStartRuns: boolean;
  /** `chat` answers a person, even if files are gone or unreadable. */
  readonly purpose: 'run' | 'chat';
  readonly journal: Journal;
  /** Set if several units read the same files. */
  readonly keeper?: ReadKeeper;
  /** Called while the assistant writes; null if no client follows. */
  readonly onDelta: ((delta: Delta) => void) | null;
}

export interface Services {
  readonly models: Models;
  readonly tools: Pick<ToolService, 'refusal' | 'input' | 'rehearsal' | 'execute'>;
  readonly schemas: SchemaValidator;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly settings: { readonly turnMaxSteps: number };
}

/** What a turn has found out before the model is asked. */
interface Beginning {
  /** As the caller may read it, with the message that is to be answered. */
  readonly history: readonly Message[];
  /** Whether a summary may be stored in place of its oldest messages. */
  readonly mayBeSummarised: boolean;
  /** The files of each message, by its id. */
  readonly files: ReadonlyMap<string, readonly ReadFile[]>;
  readonly tools: readonly Tool[];
  readonly fence: string;
  readonly budget: Budget;
}

/** Why less is to be asked about. A model that answers at great length runs out of time. */
type TooLongCode = 'model_input_too_long' | 'model_output_too_long' | 'model_timeout';

/** The question or its answer is too long for the model, and less of the files can be asked about. */
export class TooLong extends UnitFailure {
  declare readonly code: TooLongCode;
  /** How many characters the model answered before it was stopped. */
  readonly answered: number;

  constructor(code: TooLongCode, message: string, answered: number, options?: ErrorOptions) {
    super(code, message, options);
    this.name = 'TooLong';
    this.answered = answered;
  }
}

const HALVINGS = 2;
const CALLS_AT_ONCE = 8;
const MAX_SUMMARY = 8000;
const SUMMARISE =
  'You are given the earlier part of a conversation between a user and an assistant that calls tools. ' +
  'Sum it up for the assistant, who will see your summary in its place: what the user wants, what was found out (names, numbers, ids), ' +
  'what was done and what is still open. Answer with the summary alone, in at most 500 words.';

/**
 * A conversation in which an agent takes its turn. The process may die at any line: another one goes on from what is stored by then, and
 * calls `resume` before it asks. A process that has lost its lease stores nothing more: `record`, `ask` and `call` reject with LeaseLost.
 */
export class Conversation {
  readonly question: Question;
  readonly files: ReadonlyMap<string, readonly ReadFile[]>;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  readonly #services: Services;
  readonly #beginning: Beginning;
  readonly #history: Message[];
  readonly #draft: DraftedMessage | null;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(services: Services, question: Question, beginning: Beginning, signal: AbortSignal) {
    this.question = question;
    this.files = beginning.files;
    this.budget = beginning.budget;
    this.signal = signal;
    this.#services = services;
    this.#beginning = beginning;
    this.#history = [...beginning.history];
    this.#draft = question.onDelta && draftedMessage(services.ids, question.onDelta);
  }

  /** What is stored; grows. */
  get history(): readonly Message[] {
    return this.#history;
  }

  /** What is wrong with data by a schema. */
  errorsOf(schema: JsonSchema, data: JsonObject): Promise<readonly ValidationError[]> {
    const { authorId, agent } = this.question;
    return this.#services.schemas.check(schema, data, { userId: authorId, workspaceId: agent.workspaceId });
  }

  /** A part of the conversation, for the model to be asked about. */
  window(excerpt: Excerpt): ContextWindow {
    const { earlier, authorId } = this.question;
    return new ContextWindow({ ...excerpt, history: this.#history, earlier, personId: authorId });
  }

  /** Stores a message. One is stored after the other: their order is that of the history. */
  record(fields: MessageFields, usage: Usage = NO_USAGE): Promise<void> {
    const { journal, authorId } = this.question;
    const stored = this.#writing.then(async () => {
      const message = newMessage(this.#services, { authorId, ...fields });
      await journal.append([message], usage);
      this.#history.push(message);
    });
    this.#writing = stored.catch(() => {});
    return stored;
  }

  /** Stores what Portico itself asks of the model. */
  instruct(content: string): Promise<void> {
    return this.record({ role: 'user', content, authorId: null, provenance: OWN });
  }

  /** Notes that something is tried again, and why. */
  noteRetry(code: string, waitMs: number | null = null): void {
    this.question.journal.step({ type: 'unit.retried', name: code, durationMs: waitMs, usage: null, error: null });
  }

  /** Takes up calls that another process left behind: what may have been done already is not done again. */
  async resume(window: ContextWindow): Promise<void> {
    const { begun } = this.question;
    const calls = unanswered(window.messages);
    const lost = calls.filter(({ id }) => begun.has(id));
    const free = calls.filter(({ id }) => !begun.has(id));
    // To die between these lines costs nothing: calls that have a result by then are not among those that are resumed next.
    for (const { id, result } of abandoned(lost, begun)) await this.#recordResult(id, result, null);
    await this.#make(free.map((call) => ({ ...call, invalid: null })));
  }

  /** One step of the assistant. Answers the calls that it asks for: they are stored as well, and not made yet. */
  async ask(window: ContextWindow, outputSchema: JsonSchema | null = null): Promise<readonly MadeCall[]> {
    this.mustHaveSteps(window);
    const { text, toolCalls, usage } = await this.#step(window, outputSchema);
    // To die here costs the step: nothing of it is stored, and the model is asked again.
    const { ids } = this.#services;
    const calls = distinct(toolCalls, this.#history, ids);
    const stored = calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
    const id = this.#draft?.id ?? ids.next();
    await this.record({ id, role: 'assistant', content: storable(text), toolCalls: stored }, usage);
    // To die here costs nothing: the calls are stored, and `resume` makes them.
    return calls;
  }

  /** Makes the calls of a step and stores their results. Those of the last step that there may be are not made. */
  async call(window: ContextWindow, calls: readonly MadeCall[]): Promise<void> {
    if (window.steps < this.#services.settings.turnMaxSteps) return this.#make(calls);
    const spent = refused('Not run: the turn has used all its steps.');
    for (const { id } of calls) await this.#recordResult(id, spent, null);
  }

  mustHaveSteps({ steps }: ContextWindow): void {
    const most = this.#services.settings.turnMaxSteps;
    if (steps >= most) throw new UnitFailure('too_many_steps', `The agent came to no answer within ${most} steps.`);
  }

  /** Several at a time; each result is stored as soon as there is one. Rejects with WaitsForApproval once all others have one. */
  async #make(calls: readonly MadeCall[]): Promise<void> {
    const { caller, mayStartRuns, journal, earlierFacts, authorId } = this.question;
    const broken = new AbortController();
    const context = {
      // Without a caller there are no tools.
      caller: { ...(caller as Caller), door: 'model' as const },
      mayStartRuns,
      untrusted: [...earlierFacts, ...this.#history.map(factsOf)].some((facts) => isForeign(facts, authorId)),
      signal: AbortSignal.any([this.signal, broken.signal]),
    };
    const { tools } = this.#beginning;
    const { agent } = this.question;
    const round = new CallRound(calls, { agent, service: this.#services.tools, tools, journal, context });
    await round.begin();
    await concurrently(round.planned, CALLS_AT_ONCE, async ({ call, tool, over }, index) => {
      try {
        const result = await round.make(index);
        // To die here loses the result: a call that only reads is made again, of any other the model learns that its outcome is unknown.
        if (result !== null) await this.#recordResult(call.id, result, tool);
        over.resolve(result);
      } catch (error) {
        // Without the lease, no result can be stored: the other calls end too.
        broken.abort(error);
        over.resolve(null);
        throw error;
      }
    });
    if (round.waitsFor.length > 0) throw new WaitsForApproval(round.waitsFor);
  }

  #recordResult(toolCallId: string, result: ToolResult, tool: Tool | null): Promise<void> {
    const provenance = { own: result.own === true, system: tool?.system ?? null };
    const id = this.question.journal.approvals?.messages.get(toolCallId);
    return this.record({ ...(id && { id }), role: 'tool', content: contentOf(result), toolCallId, provenance });
  }

  async #step(window: ContextWindow, outputSchema: JsonSchema | null): Promise<Step> {
    const step = await this.#fittingStep(window, outputSchema).catch((error: unknown) => {
      if (!(error instanceof ModelError)) throw error;
      const { code, message } = error;
      const isTooLong = code === 'model_input_too_long' || code === 'model_timeout';
      if (isTooLong && !window.mayCut) throw new TooLong(code, message, 0, { cause: error });
      throw new UnitFailure(code, message, { cause: error });
    });
    const isSilent = step.text.trim() === '' && step.toolCalls.length === 0;
    // After calls, silence may mean that they were all there was to do. An answer that is no JSON is asked for again.
    const isAnswer = !isSilent || window.steps > 0 || outputSchema !== null;
    if (step.finish !== 'length' && isAnswer) return step;
    await this.question.journal.append([], step.usage);
    if (step.finish !== 'length') throw new UnitFailure('model_error', 'The model answered nothing.');
    const message = 'The model stopped before its answer was complete: it is too long.';
    throw window.mayBeSplit
      ? new TooLong('model_output_too_long', message, step.text.length)
      : new UnitFailure('model_error', message);
  }

  /** Asks with what fits into the model's window; what a provider finds too long all the same is halved, twice at most, if text may be cut. */
  async #fittingStep(window: ContextWindow, outputSchema: JsonSchema | null): Promise<Step> {
    for (let room = window.room, halved = 0; ; room = Math.floor(room / 2), halved++) {
      try {
        const messages = await this.#fitting(window, room);
        const step = await this.#stepWith(messages, outputSchema);
        window.answered(messages);
        return step;
      } catch (error) {
        const isTooLong = error instanceof ModelError && error.code === 'model_input_too_long';
        if (!isTooLong || !window.mayCut || halved >= HALVINGS) throw error;
      }
    }
  }

  #stepWith(messages: readonly ModelMessage[], outputSchema: JsonSchema | null): Promise<Step> {
    const { agent, journal } = this.question;
    const { fence, budget } = this.#beginning;
    const { instructions, tools } = budget;
    const request: StepRequest = { model: agent.model, instructions, fence, messages, tools, outputSchema };
    const step = () =>
      this.#services.models.step(request, this.signal, this.#draft, (code, waitMs) => this.noteRetry(code, waitMs));
    return this.#reserved(request, () =>
      timed(journal, { type: 'unit.model_called', name: agent.model }, step, ({ usage }) => ({ usage })),
    );
  }

  #reserved(request: StepRequest, ask: () => Promise<Step>): Promise<Step> {
    const { agent, journal } = this.question;
    const pagesOcr = agent.documentSchema === null ? 0 : pagesByOcr([...this.files.values()].flat());
    return reservedStep(request, ask, { journal, models: this.#services.models, pagesOcr, signal: this.signal });
  }

  async #fitting(window: ContextWindow, room: number): Promise<readonly ModelMessage[]> {
    const lean = window.lean(room);
    if (totalOf(lean) <= room) return lean;
    if (!window.mayCut)
      throw new ModelError('model_input_too_long', 'The conversation does not fit into the window of the model.');
    const oldest = window.oldest(room);
    if (oldest.length > 0) window.leaveOut(oldest, await this.#summaryOf(window, oldest, room));
    return window.cut(room);
  }

  /** Stores a summary of the oldest messages: another process goes on without them. null if there may be none, or the model gives none. */
  async #summaryOf({ before }: ContextWindow, oldest: readonly Message[], room: number): Promise<string | null> {
    const { agent, journal } = this.question;
    const { mayBeSummarised, fence } = this.#beginning;
    const through = oldest.at(-1)?.id;
    if (!mayBeSummarised || journal.summarise === null || through === undefined) return null;
    const text = transcript(oldest, Math.floor(room / 2));
    const quote: ModelContent = { type: 'quote', of: 'earlier part of the conversation', text };
    const request: StepRequest = {
      model: agent.model,
      instructions: `${SUMMARISE}\n\n${caution(fence)}`,
      fence,
      messages: [{ role: 'user', content: before === null ? [quote] : [before, quote] }],
      tools: [],
      outputSchema: null,
    };
    try {
      const step = await this.#reserved(request, () => this.#services.models.step(request, this.signal));
      await journal.append([], step.usage);
      const summary = step.text.trim().slice(0, MAX_SUMMARY).toWellFormed() || null;
      if (summary !== null) await journal.summarise({ text: summary, through });
      return summary;
    } catch (error) {
      if (error instanceof ModelError) return null;
      throw error;
    }
  }
}
