import { currenciesOf } from '../currencies.ts';
import { decimalText, readDecimal } from '../decimal.ts';
import { fold, isWithin } from '../folded-text.ts';
import { datesIn } from '../quoted-dates.ts';
import { numbersIn } from '../quoted-numbers.ts';
import { dateOf } from './dates.ts';
import { nodesOf, type TermNode } from './e-invoice.ts';

/** Something that a line of a page shows, and what it may mean, in one notation. */
interface Shown {
  readonly text: string;
  readonly meanings: readonly string[];
}

/** How values of one kind stand on a page. */
interface Kind {
  /** The value of the e-invoice in the notation of `meanings`. */
  readonly meaning: (xml: string) => string;
  readonly shownIn: (line: string) => readonly Shown[];
  /** Whether a page has few of them, so that any other may stand in its place; else one that is alike. */
  readonly isRare: boolean;
}

const compact = (text: string) => text.replace(/\s+/g, '').toUpperCase();

const decimal = (text: string): string => {
  const number = readDecimal(text.trim());
  return number === null ? text : decimalText(number);
};

/** Amounts have cents: a count or a rate has none. */
const amount: Kind = {
  isRare: false,
  meaning: decimal,
  shownIn: (line) =>
    numbersIn(line)
      .flat()
      .filter(({ text }) => /[.,]\d{2}$/.test(text) || /^-?\d+$/.test(text))
      .map(({ text, readings }) => ({ text, meanings: readings.map(decimal) })),
};

/** So many words may make a date: `the 3rd of November 2026`. */
const MOST_WORDS = 4;

const date: Kind = {
  isRare: true,
  meaning: (xml) => dateOf(xml) ?? xml,
  shownIn(line) {
    if (datesIn(line).size === 0) return [];
    const words = line.split(/\s+/).filter((word) => word !== '');
    for (let count = 1; count <= MOST_WORDS; count += 1) {
      const shown = words.flatMap((_, at): readonly Shown[] => {
        const text = words.slice(at, at + count).join(' ');
        const dates = datesIn(text);
        return dates.size === 0 ? [] : [{ text, meanings: [...dates] }];
      });
      if (shown.length > 0) return shown;
    }
    return [];
  },
};

const currency: Kind = {
  isRare: true,
  meaning: (xml) => xml.trim().toUpperCase(),
  shownIn: (line) =>
    [...line.matchAll(/[\p{L}\p{M}$€£¥₹₺₩₪₴₽]+\.?/gu)].flatMap(([word]) => {
      const meanings = [word, word.replace(/\.$/, '')].flatMap(currenciesOf);
      // A currency stands beside a number, or is named as what it is; other words look like signs too.
      const isCode = /^[A-Z]{3}$|^[^\p{L}]+$|^[A-Z]{1,3}\$$/u.test(word);
      return isCode && meanings.length > 0 ? [{ text: word, meanings }] : [];
    }),
};

/** Groups of four, of which only the last before a blank or the end is shorter: any other division would be tried for each of them in turn. */
const ACCOUNT = /\b[A-Z]{2}\d{2}(?=(?: ?[A-Z0-9]){3})(?: ?(?:[A-Z0-9]{4}|[A-Z0-9]{1,3}(?![A-Z0-9]))){1,8}(?![A-Z0-9])/g;

const account: Kind = {
  isRare: true,
  meaning: compact,
  shownIn: (line) => [...line.matchAll(ACCOUNT)].map(([text]) => ({ text, meanings: [compact(text)] })),
};

const number: Kind = {
  isRare: false,
  meaning: compact,
  shownIn: (line) =>
    [...line.matchAll(/[\p{L}\p{N}](?:[\p{L}\p{N}._/#-]*[\p{L}\p{N}])?/gu)].flatMap(([text]) =>
      /\d/.test(text) ? [{ text, meanings: [compact(text)] }] : [],
    ),
};

/** A line with this label, and nothing but an amount behind it. No two parts side by side take the same blanks, so that many of them cost no more. */
const labelled = (words: string) =>
  new RegExp(
    `^(?:${words})[\\s:.]*(?:(?:[A-Z]{3}|[€$£])\\s*)?(?<amount>(?:-\\s*)?[.,]?\\d(?:[\\d.,'’ ]*\\d)?)\\s*(?:[A-Z]{3}|[€$£])?$`,
    'iu',
  );

interface LookUp {
  readonly kind: Kind;
  /** Of a line that can be nothing else than this amount. */
  readonly label: RegExp | null;
}

/** What is looked up on the page of a hybrid invoice. */
const lookUps: ReadonlyMap<string, LookUp> = new Map([
  ['BT-1', { kind: number, label: null }],
  ['BT-2', { kind: date, label: null }],
  ['BT-5', { kind: currency, label: null }],
  ['BT-109', { kind: amount, label: labelled('net(?: total| amount)?|total net|netto(?:betrag|summe)?|total ht') }],
  ['BT-110', { kind: amount, label: labelled('total (?:vat|tax)|vat total|mwst\\.? gesamt|total tva') }],
  ['BT-112', { kind: amount, label: labelled('(?:grand |invoice )?total|gesamtbetrag|rechnungsbetrag|total ttc') }],
  ['BT-115', { kind: amount, label: labelled('amount due|balance due|total due|zahlbetrag|zu zahlen|net à payer') }],
  ['BT-84', { kind: account, label: null }],
]);

/** A page of a PDF document around an e-invoice. */
export interface ShownPage {
  readonly page: number;
  readonly text: string;
}

/** A text that a page shows. */
export interface PageValue {
  readonly text: string;
  readonly page: number;
}

/** A term that was looked up. */
interface LookedUp {
  readonly term: string;
  /** Verbatim. */
  readonly xml: string;
  /** Whether a page shows it, and nothing else in its place. */
  readonly isShown: boolean;
  /** It, or what is shown instead; null if there is nothing. */
  readonly shown: PageValue | null;
}

/** How many characters two texts have in common at their beginnings and ends. */
const likeness = (a: string, b: string): number => {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return start + end;
};

interface Candidate extends PageValue {
  readonly likeness: number;
  /** Whether the e-invoice has it as another term: then something else is the likelier one. */
  readonly isExplained: boolean;
}

const allTexts = (nodes: readonly TermNode[]): readonly string[] =>
  nodes.flatMap(({ text, nodes: inner }) => [...(text.trim() === '' ? [] : [text]), ...allTexts(inner)]);

interface Line {
  readonly page: number;
  readonly text: string;
  /** What it shows of one kind. */
  readonly shown: readonly Shown[];
}

/** What the e-invoice has and the pages show of one kind of values, for all terms that have it. */
interface ShownValues {
  readonly explained: ReadonlySet<string>;
  readonly lines: readonly Line[];
}

function* shownValuesOf(
  { meaning, shownIn }: Kind,
  texts: readonly string[],
  pages: readonly ShownPage[],
): Generator<void, ShownValues> {
  const lines: Line[] = [];
  for (const { page, text: whole } of pages) {
    for (const text of whole.split('\n')) {
      yield;
      lines.push({ page, text, shown: shownIn(text) });
    }
  }
  return { explained: new Set(texts.map(meaning)), lines };
}

function* lookUpOne(
  { kind, label }: LookUp,
  xml: string,
  { explained, lines }: ShownValues,
): Generator<void, Pick<LookedUp, 'isShown' | 'shown'>> {
  const wanted = kind.meaning(xml);
  const words = fold(xml.trim());
  let same: PageValue | null = null;
  const others: Candidate[] = [];
  for (const { page, text: line, shown } of lines) {
    yield;
    const match = shown.find(({ meanings }) => meanings.includes(wanted));
    if (match !== undefined) same ??= { text: match.text, page };
    else if (kind === number && isWithin(words, fold(line))) same ??= { text: xml.trim(), page };
    else {
      const inItsPlace = label?.exec(line.trim())?.groups?.amount;
      if (inItsPlace !== undefined) return { isShown: false, shown: { text: inItsPlace.trim(), page } };
    }
    for (const other of shown) {
      const [meaning = ''] = other.meanings;
      const isExplained = other.meanings.some((each) => explained.has(each));
      others.push({ text: other.text, page, likeness: likeness(wanted, meaning), isExplained });
    }
  }
  if (same !== null) return { isShown: true, shown: same };
  const isNear = (other: Candidate) => other.likeness >= wanted.length / 2 || (kind.isRare && !other.isExplained);
  const [nearest] = others
    .filter(isNear)
    .toSorted((a, b) => Number(a.isExplained) - Number(b.isExplained) || b.likeness - a.likeness);
  return { isShown: false, shown: nearest === undefined ? null : { text: nearest.text, page: nearest.page } };
}

/** What the pages around an e-invoice show of the terms that people look for there. */
export function* lookUp(nodes: readonly TermNode[], pages: readonly ShownPage[]): Generator<void, readonly LookedUp[]> {
  const texts = allTexts(nodes);
  const byKind = new Map<Kind, ShownValues>();
  const lookedUp: LookedUp[] = [];
  for (const [term, look] of lookUps) {
    const [node] = nodesOf(nodes, term);
    if (node === undefined || node.text.trim() === '') continue;
    const values = byKind.get(look.kind) ?? (yield* shownValuesOf(look.kind, texts, pages));
    byKind.set(look.kind, values);
    lookedUp.push({ term, xml: node.text, ...(yield* lookUpOne(look, node.text, values)) });
  }
  return lookedUp;
}
