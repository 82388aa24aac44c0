import type { Agent } from '../../domain/agent.ts';
import type { Attachment, Message, Provenance } from '../../domain/conversation.ts';
import { parseJson } from '../../domain/json-number.ts';
import { type ClaimedPart, claimsIn, divisionSchema } from '../../domain/routing/question.ts';
import type { Sharer } from '../../domain/sharer.ts';
import { storable } from '../../domain/text.ts';
import { type ModelContent, ModelError, type Models, type StepRequest } from '../ports/models.ts';
import type { Clock, Ids } from '../ports/runtime.ts';
import { caution } from '../shared/fence.ts';
import type { DivisionWindow } from './division.ts';
import { partContent, type ReadKeeper } from './file-reader.ts';
import { extractionRoomIn } from './history.ts';
import { type Journal, type NO_USAGE, newMessage, OWN, timed } from './journal.ts';
import { reservedStep } from './reserved-step.ts';
import { UnitFailure } from './unit-failure.ts';

/** Small pictures of pages, for models that take them; a page that cannot be drawn has none. */
export type PagePictures = (
  sharer: Sharer,
  file: Attachment,
  place: { readonly fileName: string; readonly pages: readonly number[] },
  signal: AbortSignal,
) => Promise<readonly ModelContent[]>;

export interface DivisionServices {
  readonly models: Models;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly pictures: PagePictures;
}

/** Files of a run that are to be divided. */
export interface DivisionAsked {
  readonly agent: Agent;
  /** What is stored already of the conversation in which the model is asked. */
  readonly history: readonly Message[];
  /** What each of them is called in the run, and its place there. */
  readonly files: readonly { readonly attachment: Attachment; readonly name: string; readonly fileIndex: number }[];
  readonly userMessage: string;
  readonly userProvenance: Provenance | null;
  readonly authorId: string;
  readonly journal: Journal;
  readonly keeper: ReadKeeper;
}

const TASK = `You are given pages of a file that may hold several documents one after the other, or with their pages mixed. Divide the pages into those documents.
The question is JSON: "parts" are the kinds of documents that there are, with what each is; "split_by" is how the file is divided (with "page", "blank_page" and "none" only say of each page which kind it is of);
"pages" says which pages of the file you see; "earlier" are the parts that pages before these belong to, by their numbers; "separators" are the words of sheets that stand between documents and belong to none.
Answer with "parts": for each document its kind as "name", and as "pages" the numbers of all of its pages that you see. Each page belongs to one document at most; blank pages between documents, separator sheets and pages of no kind belong to none.
If a document is the continuation of an earlier part, "continues" is the number of that part, else null. "quote" is the line of the page "page" that says what the document is, copied verbatim; "confidence" is how sure you are, from 0 to 1.
For a file without pages answer at most one part, whose "pages" are empty and whose "page" is null.`;

const ATTEMPTS = 2;

const parsed = (text: string): readonly ClaimedPart[] | null => {
  try {
    return claimsIn(parseJson(/^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text));
  } catch {
    return null;
  }
};

/** How a model is asked where the documents of a file begin. An answer is stored with its question, so that another process does not ask it again. */
export const divisionQuestions = (services: DivisionServices, question: DivisionAsked, signal: AbortSignal) => {
  const { models, ids, pictures } = services;
  const { agent, journal, history, files, authorId } = question;
  const traits = models.traits(agent.model);
  const schema = divisionSchema(agent.parts.map(({ name }) => name));
  const fence = ids.nonce();
  const instructions = [agent.instructions.trim(), TASK, caution(fence)].filter((text) => text !== '').join('\n\n');
  const { files: room } = extractionRoomIn({ traits, instructions, tools: [] }, schema);

  const answered = new Map(
    history.flatMap(({ role, content }, index) => {
      const next = history[index + 1];
      return role === 'user' && next?.role === 'assistant' ? [[content, next.content] as const] : [];
    }),
  );

  const store = async (question: string, answer: string, usage: typeof NO_USAGE) => {
    const note = newMessage(services, { role: 'user', content: question, authorId: null, provenance: OWN });
    await journal.append(
      [note, newMessage(services, { role: 'assistant', content: storable(answer), authorId })],
      usage,
    );
  };

  const step = async (content: readonly ModelContent[]) => {
    const request: StepRequest = {
      model: agent.model,
      instructions,
      fence,
      messages: [{ role: 'user', content }],
      tools: [],
      outputSchema: schema,
    };
    const made = () => models.step(request, signal);
    const step = () =>
      timed(journal, { type: 'unit.model_called', name: agent.model }, made, ({ usage }) => ({ usage }));
    return reservedStep(request, step, { journal, models, pagesOcr: 0, signal }).catch((error: unknown) => {
      throw error instanceof ModelError ? new UnitFailure(error.code, error.message, { cause: error }) : error;
    });
  };

  const shown = async ({ part, fileIndex, question: { file_name: fileName } }: DivisionWindow) => {
    const file = files.find((each) => each.fileIndex === fileIndex)?.attachment;
    if (!traits.images || file === undefined) return [];
    const pages = part.pages.flatMap(({ number }) => number ?? []);
    return pictures({ userId: authorId, workspaceId: agent.workspaceId }, file, { fileName, pages }, signal);
  };

  return {
    room: traits.outputTokens === 0 ? Number.POSITIVE_INFINITY : room,

    async ask(window: DivisionWindow): Promise<readonly ClaimedPart[]> {
      const question = storable(JSON.stringify(window.question));
      const before = parsed(answered.get(question) ?? '');
      if (before !== null) return before;
      const content: readonly ModelContent[] = [
        { type: 'note', text: question },
        ...partContent(window.part),
        ...(await shown(window)),
      ];
      for (let attempt = 1; ; attempt += 1) {
        const { text, usage } = await step(content);
        const claims = parsed(text);
        if (claims !== null) {
          await store(question, text, usage);
          return claims;
        }
        await journal.append([], usage);
        if (attempt === ATTEMPTS)
          throw new UnitFailure(
            'invalid_output',
            'The model did not say what the file is divided into in a form that can be read.',
          );
        journal.step({ type: 'unit.retried', name: 'invalid_output', durationMs: null, usage: null, error: null });
      }
    },
  };
};
