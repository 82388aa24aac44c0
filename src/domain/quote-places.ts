import { type FoldedText, fold, standsAlone } from './folded-text.ts';
import { type JsonValue, parentPointer } from './json.ts';
import { ownWords } from './own-words.ts';
import { type Box, middle, type PageLayout, type PageWord } from './page-words.ts';
import { placedValues } from './placed-values.ts';
import { type Upright, uprightOf } from './upright.ts';
import { around, linesAsSeen } from './word-lines.ts';

/** A rectangle on a page. */
export interface PageBox extends Box {
  readonly page: number;
}

/** Where a quote stands among the words of a page. */
export interface QuotePlace {
  /** One for each line of the quote. */
  readonly boxes: readonly PageBox[];
  readonly source: PageLayout['source'];
  /** Of the value's own word that OCR is least sure of; null if the file itself holds the words. */
  readonly confidence: number | null;
  /** Whether the words there differ from the quote, though in no digit. */
  readonly approximate: boolean;
}

export interface QuoteToPlace {
  /** JSON Pointer of the value: values of one object are neighbours. */
  readonly pointer: string;
  readonly value: JsonValue;
  readonly quote: string;
  readonly layout: PageLayout;
}

/** The words of a page in one order, as one text. */
interface Stream {
  readonly folded: FoldedText;
  /** The word at each place of the text, as an index. */
  readonly wordAt: Int32Array;
  readonly words: readonly PageWord[];
  readonly page: Page;
  /** All that it has, one after the other. */
  readonly digits: string;
}

/** A page, and how it is held to be read. */
interface Page extends PageLayout {
  readonly upright: Upright;
}

type Span = readonly PageWord[];
type Spans = { readonly spans: readonly Span[]; readonly approximate: boolean };

const digitsOf = (text: string) => text.replace(/\P{N}/gu, '');

const streamOf = (page: Page, words: readonly PageWord[]): Stream => {
  const texts = words.map(({ text }) => text.normalize('NFC'));
  const folded = fold(texts.join(' '));
  const owners = new Int32Array(folded.source.length);
  let from = 0;
  for (const [index, text] of texts.entries()) {
    owners.fill(index, from, from + text.length + 1);
    from += text.length + 1;
  }
  return {
    folded,
    wordAt: Int32Array.from(folded.at, (place) => owners[place] ?? 0),
    words,
    page,
    digits: digitsOf(folded.text),
  };
};

const wordsIn = ({ wordAt, words }: Stream, from: number, to: number): Span => {
  const indexes = new Set(wordAt.subarray(from, to));
  return [...indexes].flatMap((index) => words[index] ?? []);
};

const MOST_SPANS = 500;

/** Whether a number goes on before or behind a place in a text: no 3 stands in 673.3. */
const isInNumber = (text: string, from: number, to: number): boolean =>
  /^\d[.,'’]\d/.test(text.slice(Math.max(0, from - 2), from + 1)) || /^\d[.,'’]\d/.test(text.slice(to - 1, to + 2));

/** Whether two words stand on one line, no further apart than digits of one number: by a letter's height at most. */
const areNear = ({ upright, width, height }: Page, one: PageWord, other: PageWord): boolean => {
  const a = upright(one);
  const b = upright(other);
  const { width: across, height: down } = upright({ x: 0, y: 0, width, height });
  const size = Math.max(a.height, b.height);
  const gap = Math.max(a.x - b.x - b.width, b.x - a.x - a.width);
  return Math.abs(middle(a) - middle(b)) < size / 2 && gap * across < size * down;
};

/** Whether the quote has as one number here what stands on the page as several, such as the cells of a table. */
const isOfSeveral = ({ wordAt, words, page }: Stream, from: number, { text, at }: FoldedText): boolean =>
  [...text].some((_, index) => {
    const one = words[wordAt[from + index] ?? -1];
    const other = words[wordAt[from + index + 1] ?? -1];
    if (one === undefined || other === undefined || one === other || at[index + 1] !== (at[index] ?? 0) + 1)
      return false;
    const isNumber = /\d[.,']?$/.test(text.slice(0, index + 1)) && /^[.,']?\d/.test(text.slice(index + 1));
    return isNumber && !areNear(page, one, other);
  });

/** Every place of the quote; `alone`: no word or number goes on before or behind it. */
const exactSpans = (stream: Stream, quote: FoldedText, alone: boolean): readonly Span[] => {
  const { text, at, source } = stream.folded;
  const { text: wanted } = quote;
  const spans: Span[] = [];
  for (
    let from = text.indexOf(wanted);
    from !== -1 && spans.length < MOST_SPANS;
    from = text.indexOf(wanted, from + 1)
  ) {
    const start = at[from] ?? 0;
    const end = (at[from + wanted.length - 1] ?? 0) + 1;
    const isAlone = standsAlone(source, start, end) && !isInNumber(source, start, end);
    if ((isAlone || !alone) && !isOfSeveral(stream, from, quote))
      spans.push(wordsIn(stream, from, from + wanted.length));
  }
  return spans;
};

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly edits: number;
}

/** The stretch of a text that differs from the quote by the fewest edits. */
const nearest = (text: string, wanted: string): Stretch => {
  let costs = new Int32Array(text.length + 1);
  let starts = Int32Array.from({ length: text.length + 1 }, (_, index) => index);
  let nextCosts = new Int32Array(text.length + 1);
  let nextStarts = new Int32Array(text.length + 1);
  for (let row = 1; row <= wanted.length; row += 1) {
    const code = wanted.charCodeAt(row - 1);
    nextCosts[0] = row;
    nextStarts[0] = 0;
    for (let at = 1; at <= text.length; at += 1) {
      const swap = (costs[at - 1] ?? 0) + (text.charCodeAt(at - 1) === code ? 0 : 1);
      const left = (nextCosts[at - 1] ?? 0) + 1;
      const up = (costs[at] ?? 0) + 1;
      nextCosts[at] = Math.min(swap, left, up);
      const inserted = left <= up ? nextStarts[at - 1] : starts[at];
      nextStarts[at] = (swap <= left && swap <= up ? starts[at - 1] : inserted) ?? 0;
    }
    [costs, starts, nextCosts, nextStarts] = [nextCosts, nextStarts, costs, starts];
  }
  const to = costs.indexOf(costs.reduce((least, cost) => Math.min(least, cost)));
  return { from: starts[to] ?? 0, to, edits: costs[to] ?? 0 };
};

/**
 * The parts of a text that a stretch of so few edits may lie in, in order: one of the pieces that the quote is cut into, one more than
 * there are edits, stands there unchanged.
 */
const likely = (text: string, wanted: string, edits: number): readonly (readonly [from: number, to: number])[] => {
  const cuts = Array.from({ length: edits + 2 }, (_, index) => Math.round((index * wanted.length) / (edits + 1)));
  const starts = new Set<number>();
  for (const [index, cut] of cuts.slice(0, -1).entries()) {
    const piece = wanted.slice(cut, cuts[index + 1]);
    for (let place = text.indexOf(piece); place !== -1; place = text.indexOf(piece, place + 1)) starts.add(place - cut);
  }
  const parts: [number, number][] = [];
  for (const start of [...starts].toSorted((a, b) => a - b)) {
    const from = Math.max(0, start - edits);
    const to = Math.min(text.length, start + wanted.length + edits);
    const last = parts.at(-1);
    if (last && from <= last[1]) last[1] = to;
    else parts.push([from, to]);
  }
  return parts;
};

const LEAST_LIKENESS = 0.85;
const LEAST_LETTERS = 6;
const MOST_CELLS = 2_000_000;

/** Words that are nearly the quote and have the same digits: an amount that differs by a digit is another amount. */
const approximateSpan = (stream: Stream, wanted: string): Span | null => {
  const { text } = stream.folded;
  const digits = digitsOf(wanted);
  if (wanted.replace(/\P{L}/gu, '').length < LEAST_LETTERS || wanted.length * text.length > MOST_CELLS) return null;
  if (!stream.digits.includes(digits)) return null;
  const most = Math.floor(wanted.length * (1 - LEAST_LIKENESS));
  let best: Stretch | null = null;
  for (const [from, to] of likely(text, wanted, most)) {
    const match = nearest(text.slice(from, to), wanted);
    if (match.edits <= most && match.edits < (best?.edits ?? Number.POSITIVE_INFINITY))
      best = { from: from + match.from, to: from + match.to, edits: match.edits };
  }
  const words = best === null ? [] : wordsIn(stream, best.from, best.to);
  return words.length > 0 &&
    digitsOf(
      words
        .map((word) => word.text)
        .join('')
        .normalize('NFKC'),
    ) === digits
    ? words
    : null;
};

const linesOf = (words: Span, upright: Upright): readonly (readonly PageWord[])[] => {
  const lines: PageWord[][] = [];
  let last: Box | null = null;
  for (const word of words) {
    const box = upright(word);
    const isBeside = (a: Box, b: Box) => middle(a) > b.y && middle(a) < b.y + b.height;
    const goesOn = last && box.x >= last.x && (isBeside(box, last) || isBeside(last, box));
    if (goesOn) lines.at(-1)?.push(word);
    else lines.push([word]);
    last = box;
  }
  return lines;
};

const confidenceOf = ({ pointer, value, layout }: QuoteToPlace, words: Span): number | null => {
  const valueWords = layout.source === 'text' ? [] : ownWords(value, pointer, words);
  const confidences = valueWords.flatMap(({ confidence }) => confidence ?? []);
  return confidences.length === 0 ? null : Math.min(...confidences);
};

const placeOf = (quote: Found, words: Span): QuotePlace => {
  const { layout, approximate, upright } = quote;
  const boxes = linesOf(words, upright).map((line) => ({ page: layout.number, ...around(line) }));
  return { boxes, source: layout.source, confidence: confidenceOf(quote, words), approximate };
};

/** On the page, a hyphen at the end of a line is left out where the word goes on. */
const formsOf = (quote: FoldedText): readonly FoldedText[] => {
  const { text } = quote;
  return text.length > 1 && text.endsWith('-') ? [quote, { ...quote, text: text.slice(0, -1) }] : [quote];
};

/** A page to find quotes on. */
const searchable = (page: Page, mayApproximate: () => boolean) => {
  const streams: (Stream | undefined)[] = [];
  const orders = [() => page.words, () => linesAsSeen(page.words, page.upright).flat()];
  const stream = (order: number): Stream => {
    const made = streams[order] ?? streamOf(page, orders[order]?.() ?? []);
    streams[order] = made;
    return made;
  };
  const findExactly = (quote: FoldedText): readonly Span[] => {
    for (const alone of [true, false]) {
      for (const form of formsOf(quote)) {
        for (const order of orders.keys()) {
          const spans = exactSpans(stream(order), form, alone);
          if (spans.length > 0) return spans;
        }
      }
    }
    return [];
  };
  const find = (quote: FoldedText): Spans => {
    if (quote.text === '') return { spans: [], approximate: false };
    const exact = findExactly(quote);
    if (exact.length > 0) return { spans: exact, approximate: false };
    const near = mayApproximate() ? approximateSpan(stream(0), quote.text) : null;
    return { spans: near === null ? [] : [near], approximate: true };
  };
  const known = new Map<string, Spans & Pick<Page, 'upright'> & { readonly takenBy: Map<Span, string> }>();
  return (quote: string) => {
    const { upright } = page;
    const search = known.get(quote) ?? { ...find(fold(quote)), upright, takenBy: new Map<Span, string>() };
    known.set(quote, search);
    return search;
  };
};

/** An approximate search reads the whole page letter by letter. */
const MOST_APPROXIMATE = 100;

type Found = QuoteToPlace & ReturnType<ReturnType<typeof searchable>>;

function* findAll(quotes: readonly QuoteToPlace[]): Generator<void, readonly Found[]> {
  let approximations = 0;
  const mayApproximate = () => {
    approximations += 1;
    return approximations <= MOST_APPROXIMATE;
  };
  const pages = new Map<PageLayout, ReturnType<typeof searchable>>();
  const results: Found[] = [];
  for (const quote of quotes) {
    yield;
    const { layout } = quote;
    const find = pages.get(layout) ?? searchable({ ...layout, upright: uprightOf(layout) }, mayApproximate);
    pages.set(layout, find);
    results.push({ ...quote, ...find(quote.quote) });
  }
  return results;
}

/**
 * Where each quote stands, by the pointer of its value. A quote that stands on its page several times is placed near its neighbours; if
 * they have no place either, where no other object has it yet. Yields between quotes: there may be many thousands.
 */
export function* placeQuotes(quotes: readonly QuoteToPlace[]): Generator<void, ReadonlyMap<string, QuotePlace>> {
  const results = yield* findAll(quotes);
  const placed = new Map<string, QuotePlace>();
  const pages = new Map(quotes.map(({ layout }) => [layout, placedValues()]));
  const choose = ({ pointer, layout, spans, takenBy, upright }: Found): Span | undefined => {
    const values = pages.get(layout);
    const isFree = (span: Span) => parentPointer(takenBy.get(span) ?? pointer) === parentPointer(pointer);
    const free = values?.hasNeighbours(pointer) ? spans : spans.filter(isFree);
    const candidates = free.length > 0 ? free : spans;
    const distanceOf = (span: Span) => values?.distance(pointer, upright(around(span)), takenBy.get(span) ?? null) ?? 0;
    const distances = new Map(candidates.map((span) => [span, distanceOf(span)]));
    return candidates.reduce((best, span) => ((distances.get(span) ?? 0) < (distances.get(best) ?? 0) ? span : best));
  };
  for (const isUnique of [true, false]) {
    for (const result of results.filter(({ spans }) => spans.length > 0 && (spans.length === 1) === isUnique)) {
      yield;
      const { pointer, layout, takenBy, upright } = result;
      const span = choose(result);
      if (span === undefined) continue;
      takenBy.set(span, pointer);
      placed.set(pointer, placeOf(result, span));
      pages.get(layout)?.add(pointer, upright(around(span)));
    }
  }
  return placed;
}
