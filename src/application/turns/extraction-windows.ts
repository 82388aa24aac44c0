import type { Message } from '../../domain/conversation.ts';
import { sizeDefect } from '../../domain/document-data.ts';
import type { ValidationError } from '../../domain/errors.ts';
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
import type { ModelContent } from '../ports/models.ts';
import { inSlices } from '../shared/async.ts';
import { coverageOf, shownOf } from './coverage.ts';
import { answeredBefore, type Exchange, ExchangeTooLong } from './exchange.ts';
import {
  type AnsweredDocument,
  type Checked,
  checkAnswer,
  type ExtractedDocument,
  extractionSchema,
  type Fit,
  placed,
  type SupportedQuote,
  supported,
} from './extraction.ts';
import { contentOf, type ReadFile } from './file-reader.ts';
import { type FileWindow, type FileWindows, fileWindows } from './file-windows.ts';
import { type Journal, type MessageFields, OWN } from './journal.ts';
import { partialSchema } from './partial-schema.ts';
import { UnitFailure } from './unit-failure.ts';
import { earlierParts, type StoredWindow, storedWindows, windowNote } from './window-messages.ts';

/** How an exchange about a window begins. */
export interface WindowTerms extends Pick<Exchange, 'check' | 'mayBeSplit'> {
  /** The message that begins the conversation, and those about this window. */
  readonly history: Message[];
  /** What is shown with the first of them. */
  readonly content: readonly ModelContent[];
  readonly outputSchema: JsonSchema;
}

interface Terms {
  readonly schema: JsonSchema;
  readonly files: readonly ReadFile[];
  /** The whole conversation; grows. */
  readonly history: readonly Message[];
  /** How many characters the model is asked about at once. */
  readonly room: number;
  readonly journal: Pick<Journal, 'step'>;
  /** What is wrong with data by a schema. */
  errorsOf(schema: JsonSchema, data: JsonObject): Promise<readonly ValidationError[]>;
  add(message: MessageFields): Promise<unknown>;
  begin(terms: WindowTerms): Exchange;
  /** Asks until there is an answer. */
  finish(exchange: Exchange): Promise<AnsweredDocument>;
}

/** No window is made smaller than this. */
const MIN_WINDOW = 200;
/** What is longer is left out, and stands in the coverage. */
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
const pacing = (first: number) => {
  let room = first;
  let most = Number.POSITIVE_INFINITY;
  let longest = 0;
  let timeouts = 0;
  let inARow = 0;
  return {
    room: (available: number) => Math.max(MIN_WINDOW, Math.min(available, room, most)),
    /** Whether it is worth another try. The first time half of the window is left, then ever less: an answer that is cut off takes minutes. */
    shrink({ from, to }: FileWindow, { code, answered }: ExchangeTooLong): boolean {
      if (code === 'model_input_too_long') {
        most = Math.floor((to - from) / 2);
        return true;
      }
      inARow += 1;
      room = Math.floor((to - from) / 2 ** inARow);
      longest = Math.max(longest, answered);
      if (code === 'model_timeout') timeouts += 1;
      return timeouts < MOST_TIMEOUTS;
    },
    answered(characters: number): void {
      timeouts = 0;
      inARow = 0;
      if (characters * FAR < longest) room *= 2;
      longest = Math.max(longest, characters);
    },
  };
};

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

/** Files that are being read: what of them is known so far, and how. */
interface Reading extends Terms {
  readonly windows: FileWindows;
  /** The schema of a part. */
  readonly part: JsonSchema;
  /** The message that begins the conversation, as it is shown beside the files. */
  readonly opening: Message;
  readonly pace: ReturnType<typeof pacing>;
  merged: MergedDocument<SupportedQuote>;
  /** What the model was shown. */
  readonly shown: FileWindow[];
}

interface Planned {
  readonly window: FileWindow;
  /** Whether nothing is asked about after it. */
  readonly isLast: boolean;
  readonly isWhole: boolean;
}

const planned = ({ windows: { total } }: Reading, window: FileWindow, count: number): Planned => ({
  window,
  isLast: window.to === total || count === MOST_WINDOWS,
  isWhole: window.from === 0 && window.to === total,
});

const earlierOf = ({ merged, history, room }: Reading, own: readonly Message[]) => {
  const before = history.filter((message) => !own.includes(message));
  return earlierParts(merged, before, Math.floor(room * EARLIER));
};

const next = (reading: Reading, from: number, count: number): Planned => {
  const { windows, opening, room, pace } = reading;
  const context = from === 0 ? null : earlierOf(reading, []);
  const taken = opening.content.length + NOTE_ROOM + (context?.text.length ?? 0);
  return planned(reading, windows.next(from, pace.room(room - taken)), count);
};

/** An answer is checked as that of its window; with the last one, all of them together are to fit the agent's schema. */
const checkIn = (
  { schema, part, merged, errorsOf }: Reading,
  { isLast, isWhole }: Planned,
  own: readonly ReadFile[],
  signal: AbortSignal,
) => {
  const whole: Fit = async (data) => ({ data, errors: await errorsOf(schema, data) });
  const partial: Fit = (data) => withEmptyValues(data, (each) => errorsOf(part, each));
  return async (text: string): Promise<Checked> => {
    const checked = await checkAnswer(text, isWhole ? whole : partial, own, signal);
    if (!('document' in checked) || !isLast || isWhole) return checked;
    const { errors } = await withEmptyValues(mergeDocuments(merged, checked.document).data, (data) =>
      errorsOf(schema, data),
    );
    return errors.length === 0 ? checked : { errors, together: true };
  };
};

/** `known`: the messages about this window that are stored already; null if it has not been asked about. */
const exchangeAbout = async (
  reading: Reading,
  about: Planned,
  known: readonly Message[] | null,
  signal: AbortSignal,
) => {
  const { windows, history, opening, schema, part } = reading;
  const { window, isWhole } = about;
  const own = windows.filesIn(window);
  const context = isWhole ? null : earlierOf(reading, known ?? []);
  const text = windowNote(window, windows.total, own);
  if (known === null && !(isWhole && history.length === 1)) {
    await reading.add({ role: 'user', content: text, authorId: null, provenance: OWN });
  }
  const note: readonly ModelContent[] = isWhole ? [] : [{ type: 'note', text }];
  return reading.begin({
    history: [opening, ...(known ?? [])],
    content: [...(context === null ? [] : [context]), ...own.flatMap((file) => contentOf(file)), ...note],
    outputSchema: extractionSchema(isWhole ? schema : part),
    mayBeSplit: window.to - window.from >= 2 * MIN_WINDOW,
    check: checkIn(reading, about, own, signal),
  });
};

/** The answer about a window; null if it has to be asked about anew, in smaller ones where it was too long. */
const answerOf = ({ finish, pace, journal }: Reading, exchange: Exchange, { window }: Planned, isOver: boolean) =>
  (isOver ? answeredBefore(exchange) : finish(exchange)).catch((error: unknown) => {
    if (!(error instanceof ExchangeTooLong) || !pace.shrink(window, error)) throw error;
    journal.step({ type: 'unit.retried', name: error.code, durationMs: null, usage: null, error: null });
    return null;
  });

const readAll = async (reading: Reading, stored: StoredWindow[], signal: AbortSignal): Promise<number> => {
  const { windows, pace, shown } = reading;
  for (let at = 0, count = 1; ; ) {
    const known = stored.shift();
    const about = known === undefined ? next(reading, at, count) : planned(reading, known.window, count);
    const exchange = await exchangeAbout(reading, about, known?.messages ?? null, signal);
    const answer = await answerOf(reading, exchange, about, stored.length > 0);
    if (answer === null) {
      stored.length = 0;
      continue;
    }
    reading.merged = mergeDocuments(reading.merged, answer);
    mustFit(reading.merged.data);
    shown.push(...shownOf(about.window, windows.filesIn(about.window), exchange.opening()));
    pace.answered(exchange.history.findLast(({ role }) => role === 'assistant')?.content.length ?? 0);
    if (about.isLast) return count;
    at = about.window.to;
    count += 1;
  }
};

/** A value may be the sum of what several windows gave. */
const concluded = async ({ merged, schema, errorsOf, files, shown }: Reading, count: number, signal: AbortSignal) => {
  const { data } = count === 1 ? merged : await withEmptyValues(merged.data, (each) => errorsOf(schema, each));
  mustFit(data);
  const isOpen = count > 1 && merged.evidence.some(({ support }) => support === 'none');
  const quotes = isOpen ? await inSlices(supported(data, merged.evidence), signal) : merged.evidence;
  const fileHashes = files.map(({ sha256 }) => sha256).filter((hash) => hash !== null);
  const contradictions = merged.disagreements.slice(0, MOST_CONTRADICTIONS).map(contradictionOf);
  return {
    data,
    evidence: await inSlices(placed(quotes), signal),
    coverage: coverageOf(files, shown),
    contradictions,
    fileHashes,
  };
};

/** Asks about the files in as many windows as it takes, and merges the answers. Files that fit are asked about as a whole. */
export const extractInWindows = async (terms: Terms, signal: AbortSignal): Promise<ExtractedDocument> => {
  const { schema, files, history, room } = terms;
  const [first, ...rest] = history as readonly [Message, ...Message[]];
  const windows = fileWindows(files);
  const stored = [...storedWindows(rest, windows.total)];
  const last = stored.at(-1)?.window;
  const reading: Reading = {
    ...terms,
    windows,
    part: partialSchema(schema),
    opening: windows.total === 0 ? first : { ...first, content: truncate(first.content, Math.floor(room / 2)) },
    pace: pacing(last === undefined ? Number.POSITIVE_INFINITY : 2 * (last.to - last.from)),
    merged: NOTHING_MERGED,
    shown: [],
  };
  return concluded(reading, await readAll(reading, stored, signal), signal);
};
