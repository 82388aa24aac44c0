import type { Agent } from '../../domain/agent.ts';
import { placeQuotes } from '../../domain/quote-places.ts';
import { blanksFolded, quoteSearch } from '../../domain/quoted-text.ts';
import { addClaims, mostClaimed, type OpenPart, sure } from '../../domain/routing/claimed-parts.ts';
import { type Part, type PartEvidence, type Split, type SplitFile, usualSplit } from '../../domain/routing/part.ts';
import { exactly } from '../../domain/routing/partition.ts';
import type { ClaimedPart, DivisionQuestion, EarlierPart } from '../../domain/routing/question.ts';
import { isBlank, type Sheet, separates, stretchesOf } from '../../domain/routing/sheets.ts';
import { storable } from '../../domain/text.ts';
import { type SingleFile, singleFiles } from '../files/file-parts.ts';
import type { ModelTraits } from '../ports/models.ts';
import { inSlices } from '../shared/async.ts';
import type { ReadFile, ReadPart } from './file-reader.ts';

/** A file of a run that is divided; `name` is what it is called in the run. */
interface FileToDivide {
  readonly name: string;
  readonly fileIndex: number;
  readonly read: ReadFile;
}

/** Some pages that a model is asked about. */
export interface DivisionWindow {
  readonly question: DivisionQuestion;
  /** The part with these pages alone; all of it if it has no pages. */
  readonly part: ReadPart;
  readonly fileIndex: number;
}

export interface DividedFiles {
  readonly files: readonly (SplitFile & { readonly fileIndex: number })[];
  readonly parts: readonly (Part & { readonly fileIndex: number })[];
}

interface Terms {
  readonly agent: Pick<Agent, 'split' | 'parts'>;
  readonly traits: ModelTraits;
  /** How many characters of pages a window may have. */
  readonly room: number;
  readonly ask: (window: DivisionWindow) => Promise<readonly ClaimedPart[]>;
  readonly signal: AbortSignal;
}

/** A window of a model that needs room for its answer; the first pages of the next are its last ones. */
const MOST_PAGES = 40;
const OVERLAP = 2;
/** What stands on the first lines of a page says what it is. */
const MOST_OF_PAGE = 4000;
const MOST_EARLIER = 50;
const MOST_QUOTE = 500;

const sheetsOf = ({ pages, layouts, notes = [] }: ReadPart): readonly Sheet[] => {
  const texts = new Map(pages.flatMap((page) => (page.number === null ? [] : [[page.number, page] as const])));
  const noted = new Set(notes.flatMap(({ kind, page }) => (kind === 'unread' && page !== null ? [page] : [])));
  const last = Math.max(0, ...layouts.map(({ number }) => number), ...texts.keys());
  const beyond = (texts.get(last)?.unread?.pages ?? 1) - 1;
  return Array.from({ length: last === 0 ? 0 : last + Math.max(0, beyond) }, (_, index) => {
    const page = index + 1;
    const read = texts.get(page);
    const isUnread = noted.has(page) || read === undefined || read.unread !== undefined;
    return { page, text: read?.text ?? '', isUnread };
  });
};

/** Holds other files and says nothing itself. */
const isShell = (file: SingleFile<ReadPart>, all: readonly ReadPart[]): boolean => {
  const [part] = file.parts;
  const holds = all.some(({ within }) => within !== undefined && within.split(' › ').at(-1) === part.fileName);
  return holds && part.layouts.length === 0 && part.pages.every(({ text }) => text.trim() === '');
};

/** Where the words stand that a part is claimed for; nothing if they do not stand there. */
const evidenceOf = async (
  part: ReadPart,
  { quote, quotePage, pages }: Pick<OpenPart, 'quote' | 'quotePage' | 'pages'>,
): Promise<readonly PartEvidence[]> => {
  const wanted = blanksFolded(quote ?? '')
    .slice(0, MOST_QUOTE)
    .trim();
  if (wanted === '') return [];
  const places = [quotePage, pages.size === 0 ? null : Math.min(...pages)];
  const candidates = places.flatMap((number) => part.pages.find((page) => page.number === number) ?? []);
  const page = candidates.find(({ text }) => quoteSearch(blanksFolded(text))(wanted) !== -1);
  if (page === undefined) return [];
  const layout = part.layouts.find(({ number }) => number === page.number);
  const quotes = layout === undefined ? [] : [{ pointer: '', value: null, quote: wanted, layout }];
  const placed = await inSlices(placeQuotes(quotes));
  return [{ page: page.number, quote: storable(wanted), boxes: placed.get('')?.boxes ?? [] }];
};

/** One file while it is divided. */
interface FileDivision {
  readonly part: ReadPart;
  readonly fileName: string;
  readonly fileIndex: number;
  readonly sheets: readonly Sheet[];
  readonly question: Omit<DivisionQuestion, 'pages' | 'earlier'>;
  readonly names: ReadonlySet<string>;
}

/** A file without pages is one part, or none. */
const asWhole = async ({ part, fileName, fileIndex, question, names }: FileDivision, { ask }: Terms) => {
  if (part.unreadable !== null && part.native === null) return [];
  const claims = await ask({ question: { ...question, pages: null, earlier: [] }, part, fileIndex });
  const claim = claims.find(({ name }) => names.has(name));
  if (claim === undefined) return [];
  const { name, quote } = claim;
  const evidence = await evidenceOf(part, { quote, quotePage: null, pages: new Set() });
  return [{ name, fileName, pages: [], evidence, confidence: sure(claim.confidence) }];
};

/** The pages of the next window, of which those before `at` were in the one before. */
const nextWindow = (sheets: readonly Sheet[], at: number, { traits, room }: Terms) => {
  const isBounded = traits.outputTokens > 0;
  const from = isBounded ? Math.max(0, at - OVERLAP) : at;
  let left = room;
  let to = from;
  for (; to < sheets.length && (!isBounded || to - from < MOST_PAGES); to += 1) {
    left -= Math.min(MOST_OF_PAGE, sheets[to]?.text.length ?? 0);
    if (left < 0 && to > at) break;
  }
  const texts = sheets.slice(from, to).map(({ page, text }) => ({
    number: page,
    text: isBounded ? text.slice(0, MOST_OF_PAGE) : text,
  }));
  return { from, to, texts };
};

const earlierParts = (open: readonly OpenPart[]): readonly EarlierPart[] =>
  open
    .map(({ name, pages, quote }, part) => ({ part, name, last_page: Math.max(...pages), quote }))
    .sort((a, b) => a.last_page - b.last_page)
    .slice(-MOST_EARLIER);

/** What a model makes of the pages, window by window. */
const openParts = async ({ part, fileIndex, sheets, question, names }: FileDivision, terms: Terms) => {
  const open: OpenPart[] = [];
  for (let at = 0; at < sheets.length; ) {
    terms.signal.throwIfAborted();
    const { from, to, texts } = nextWindow(sheets, at, terms);
    const pages = { from: from + 1, to, of: sheets.length };
    const claims = await terms.ask({
      question: { ...question, pages, earlier: earlierParts(open) },
      part: { ...part, pages: texts, native: null },
      fileIndex,
    });
    addClaims(open, claims, { from: at + 1, to, names });
    at = to;
  }
  return open;
};

/** The parts of a file with pages. By a rule, a model only says what each stretch is. */
const asPages = async (file: FileDivision, blank: ReadonlySet<number>, split: Split, terms: Terms) => {
  const open = await openParts(file, terms);
  const separators = new Set(file.sheets.filter((sheet) => separates(sheet, split.separators)).map(({ page }) => page));
  const stretches = stretchesOf(file.sheets, split);
  const kept =
    stretches === null
      ? open.map((each) => ({ ...each, pages: new Set([...each.pages].filter((page) => !separators.has(page))) }))
      : stretches.flatMap((stretch) => {
          const most = mostClaimed(open, stretch);
          return most === undefined ? [] : [{ ...most, pages: new Set(stretch) }];
        });
  const parts: Part[] = [];
  for (const { name, pages, quote, quotePage, confidence } of kept) {
    if ([...pages].every((page) => blank.has(page))) continue;
    const evidence = await evidenceOf(file.part, { quote, quotePage, pages });
    parts.push({ name, fileName: file.fileName, pages: [...pages], evidence, confidence });
  }
  return parts.sort((a, b) => Math.min(...a.pages) - Math.min(...b.pages));
};

/** The parts of one file. */
const divided = async (
  part: ReadPart,
  { fileName, fileIndex, coversOthers }: { fileName: string; fileIndex: number; coversOthers: boolean },
  terms: Terms,
): Promise<{ file: SplitFile; parts: readonly Part[] }> => {
  const split = terms.agent.split ?? usualSplit;
  const sheets = sheetsOf(part);
  const isEmpty = (sheet: Sheet) => isBlank(sheet) || separates(sheet, split.separators);
  const blank = sheets.filter(isEmpty).map(({ page }) => page);
  const file = { fileName, pages: sheets.length, blank };
  const names = new Set(terms.agent.parts.map(({ name }) => name));
  const question = {
    file_name: fileName,
    split_by: split.by,
    separators: split.separators,
    parts: terms.agent.parts.map(({ name, description, agent }) => ({ name, description, read_by: agent })),
    covers_others: coversOthers,
  };
  const whole = { part, fileName, fileIndex, sheets, question, names };
  const parts = sheets.length === 0 ? await asWhole(whole, terms) : await asPages(whole, new Set(blank), split, terms);
  return { file, parts: exactly([file], parts) };
};

/** Divides files into parts: of each page it is said once where it belongs. Whatever the model answers, no page is in two parts. */
export const divideFiles = async (all: readonly FileToDivide[], terms: Terms): Promise<DividedFiles> => {
  const files: (SplitFile & { fileIndex: number })[] = [];
  const parts: (Part & { fileIndex: number })[] = [];
  for (const { name, fileIndex, read } of all) {
    for (const single of singleFiles(read.parts, name)) {
      if (isShell(single, read.parts)) continue;
      const fileName = storable(single.fileName);
      const [first] = read.parts;
      const coversOthers = single.parts[0] === first && read.parts.length > single.parts.length;
      const division = await divided(single.parts[0], { fileName, fileIndex, coversOthers }, terms);
      files.push({ ...division.file, fileIndex });
      parts.push(...division.parts.map((part) => ({ ...part, fileIndex })));
    }
  }
  return { files, parts };
};
