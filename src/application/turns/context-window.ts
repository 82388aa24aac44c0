import type { Message } from '../../domain/conversation.ts';
import type { ModelContent, ModelMessage } from '../ports/models.ts';
import { clipped, keptFrom, note, show, summaryPart, withoutOldResults } from './history.ts';

/** Which messages of a conversation a model is asked about, and how much of them it can be shown. */
export interface Excerpt {
  /** Stands before the others; null if it is one of them. */
  readonly opening: Message | null;
  /** The place of the first message in the history, */
  readonly since: number;
  /** and the place behind the last one; null while more are to come. */
  readonly until: number | null;
  /** What is shown with messages, by their ids. */
  readonly files: ReadonlyMap<string, readonly ModelContent[]>;
  /** How many characters are shown at most. */
  readonly room: number;
  /** Whether less of the files can be asked about instead if it is too long. */
  readonly mayBeSplit: boolean;
}

interface Terms extends Excerpt {
  /** Grows while the turn goes on. */
  readonly history: readonly Message[];
  /** What came before the history. */
  readonly earlier: ModelContent | null;
  /** Who asks now. */
  readonly personId: string;
}

/** The messages that a model is asked about, and what it is shown of them: all if that fits, else without old tool results, else with a summary of what came first. */
export class ContextWindow {
  readonly room: number;
  readonly mayBeSplit: boolean;
  readonly #terms: Terms;
  #before: ModelContent | null;
  #from = 0;
  #answeredTo: readonly ModelMessage[] | null = null;

  constructor(terms: Terms) {
    this.#terms = terms;
    this.room = terms.room;
    this.mayBeSplit = terms.mayBeSplit;
    this.#before = terms.earlier;
  }

  get messages(): readonly Message[] {
    const { history, opening, since, until } = this.#terms;
    return [...(opening === null ? [] : [opening]), ...history.slice(since, until ?? history.length)];
  }

  /** The assistant's newest answer; null while it is to be asked. */
  get answer(): string | null {
    const last = this.messages.at(-1);
    return last?.role === 'assistant' ? last.content : null;
  }

  /** How many steps the question has taken: a process that takes over has those that are left. */
  get steps(): number {
    return this.sinceQuestion().filter(({ role }) => role === 'assistant').length;
  }

  /** What was said since the question: what Portico asks in between is no question of its own. */
  sinceQuestion(): readonly Message[] {
    const { messages } = this;
    return messages.slice(
      messages.findLastIndex(({ role, provenance }) => role === 'user' && provenance?.own !== true) + 1,
    );
  }

  /**
   * Whether text may be cut that does not fit; else, what is too long is an error. Old results of tools may always be left out. Where there
   * are any, they are what is too long, not the files: about less of those the tools would be called again.
   */
  get mayCut(): boolean {
    return !this.mayBeSplit || this.messages.some(({ role }) => role === 'tool');
  }

  /** What is shown as long as it fits. */
  lean(room: number): readonly ModelMessage[] {
    return withoutOldResults(this.#shown(), room);
  }

  /** What is shown before the messages, of those that came earlier; null for nothing. */
  get before(): ModelContent | null {
    return this.#before;
  }

  /** The oldest messages that are shown, without which the rest fits; none if all of them belong to the newest turn. */
  oldest(room: number): readonly Message[] {
    const shown = this.messages.slice(this.#from);
    return shown.slice(0, keptFrom(shown, Math.floor(room / 2)));
  }

  /** Shows a summary in place of the oldest messages, or a note if there is none. */
  leaveOut(oldest: readonly Message[], summary: string | null): void {
    this.#before = summary === null ? (this.#before ?? note('Earlier messages are left out.')) : summaryPart(summary);
    this.#from += oldest.length;
  }

  /** What fits, whatever has to be cut for it. */
  cut(room: number): readonly ModelMessage[] {
    return clipped(this.lean(room), room);
  }

  /** The first answer was given to these messages. */
  answered(messages: readonly ModelMessage[]): void {
    this.#answeredTo ??= messages;
  }

  /** What the first answer was given to; before there is one, what it will be given to. Later steps may leave out what is old. */
  firstShown(): readonly ModelMessage[] {
    const at = this.messages.findIndex(({ role }) => role === 'assistant');
    return this.#answeredTo ?? clipped(this.#shown(at === -1 ? undefined : at), this.room);
  }

  #shown(to?: number): readonly ModelMessage[] {
    const { personId, files } = this.#terms;
    const before = this.#before === null ? [] : [{ role: 'user' as const, content: [this.#before] }];
    return [...before, ...show(this.messages.slice(this.#from, to), personId, files)];
  }
}
