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
import type { JsonSchema } from '../../domain/json.ts';
import type { Usage } from '../../domain/run.ts';
import { storable } from '../../domain/text.ts';
import type { ModelContent, Models, OnRetry } from '../ports/models.ts';
import type { Clock, Ids, SchemaValidator } from '../ports/runtime.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolService } from '../tools/tools.ts';
import { contextWindow } from './context-window.ts';
import { type Delta, type DraftedMessage, draftedMessage } from './drafted-message.ts';
import { answeredBefore, type Exchange, hasCalls, toTheEnd } from './exchange.ts';
import { type ExtractedDocument, instructionsFor } from './extraction.ts';
import { extractInWindows, type WindowTerms } from './extraction-windows.ts';
import { contentOf, type DuringFile, type FileReader, type ReadFile } from './file-reader.ts';
import { extractionRoomIn, roomIn } from './history.ts';
import { type Journal, type MessageFields, NO_USAGE, newMessage, timed } from './journal.ts';
import { noReader, type Readers, withholding } from './readers.ts';
import { contentOf as resultContent, specsOf, type TurnTools, turnTools, unanswered } from './tool-calls.ts';
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

interface Dependencies {
  readonly models: Models;
  readonly files: FileReader;
  readonly tools: Pick<ToolService, 'toolsOf' | 'refusal' | 'execute'>;
  readonly schemas: SchemaValidator;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly readers: Readers;
  readonly settings: { readonly turnMaxSteps: number };
}

/** A token is seldom less than three characters; the rest of the window is for instructions and the answer. */
const FILE_CHARACTERS_PER_TOKEN = 2;

/** A turn under way. */
interface Session {
  readonly question: Question;
  /** As the caller may read it; grows. */
  readonly history: Message[];
  /** The files of each message. */
  readonly files: ReadonlyMap<string, readonly ReadFile[]>;
  readonly tools: readonly Tool[];
  readonly summarise: Journal['summarise'];
  readonly fence: string;
  readonly draft: DraftedMessage | null;
  add(next: MessageFields, usage?: Usage): Promise<Message>;
}

interface ExchangeTerms extends Pick<Exchange, 'check' | 'mayBeSplit'> {
  readonly history: Message[];
  readonly filesOf: (messageId: string) => readonly ModelContent[];
  readonly outputSchema: JsonSchema | null;
  readonly room: number;
}

export const turn = (dependencies: Dependencies) => {
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
        return next;
      });
      writing = written.catch(() => {});
      return written;
    };
  };

  /** Every file of the history, read once; each is shown where its message stands. */
  const readFiles = async (
    history: readonly Message[],
    { agent, authorId, purpose, journal }: Question,
    signal: AbortSignal,
  ) => {
    const read = new Map<string, readonly ReadFile[]>();
    const sharer = { userId: authorId, workspaceId: agent.workspaceId };
    const during: DuringFile = (name, reading) =>
      timed(journal, { type: 'unit.file_read', name: storable(name) }, reading);
    for (const { id, attachments } of history.filter((each) => each.attachments.length > 0)) {
      const found = await files
        .read(sharer, attachments, models.traits(agent.model), signal, during)
        .catch((error: unknown) => {
          if (purpose === 'run' || !(error instanceof UnitFailure)) throw error;
          const fileName = attachments.map(({ fileName: name }) => name).join(', ');
          const unreadable = `cannot be read: ${error.message.replace(/\.$/, '')}`;
          return [
            {
              fileName,
              sha256: null,
              parts: [{ fileName, contentType: '', pages: [], layouts: [], unreadable, native: null }],
            },
          ];
        });
      read.set(id, found);
    }
    if (purpose === 'run') files.mustBeReadable([...read.values()].flat());
    return read;
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
    const {
      agent,
      journal,
      caller,
      userMessage,
      userProvenance: provenance,
      attachments,
      authorId,
      onDelta,
    } = question;
    const { messages: history, summarise } = await readableHistory(question);
    const store = recorder(journal, history);
    const add: Session['add'] = (fields, usage) => store({ authorId, ...fields }, usage);
    const opening = newMessage(dependencies, {
      role: 'user',
      content: storable(userMessage),
      attachments,
      authorId,
      provenance,
    });
    // The first message is stored together with the steps of reading its files, before the model is asked.
    const read =
      history.length > 0
        ? await readFiles(history, question, signal)
        : await readFiles([opening], question, signal).finally(() => add(opening));
    const { tools } = caller === null ? { tools: [] } : await service.toolsOf(agent, caller);
    const draft = onDelta && draftedMessage(ids, onDelta);
    return { question, history, files: read, tools, summarise, fence: ids.nonce(), draft, add };
  };

  const toolsFor = ({ question, history, tools }: Session, add: Exchange['add']): TurnTools => {
    const { caller, authorId, mayStartRuns, journal, earlierFacts } = question;
    const store: Parameters<typeof turnTools>[0]['store'] = (toolCallId, result, tool) =>
      add({
        role: 'tool',
        content: resultContent(result),
        toolCallId,
        provenance: { own: result.own === true, system: tool?.system ?? null },
      });
    const untrusted = () => [...earlierFacts, ...history.map(factsOf)].some((facts) => isForeign(facts, authorId));
    return turnTools({ service, caller, mayStartRuns, tools, journal, untrusted, store });
  };

  const instructed = ({ question: { agent }, fence }: Session) => ({
    model: agent.model,
    instructions: instructionsFor(agent, fence),
    fence,
  });

  const exchangeOf = (session: Session, terms: ExchangeTerms, signal: AbortSignal): Exchange => {
    const { question, draft, summarise } = session;
    const { agent, journal, earlier, authorId: personId } = question;
    const { history, filesOf, outputSchema, room, mayBeSplit, check } = terms;
    const add: Exchange['add'] = async (fields, usage) => {
      const stored = await session.add(fields, usage);
      if (history !== session.history) history.push(stored);
    };
    const tools = toolsFor(session, add);
    const request = { ...instructed(session), tools: tools.specs };
    const shown = { history, personId, filesOf, earlier, room, mayCut: () => !mayBeSplit || hasCalls(history) };
    const window = contextWindow({ ...request, ...shown, models, journal: { ...journal, summarise } });
    const onRetry: OnRetry = (code, waitMs) =>
      journal.step({ type: 'unit.retried', name: code, durationMs: waitMs, usage: null, error: null });
    const call = { type: 'unit.model_called', name: agent.model } as const;
    const ask = () =>
      window.ask((messages) => {
        const step = () => models.step({ ...request, messages, outputSchema }, signal, draft, onRetry);
        return timed(journal, call, step, ({ usage }) => ({ usage }));
      }, signal);
    return { journal, history, tools, draft, mayBeSplit, check, add, ask, opening: window.opening };
  };

  const finish = async ({ question, history: conversation }: Session, exchange: Exchange, signal: AbortSignal) => {
    await exchange.tools.resume(unanswered(exchange.history), question.begun, signal);
    return toTheEnd(exchange, { ids, most, signal, conversation }).catch(async (error: unknown) => {
      const before = error instanceof UnitFailure && !signal.aborted ? await answeredBefore(exchange) : null;
      if (before === null) throw error;
      return before;
    });
  };

  /** The text of each file as far as its even share of the model's window goes. */
  const converse = async (session: Session, signal: AbortSignal): Promise<void> => {
    const { history, question, files: read, tools } = session;
    const traits = models.traits(question.agent.model);
    const filesOf = (id: string) => {
      const own = read.get(id) ?? [];
      return own.flatMap((file) =>
        contentOf(file, Math.floor((traits.contextTokens * FILE_CHARACTERS_PER_TOKEN) / own.length)),
      );
    };
    const room = roomIn(traits, instructed(session).instructions, specsOf(tools));
    await finish(
      session,
      exchangeOf(session, { history, filesOf, outputSchema: null, room, mayBeSplit: false, check: null }, signal),
      signal,
    );
  };

  const extract = (session: Session, schema: JsonSchema, signal: AbortSignal): Promise<ExtractedDocument> => {
    const { history, question, tools, add, files: read } = session;
    const room = extractionRoomIn(
      models.traits(question.agent.model),
      instructed(session).instructions,
      specsOf(tools),
      schema,
    );
    const begin = ({ content, ...terms }: WindowTerms) => {
      const filesOf = (id: string) => (id === history[0]?.id ? content : []);
      return exchangeOf(session, { ...terms, filesOf, room: room.exchange }, signal);
    };
    const answer = async (exchange: Exchange) => {
      const answered = await finish(session, exchange, signal);
      if (answered === null) throw new Error('an extraction ended without a document');
      return answered;
    };
    const reading = { schema, files: [...read.values()].flat(), history, room: room.files, journal: question.journal };
    const sharer = { userId: question.authorId, workspaceId: question.agent.workspaceId };
    return extractInWindows(
      { ...reading, add, begin, finish: answer, errorsOf: (against, data) => schemas.check(against, data, sharer) },
      signal,
    );
  };

  return {
    /** The document of an extraction, null of an assistant's answer. Rejects with UnitFailure, or with the signal's reason. */
    async answer(question: Question, signal: AbortSignal): Promise<ExtractedDocument | null> {
      const session = await begin(question, signal);
      const { documentSchema } = question.agent;
      if (documentSchema !== null) return extract(session, documentSchema, signal);
      await converse(session, signal);
      return null;
    },
  };
};

export type Turn = ReturnType<typeof turn>;
