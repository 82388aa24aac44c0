import type { Message } from '../../domain/conversation.ts';
import { sizeDefect } from '../../domain/document-data.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../../domain/json.ts';
import {
  type Disagreement,
  type MergedDocument,
  mergeDocuments,
  NOTHING_MERGED,
  withEmptyValues,
} from '../../domain/merged-document.ts';
import type { Contradiction } from '../../domain/review.ts';
import { shorten, truncate } from '../../domain/text.ts';
import { inSlices } from '../shared/async.ts';
import type { ContextWindow } from './context-window.ts';
import { type Conversation, TooLong } from './conversation.ts';
import { eInvoiceData } from './e-invoices.ts';
import { placed, type SupportedQuote, supported } from './evidence.ts';
import { type AnsweredDocument, answeredBefore, type ExtractedDocument, extract, type Task } from './extraction.ts';
import { partialSchema } from './extraction-schemas.ts';
import { contentOf, pagesByOcr, type ReadFile } from './file-reader.ts';
import { coverageOf, type FileWindow, type FileWindows, fileWindows, shownOf } from './file-windows.ts';
import { extractionRoomIn } from './history.ts';
import { UnitFailure } from './unit-failure.ts';
import { earlierParts, type StoredWindow, storedWindows, windowNote } from './window-messages.ts';

/** No window is made smaller than this. */
const MIN_WINDOW = 200;
/** The text beyond so many windows is left out, and the coverage says so. */
const MOST_WINDOWS = 1000;
/** How much shorter than the longest an answer is before more is asked about: tables go on for many windows. */
const FAR = 4;
/** For the question about a window. */
const NOTE_ROOM = 500;
/** The part of the room that is for what the earlier parts gave. */
const EARLIER = 1 / 8;

/** How often in a row a model may run out of time: then it is not the length of its answer. */
const MOST_TIMEOUTS = 4;

/** How much of the files is asked about next: less after what was too long, and more again once answers are far shorter than others were. */
class Pace {
  #room: number;
  #most = Number.POSITIVE_INFINITY;
  #longest = 0;
  #timeouts = 0;
  #inARow = 0;

  /** Goes on from the last window that was asked about; null if there is none. */
  constructor(last: FileWindow | null) {
    this.#room = last === null ? Number.POSITIVE_INFINITY : 2 * (last.to - last.from);
  }

  room(available: number): number {
    return Math.max(MIN_WINDOW, Math.min(available, this.#room, this.#most));
  }

  /** Whether it is worth another try. The first time half of the window is left, then ever less: an answer that is cut off takes minutes. */
  shrink({ from, to }: FileWindow, { code, answered }: TooLong): boolean {
    if (code === 'model_input_too_long') {
      this.#most = Math.floor((to - from) / 2);
      return true;
    }
    this.#inARow += 1;
    this.#room = Math.floor((to - from) / 2 ** this.#inARow);
    this.#longest = Math.max(this.#longest, answered);
    if (code === 'model_timeout') this.#timeouts += 1;
    return this.#timeouts < MOST_TIMEOUTS;
  }

  answered(characters: number): void {
    this.#timeouts = 0;
    this.#inARow = 0;
    if (characters * FAR < this.#longest) this.#room *= 2;
    this.#longest = Math.max(this.#longest, characters);
  }
}

const MAX_SHOWN = 200;
const MOST_CONTRADICTIONS = 100;

const contradictionOf = ({ pointer, first, later, evidence }: Disagreement<SupportedQuote>): Contradiction => {
  const shown = (value: JsonValue) => shorten(JSON.stringify(value), MAX_SHOWN);
  const page = evidence?.page.number == null ? '' : `page ${evidence.page.number} of `;
  const where =
    evidence === null ? 'a later part of the files' : `${page}${shorten(evidence.page.fileName, MAX_SHOWN)}`;
  return { pointer, message: `The files state ${shown(first)} first, but ${where} states ${shown(later)}.` };
};

/** Fails the unit where no document can hold what its files have. */
const mustFit = (data: JsonObject): void => {
  const defect = sizeDefect(data);
  if (defect === null) return;
  throw new UnitFailure(
    'document_too_large',
    `The files make a document that ${defect}: split them, or extract less of them.`,
  );
};

const hashesOf = (files: readonly ReadFile[]): readonly string[] =>
  files.map(({ sha256 }) => sha256).filter((hash) => hash !== null);

/** A part of the files that the model is asked about. */
interface Part {
  readonly window: FileWindow;
  /** What stands in it. */
  readonly files: readonly ReadFile[];
  /** Whether nothing is asked about after it. */
  readonly isLast: boolean;
  readonly isWhole: boolean;
}

/** The files of a conversation while a document is made of them. */
class Extraction {
  readonly #conversation: Conversation;
  readonly #schema: JsonSchema;
  readonly #partialSchema: JsonSchema;
  readonly #files: readonly ReadFile[];
  readonly #windows: FileWindows;
  readonly #room: ReturnType<typeof extractionRoomIn>;
  /** The message that begins the conversation, as it is shown beside the files. */
  readonly #opening: Message;
  /** The windows that the model was asked about already: an answer that is stored among them is not asked for again. */
  readonly #stored: StoredWindow[];
  readonly #pace: Pace;
  /** What the model was shown. */
  readonly #shown: FileWindow[] = [];
  #merged: MergedDocument<SupportedQuote> = NOTHING_MERGED;

  constructor(conversation: Conversation, schema: JsonSchema) {
    const [first] = conversation.history as readonly [Message, ...Message[]];
    this.#conversation = conversation;
    this.#schema = schema;
    this.#partialSchema = partialSchema(schema);
    this.#files = [...conversation.files.values()].flat();
    this.#windows = fileWindows(this.#files);
    this.#room = extractionRoomIn(conversation.budget, schema);
    const { total } = this.#windows;
    const content = total === 0 ? first.content : truncate(first.content, Math.floor(this.#room.files / 2));
    this.#opening = { ...first, content };
    this.#stored = [...storedWindows(conversation.history, total)];
    this.#pace = new Pace(this.#stored.at(-1)?.window ?? null);
  }

  /** Asks about one window after the other, and merges the answers. */
  async document(): Promise<ExtractedDocument> {
    for (let at = 0, count = 1; ; ) {
      const stored = this.#stored.shift() ?? null;
      const part = this.#partOf(stored?.window ?? this.#next(at), count);
      const window = await this.#open(part, stored);
      const answer = await this.#answerAbout(part, window);
      if (answer === null) {
        this.#stored.length = 0;
        continue;
      }
      this.#merged = mergeDocuments(this.#merged, answer);
      mustFit(this.#merged.data);
      this.#shown.push(...shownOf(part.window, part.files, window.firstShown()));
      this.#pace.answered(window.messages.findLast(({ role }) => role === 'assistant')?.content.length ?? 0);
      if (part.isLast) return this.#conclude(count);
      at = part.window.to;
      count += 1;
    }
  }

  #partOf(window: FileWindow, count: number): Part {
    const { total } = this.#windows;
    return {
      window,
      files: this.#windows.filesIn(window),
      isLast: window.to === total || count === MOST_WINDOWS,
      isWhole: window.from === 0 && window.to === total,
    };
  }

  #next(from: number): FileWindow {
    const earlier = from === 0 ? null : this.#earlier(null);
    const taken = this.#opening.content.length + NOTE_ROOM + (earlier?.text.length ?? 0);
    return this.#windows.next(from, this.#pace.room(this.#room.files - taken));
  }

  /** What the parts before gave, without the messages about this one. */
  #earlier(stored: StoredWindow | null) {
    const { history } = this.#conversation;
    const about = stored === null ? [] : history.slice(stored.since, stored.until ?? history.length);
    const before = history.filter((message) => !about.includes(message));
    return earlierParts(this.#merged, before, Math.floor(this.#room.files * EARLIER));
  }

  async #open({ window, files, isWhole }: Part, stored: StoredWindow | null): Promise<ContextWindow> {
    const earlier = isWhole ? null : this.#earlier(stored);
    const note = windowNote(window, this.#windows.total, files);
    const isNamed = stored !== null || (isWhole && this.#conversation.history.length === 1);
    // To die behind this costs no window: the note names the part, and another process goes on with it.
    if (!isNamed) await this.#conversation.instruct(note);
    const content = [
      ...(earlier === null ? [] : [earlier]),
      ...files.flatMap((file) => contentOf(file)),
      ...(isWhole ? [] : [{ type: 'note' as const, text: note }]),
    ];
    return this.#conversation.window({
      opening: this.#opening,
      since: stored?.since ?? this.#conversation.history.length,
      until: stored?.until ?? null,
      files: new Map([[this.#opening.id, content]]),
      room: this.#room.exchange,
      mayBeSplit: window.to - window.from >= 2 * MIN_WINDOW,
    });
  }

  /** null if it has to be asked about anew, in smaller parts where it was too long. */
  async #answerAbout(
    { window: fileWindow, files, isLast, isWhole }: Part,
    window: ContextWindow,
  ): Promise<AnsweredDocument | null> {
    const part = isWhole ? null : this.#partialSchema;
    const task: Task = { schema: this.#schema, part, files, before: isLast && !isWhole ? this.#merged : null };
    const isOver = this.#stored.length > 0;
    try {
      return await (isOver ? answeredBefore : extract)(this.#conversation, window, task);
    } catch (error) {
      if (!(error instanceof TooLong) || !this.#pace.shrink(fileWindow, error)) throw error;
      this.#conversation.noteRetry(error.code);
      return null;
    }
  }

  /** Nothing of this is stored before the document is: another process makes it again of the stored answers. */
  async #conclude(count: number): Promise<ExtractedDocument> {
    const { data: merged, evidence, disagreements } = this.#merged;
    // A value may be the sum of what several parts gave.
    const { data } =
      count === 1
        ? { data: merged }
        : await withEmptyValues(merged, (fitted) => this.#conversation.errorsOf(this.#schema, fitted));
    mustFit(data);
    const isOpen = count > 1 && evidence.some(({ support }) => support === 'none');
    const quotes = isOpen ? await inSlices(supported(data, evidence), this.#conversation.signal) : evidence;
    return {
      data,
      evidence: await inSlices(placed(data, quotes), this.#conversation.signal),
      coverage: coverageOf(this.#files, this.#shown),
      einvoice: null,
      contradictions: disagreements.slice(0, MOST_CONTRADICTIONS).map(contradictionOf),
      fileHashes: hashesOf(this.#files),
      pagesOcr: pagesByOcr(this.#files),
    };
  }
}

/** What is known of files about which no model is asked. */
const readByTerms = (files: readonly ReadFile[]): ExtractedDocument => ({
  data: {},
  evidence: {},
  coverage: coverageOf(files, [{ from: 0, to: fileWindows(files).total }]),
  einvoice: null,
  contradictions: [],
  fileHashes: hashesOf(files),
  pagesOcr: pagesByOcr(files),
});

/**
 * The document of the files: what an e-invoice among them has of it is taken from there, and the model is asked for the rest, about the files
 * as a whole if they fit, else in as many windows as it takes.
 */
export const extractInWindows = async (conversation: Conversation, schema: JsonSchema): Promise<ExtractedDocument> => {
  const files = [...conversation.files.values()].flat();
  const invoice = await eInvoiceData(conversation, files, schema);
  if (invoice === null) return new Extraction(conversation, schema).document();
  const { asked: rest, complete } = invoice;
  return complete(rest === null ? readByTerms(files) : await new Extraction(conversation, rest).document());
};
