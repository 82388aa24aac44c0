import type { Agent } from '../../domain/agent.ts';
import { type Attachment, factsOf, isForeign, type Message, type MessageFacts, type Provenance } from '../../domain/conversation.ts';
import type { JsonSchema } from '../../domain/json.ts';
import type { Usage } from '../../domain/run.ts';
import { storable } from '../../domain/text.ts';
import type { Caller } from '../access/caller.ts';
import { inSlices } from '../async.ts';
import { type ModelContent, ModelError, type ModelMessage, type Models, type OnRetry, type Step } from '../ports/models.ts';
import type { Clock, Ids, SchemaValidator } from '../ports/runtime.ts';
import { refused } from '../tools/tool.ts';
import type { ToolService } from '../tools/tools.ts';
import { contextWindow } from './context-window.ts';
import { coverageOf } from './coverage.ts';
import { type Delta, type DraftedMessage, draftedMessage } from './drafted-message.ts';
import {
  type AnsweredDocument,
  checkAnswer,
  type ExtractedDocument,
  extractionSchema,
  instructionsFor,
  repairMessage,
  supportMessage,
  unsupported,
} from './extraction.ts';
import type { DuringFile, FileReader, ReadFile } from './file-reader.ts';
import { type Journal, type MessageFields, NO_USAGE, newMessage, OWN, timed } from './journal.ts';
import { noReader, type Readers, withholding } from './readers.ts';
import { contentOf, distinct, type TurnTools, turnTools, unanswered } from './tool-calls.ts';
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
  /** Called while the assistant writes; null if no client follows. */
  readonly onDelta: ((delta: Delta) => void) | null;
}

export interface Turn {
  /** The document of an extraction, null of an assistant's answer. Rejects with UnitFailure, or with the signal's reason. */
  answer(question: Question, signal: AbortSignal): Promise<ExtractedDocument | null>;
}

interface Dependencies {
  readonly models: Models;
  readonly files: FileReader;
  readonly tools: ToolService;
  readonly schemas: SchemaValidator;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly readers: Readers;
  readonly settings: { readonly turnMaxSteps: number };
}

/** How often a model may correct an answer that does not fit the schema, or whose evidence supports nothing. */
const REPAIRS = 1;

/** A turn under way. */
interface Session {
  readonly agent: Agent;
  readonly journal: Journal;
  readonly history: readonly Message[];
  readonly files: readonly ReadFile[];
  readonly tools: TurnTools;
  readonly draft: DraftedMessage | null;
  add(next: MessageFields, usage?: Usage): Promise<void>;
  ask(): Promise<Step>;
  /** What the model is shown. */
  shown(): readonly ModelMessage[];
}

type Conclusion =
  | { readonly done: AnsweredDocument | null }
  | { readonly ask: null }
  | { readonly ask: string; readonly code: 'invalid_output' | 'unsupported_evidence' };

export const turn = (dependencies: Dependencies): Turn => {
  const { models, files, tools: service, schemas, ids, readers } = dependencies;
  const { turnMaxSteps: most } = dependencies.settings;

  /** Messages are stored one after the other: their order is that of the history. */
  const recorder = (journal: Journal, history: Message[]): Session['add'] => {
    let writing: Promise<unknown> = Promise.resolve();
    return (fields, usage = NO_USAGE) => {
      const written = writing.then(async () => {
        const next = newMessage(dependencies, fields);
        await journal.append([next], usage);
        history.push(next);
      });
      writing = written.catch(() => {});
      return written;
    };
  };

  /** Every file of the history, read once; each is shown where its message stands. */
  const readFiles = async (history: readonly Message[], { agent, purpose, journal }: Question, signal: AbortSignal) => {
    const read = new Map<string, readonly ReadFile[]>();
    const during: DuringFile = (name, reading) => timed(journal, { type: 'unit.file_read', name: storable(name) }, reading);
    for (const { id, attachments } of history.filter((each) => each.attachments.length > 0)) {
      const found = await files.read(agent.workspaceId, attachments, models.traits(agent.model), signal, during).catch((error: unknown) => {
        if (purpose === 'run' || !(error instanceof UnitFailure)) throw error;
        const fileName = attachments.map(({ fileName: name }) => name).join(', ');
        const unreadable = `cannot be read: ${error.message.replace(/\.$/, '')}`;
        return [{ fileName, parts: [], content: [{ type: 'document' as const, fileName, pages: [], unreadable }] }];
      });
      read.set(id, found);
    }
    if (purpose === 'run') files.mustBeReadable([...read.values()].flat());
    return read;
  };

  const toolsFor = async (question: Question, history: readonly Message[], add: Session['add']): Promise<TurnTools> => {
    const { agent, caller, authorId, mayStartRuns, journal, earlierFacts } = question;
    const { tools } = caller === null ? { tools: [] } : await service.toolsOf(agent, caller);
    const store: Parameters<typeof turnTools>[0]['store'] = (toolCallId, result, tool) =>
      add({ role: 'tool', content: contentOf(result), toolCallId, provenance: { own: result.own === true, system: tool?.system ?? null } });
    const untrusted = () => [...earlierFacts, ...history.map(factsOf)].some((facts) => isForeign(facts, authorId));
    return turnTools({ service, caller, mayStartRuns, tools, journal, untrusted, store });
  };

  /** The history as the caller may read it. A history with gaps is not summarised: the summary would replace what other users may read. */
  const readableHistory = async ({ history, caller, journal }: Question) => {
    const readable = withholding(caller === null ? noReader : readers(caller));
    const messages: Message[] = [];
    for (const message of history) messages.push(await readable(message));
    const isWhole = messages.every((message, index) => message === history[index]);
    return { messages, summarise: isWhole ? journal.summarise : null };
  };

  const begin = async (question: Question, signal: AbortSignal): Promise<Session> => {
    const { agent, journal, earlier, userMessage, userProvenance: provenance, attachments, authorId } = question;
    const { messages: history, summarise } = await readableHistory(question);
    const store = recorder(journal, history);
    const add: Session['add'] = (fields, usage) => store({ authorId, ...fields }, usage);
    const opening = newMessage(dependencies, { role: 'user', content: storable(userMessage), attachments, authorId, provenance });
    // The first message is stored together with the steps of reading its files, before the model is asked.
    const read =
      history.length > 0
        ? await readFiles(history, question, signal)
        : await readFiles([opening], question, signal).finally(() => add(opening));
    const tools = await toolsFor(question, history, add);
    const fence = ids.nonce();
    const outputSchema = agent.documentSchema && extractionSchema(agent.documentSchema);
    const request = { model: agent.model, instructions: instructionsFor(agent, fence), fence, tools: tools.specs };
    const filesOf = (id: string) => (read.get(id) ?? []).flatMap(({ content }) => content);
    const window = contextWindow({ ...request, models, history, personId: authorId, filesOf, earlier, journal: { ...journal, summarise } });
    const draft = question.onDelta && draftedMessage(ids, question.onDelta);
    const onRetry: OnRetry = (code, waitMs) =>
      journal.step({ type: 'unit.retried', name: code, durationMs: waitMs, usage: null, error: null });
    const call = { type: 'unit.model_called', name: agent.model } as const;
    const ask = () =>
      window.ask((messages) => {
        const step = () => models.step({ ...request, messages, outputSchema }, signal, draft, onRetry);
        return timed(journal, call, step, ({ usage }) => ({ usage }));
      }, signal);
    return { agent, journal, history, files: [...read.values()].flat(), tools, draft, add, ask, shown: window.opening };
  };

  const check = ({ content }: Message, schema: JsonSchema, { files: read }: Session, signal: AbortSignal) =>
    inSlices(checkAnswer(content, schema, read, schemas), signal);

  /** What to do with the newest message: another question to the model, or the end. */
  const conclude = async (session: Session, signal: AbortSignal): Promise<Conclusion> => {
    const { agent, history } = session;
    const last = history.at(-1);
    if (last?.role !== 'assistant') return { ask: null };
    if (agent.documentSchema === null) return { done: null };
    const checked = await check(last, agent.documentSchema, session, signal);
    const mayRepair = history.filter(({ role }) => role === 'user').length - 1 < REPAIRS;
    if ('document' in checked) {
      const errors = mayRepair ? unsupported(checked.document) : [];
      return errors.length === 0 ? { done: checked.document } : { ask: supportMessage(errors), code: 'unsupported_evidence' };
    }
    if (mayRepair) return { ask: repairMessage(checked.errors), code: 'invalid_output' };
    const errors = checked.errors.slice(0, 5).map(({ path, message: expected }) => `${path || 'it'} ${expected}`);
    throw new UnitFailure('invalid_output', `The model's answer does not fit the agent's document schema: ${errors.join('; ')}.`);
  };

  /** A model whose answer fits the schema is asked for better evidence alone: the newest such answer of this turn counts if no better one comes. */
  const answeredBefore = async (session: Session, signal: AbortSignal): Promise<AnsweredDocument | null> => {
    const { documentSchema } = session.agent;
    const begun = session.history.findLastIndex(({ role, provenance }) => role === 'user' && provenance?.own !== true);
    for (const message of session.history.slice(begun + 1).toReversed()) {
      if (documentSchema === null || message.role !== 'assistant' || message.toolCalls.length > 0) continue;
      const checked = await check(message, documentSchema, session, signal);
      if ('document' in checked) return checked.document;
    }
    return null;
  };

  const stepOf = async ({ ask, journal }: Session): Promise<Step> => {
    const step = await ask().catch((error: unknown) => {
      if (error instanceof ModelError) throw new UnitFailure(error.code, error.message, { cause: error });
      throw error;
    });
    if (step.finish !== 'length') return step;
    await journal.append([], step.usage);
    throw new UnitFailure('model_error', 'The model stopped before its answer was complete: it is too long.');
  };

  /** One step of the assistant with the calls that it makes; the last one that a turn has makes none. */
  const advance = async (session: Session, isLast: boolean, signal: AbortSignal) => {
    const { text, toolCalls, usage } = await stepOf(session);
    const calls = distinct(toolCalls, session.history, () => ids.next());
    const stored = calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
    const id = session.draft?.id ?? ids.next();
    await session.add({ id, role: 'assistant', content: storable(text), toolCalls: stored }, usage);
    if (!isLast) return session.tools.perform(calls, signal);
    const content = contentOf(refused('Not run: the turn has used all its steps.'));
    for (const { id: toolCallId } of calls) await session.add({ role: 'tool', content, toolCallId, provenance: OWN });
  };

  const stepsSince = (history: readonly Message[]) =>
    history.slice(history.findLastIndex(({ role }) => role === 'user') + 1).filter(({ role }) => role === 'assistant').length;

  /** Asks the model, step by step, until there is an answer. */
  const toTheEnd = async (session: Session, signal: AbortSignal): Promise<AnsweredDocument | null> => {
    for (let steps = stepsSince(session.history); ; steps++) {
      signal.throwIfAborted();
      const next = await conclude(session, signal);
      if ('done' in next) return next.done;
      if (steps >= most) throw new UnitFailure('too_many_steps', `The agent came to no answer within ${most} steps.`);
      if (next.ask !== null) {
        session.journal.step({ type: 'unit.retried', name: next.code, durationMs: null, usage: null, error: null });
        await session.add({ role: 'user', content: next.ask, authorId: null, provenance: OWN });
      }
      await advance(session, steps + 1 >= most, signal);
    }
  };

  return {
    async answer(question, signal) {
      const session = await begin(question, signal);
      await session.tools.resume(unanswered(session.history), question.begun, signal);
      const document = await toTheEnd(session, signal).catch(async (error: unknown) => {
        const before = error instanceof UnitFailure && !signal.aborted ? await answeredBefore(session, signal) : null;
        if (before === null) throw error;
        return before;
      });
      return document && { ...document, coverage: coverageOf(session.files, session.shown()), contradictions: [] };
    },
  };
};
