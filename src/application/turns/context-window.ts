import type { Message } from '../../domain/conversation.ts';
import { type ModelContent, ModelError, type ModelMessage, type Models, type Step } from '../ports/models.ts';
import { caution } from '../shared/fence.ts';
import { clipped, keptFrom, note, show, summaryPart, totalOf, transcript, withoutOldResults } from './history.ts';
import type { Journal } from './journal.ts';

interface Terms {
  readonly models: Models;
  readonly model: string;
  readonly fence: string;
  /** Grows while the turn goes on. */
  readonly history: readonly Message[];
  readonly personId: string;
  readonly filesOf: (messageId: string) => readonly ModelContent[];
  /** What came before the history. */
  readonly earlier: ModelContent | null;
  readonly journal: Pick<Journal, 'append' | 'summarise'>;
  /** How many characters of conversation are shown at most. */
  readonly room: number;
  /** Whether text may be cut that does not fit; else, what is too long is an error. Results of tools may always be left out. */
  readonly mayCut: () => boolean;
}

const HALVINGS = 2;
const MAX_SUMMARY = 8000;
const SUMMARISE =
  'You are given the earlier part of a conversation between a user and an assistant that calls tools. ' +
  'Sum it up for the assistant, who will see your summary in its place: what the user wants, what was found out (names, numbers, ids), ' +
  'what was done and what is still open. Answer with the summary alone, in at most 500 words.';

const isTooLong = (error: unknown) => error instanceof ModelError && error.code === 'model_input_too_long';

/** What a model is shown of a conversation: all of it if that fits, else without old tool results, else with a summary of what came first. */
export const contextWindow = (terms: Terms) => {
  const { models, model, fence, history, journal, room: whole, mayCut } = terms;
  let before = terms.earlier;
  let from = 0;
  let answered: readonly ModelMessage[] | null = null;

  const shown = (to = history.length) => [
    ...(before === null ? [] : [{ role: 'user' as const, content: [before] }]),
    ...show(history.slice(from, to), terms),
  ];

  const firstAnswer = () => {
    const at = history.findIndex(({ role }) => role === 'assistant');
    return at === -1 ? history.length : at;
  };

  const summaryOf = async (older: readonly Message[], room: number, signal: AbortSignal): Promise<string | null> => {
    const text: ModelContent = {
      type: 'quote',
      of: 'earlier part of the conversation',
      text: transcript(older, Math.floor(room / 2)),
    };
    const messages = [{ role: 'user' as const, content: [...(before === null ? [] : [before]), text] }];
    const asked = { model, instructions: `${SUMMARISE}\n\n${caution(fence)}`, fence, messages };
    try {
      const step = await models.step({ ...asked, tools: [], outputSchema: null }, signal);
      await journal.append([], step.usage);
      return step.text.trim().slice(0, MAX_SUMMARY).toWellFormed() || null;
    } catch (error) {
      if (error instanceof ModelError) return null;
      throw error;
    }
  };

  const leaveOutOldest = async (room: number, signal: AbortSignal) => {
    const keep = from + keptFrom(history.slice(from), Math.floor(room / 2));
    const older = history.slice(from, keep);
    const last = older.at(-1);
    if (!last) return;
    const summary = journal.summarise ? await summaryOf(older, room, signal) : null;
    if (summary !== null) await journal.summarise?.({ text: summary, through: last.id });
    before = summary === null ? (before ?? note('Earlier messages are left out.')) : summaryPart(summary);
    from = keep;
  };

  const fitting = async (room: number, signal: AbortSignal): Promise<readonly ModelMessage[]> => {
    const lean = withoutOldResults(shown(), room);
    if (totalOf(lean) <= room) return lean;
    if (!mayCut())
      throw new ModelError('model_input_too_long', 'The conversation does not fit into the window of the model.');
    await leaveOutOldest(room, signal);
    return clipped(withoutOldResults(shown(), room), room);
  };

  return {
    /** Asks with what fits into the model's window; what a provider finds too long all the same is halved, twice at most, if text may be cut. */
    async ask(step: (messages: readonly ModelMessage[]) => Promise<Step>, signal: AbortSignal): Promise<Step> {
      let room = whole;
      for (let halved = 0; ; halved++) {
        try {
          const messages = await fitting(room, signal);
          const answer = await step(messages);
          answered ??= messages;
          return answer;
        } catch (error) {
          if (!isTooLong(error) || !mayCut() || halved >= HALVINGS) throw error;
          room = Math.floor(room / 2);
        }
      }
    },
    /** What the first answer was given to; before there is one, what it will be given to. Later steps may leave out what is old. */
    opening: () => answered ?? clipped(shown(firstAnswer()), whole),
  };
};
