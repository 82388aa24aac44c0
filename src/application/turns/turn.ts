import type { Message } from '../../domain/conversation.ts';
import { storable } from '../../domain/text.ts';
import type { ToolService } from '../tools/tools.ts';
import { Conversation, type Question, type Services } from './conversation.ts';
import { type ExtractedDocument, instructionsFor } from './extraction.ts';
import { extractInWindows } from './extraction-windows.ts';
import { contentOf, type FileReader, type ReadFile } from './file-reader.ts';
import { roomIn } from './history.ts';
import { NO_USAGE, newMessage } from './journal.ts';
import { noReader, type Readers, withholding } from './readers.ts';
import { specsOf } from './tool-calls.ts';
import { UnitFailure } from './unit-failure.ts';

interface Dependencies extends Services {
  readonly files: FileReader;
  readonly tools: Pick<ToolService, 'toolsOf' | 'refusal' | 'input' | 'rehearsal' | 'execute'>;
  readonly readers: Readers;
}

/** A token is seldom less than three characters; the rest of the window is for instructions and the answer. */
const FILE_CHARACTERS_PER_TOKEN = 2;

/** Stands for files that a person gets an answer without. */
const unreadable = ({ attachments }: Message, failure: UnitFailure): readonly ReadFile[] => {
  const fileName = attachments.map((attachment) => attachment.fileName).join(', ');
  const reason = `cannot be read: ${failure.message.replace(/\.$/, '')}`;
  const part = { fileName, contentType: '', pages: [], layouts: [], unreadable: reason, native: null };
  return [{ fileName, sha256: null, parts: [part] }];
};

/** Answers in prose. The text of each file is shown as far as its even share of the model's window goes. */
const chat = async (conversation: Conversation): Promise<void> => {
  const { budget } = conversation;
  const shares = [...conversation.files].map(([messageId, files]) => {
    const share = Math.floor((budget.traits.contextTokens * FILE_CHARACTERS_PER_TOKEN) / files.length);
    return [messageId, files.flatMap((file) => contentOf(file, share))] as const;
  });
  const window = conversation.window({
    opening: null,
    since: 0,
    until: null,
    files: new Map(shares),
    room: roomIn(budget),
    mayBeSplit: false,
  });
  await conversation.resume(window);
  while (window.answer === null) {
    const calls = await conversation.ask(window);
    await conversation.call(window, calls);
  }
};

export const turn = (dependencies: Dependencies) => {
  const { models, files, tools, ids, readers } = dependencies;

  /** Every file of the history, read once; each is shown where its message stands. */
  const readFiles = async (history: readonly Message[], question: Question, signal: AbortSignal) => {
    const { agent, authorId, purpose, journal, keeper } = question;
    const sharer = { userId: authorId, workspaceId: agent.workspaceId };
    const traits = models.traits(agent.model);
    const read = new Map<string, readonly ReadFile[]>();
    for (const message of history) {
      if (message.attachments.length === 0) continue;
      try {
        const { attachments } = message;
        read.set(message.id, await files.read({ sharer, attachments, traits, journal, keeper }, signal));
      } catch (error) {
        if (purpose === 'run' || !(error instanceof UnitFailure)) throw error;
        read.set(message.id, unreadable(message, error));
      }
    }
    if (purpose === 'run') files.mustBeReadable([...read.values()].flat());
    return read;
  };

  /** The files of a history that is stored, or of the message that begins one: that is stored with the steps of reading its files, even if they cannot be read. */
  const begin = async (question: Question, history: readonly Message[], signal: AbortSignal) => {
    if (history.length > 0) return { history, files: await readFiles(history, question, signal) };
    const { userMessage, userProvenance: provenance, attachments, authorId, journal } = question;
    const content = storable(userMessage);
    const opening = newMessage(dependencies, { role: 'user', content, attachments, authorId, provenance });
    try {
      // To die here costs the reading: nothing is stored, and another process reads the files again.
      return { history: [opening], files: await readFiles([opening], question, signal) };
    } finally {
      await journal.append([opening], NO_USAGE);
    }
  };

  const conversationOf = async (question: Question, signal: AbortSignal): Promise<Conversation> => {
    const { agent, caller } = question;
    const readable = withholding(caller === null ? noReader : readers(caller));
    const history: Message[] = [];
    for (const message of question.history) history.push(await readable(message));
    // A summary of a history with gaps would replace what other users may read.
    const mayBeSummarised = history.every((message, index) => message === question.history[index]);
    const begun = await begin(question, history, signal);
    const offered = caller === null ? [] : (await tools.toolsOf(agent, caller)).tools;
    const fence = ids.nonce();
    const instructions = instructionsFor(agent, fence);
    const budget = { traits: models.traits(agent.model), instructions, tools: specsOf(offered) };
    return new Conversation(
      dependencies,
      question,
      { ...begun, mayBeSummarised, tools: offered, fence, budget },
      signal,
    );
  };

  return {
    /** The document of an extraction, null of an assistant's answer. Rejects with UnitFailure, or with the signal's reason. */
    async answer(question: Question, signal: AbortSignal): Promise<ExtractedDocument | null> {
      const conversation = await conversationOf(question, signal);
      const { documentSchema } = question.agent;
      if (documentSchema !== null) return extractInWindows(conversation, documentSchema);
      await chat(conversation);
      return null;
    },
  };
};

export type Turn = ReturnType<typeof turn>;
