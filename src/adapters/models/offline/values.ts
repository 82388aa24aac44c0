import { isInteger, type JsonNumber, jsonNumber } from '../../../domain/json-number.ts';

/** How a document writes what can be written in two ways; null where it does not tell. */
export interface Conventions {
  readonly decimal: '.' | ',' | null;
  readonly dayFirst: boolean | null;
}

const currencies: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP', $: 'USD', '¥': 'JPY', '₹': 'INR' };
const codes = 'EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|INR|BRL|MXN|ZAR|SGD|HKD|TRY|RON|BGN';
const money = new RegExp(`(?:\\b(${codes})|([€£$¥₹]))\\s?-?\\d|\\d\\s?(?:(${codes})\\b|([€£$¥₹]))`);

/** The ISO 4217 code beside an amount. */
export const currencyOf = (text: string): string | null => {
  const [, before, symbol, after, trailing] = money.exec(text.slice(0, 300)) ?? [];
  return before ?? after ?? currencies[symbol ?? trailing ?? ''] ?? null;
};

/** `1.234,56`, `1,234.56`, `1 234,56`, `1'234.56`, `1234.5` */
const figure = /\d{1,3}(?:[.,'’\u00a0\u2009\u202f ]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*/g;

/** The decimal sign that a figure shows beyond doubt. */
const decimalOf = (text: string): '.' | ',' | null => {
  const signs = text.replace(/[^.,]/g, '');
  const last = signs.at(-1) as '.' | ',' | undefined;
  if (last === undefined) return null;
  if (signs.length > 1) return signs.slice(0, -1).includes(last) ? null : last;
  const [whole = '', fraction = ''] = text.split(last);
  return fraction.length !== 3 || whole.length > 3 || whole === '0' ? last : null;
};

/** Three digits after a single sign: thousands or decimals, by what the document does elsewhere. */
const ambiguous = (text: string, whole: boolean, { decimal }: Conventions): '.' | ',' | null => {
  const signs = text.replace(/\d/g, '');
  if (signs.length !== 1) return null;
  if (decimal !== null) return signs === decimal ? decimal : null;
  return signs === '.' && !whole ? '.' : null;
};

/** The number in JSON's own digits, all of them. */
const plainDigits = (text: string, whole: boolean, conventions: Conventions): string | null => {
  const tight = text.replace(/[^\d.,]/g, '');
  const sign = decimalOf(tight) ?? ambiguous(tight, whole, conventions);
  const at = sign === null ? tight.length : tight.lastIndexOf(sign);
  const integer = tight.slice(0, at);
  if (!/^(\d+|\d{1,3}([.,]\d{3})+)$/.test(integer)) return null;
  return `${integer.replace(/[.,]/g, '')}.${tight.slice(at + 1)}`.replace(/\.$/, '');
};

const headWord = new RegExp(`^(?:ca\\.?|approx\\.?|about|${codes}|US\\$|[€£$¥₹])$`, 'i');
const tailWord = /^(?:[%€£$¥₹]|\p{L}{1,14}[.)]?)$/u;
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');

/** What may stand beside a number that is still that number: a currency before it, a sign, a percent or a unit behind it. */
const besides = (head: string, tail: string): boolean => {
  const [before, behind] = [wordsOf(head), wordsOf(tail)];
  const glued = /^\p{L}/u.test(tail) && (behind[0] ?? '').length > 3;
  return (
    before.length <= 2 &&
    behind.length <= 3 &&
    !glued &&
    before.every((word) => headWord.test(word)) &&
    behind.every((word) => tailWord.test(word))
  );
};

/** The number that the text is, or null. */
export const readNumber = (text: string, whole: boolean, conventions: Conventions): JsonNumber | null => {
  const trimmed = text.trim();
  if (trimmed.length > 80) return null;
  const negative = /^\(.*\)$|^[^\d(]{0,6}[-−–]|\d\s?[-−]$/.test(trimmed);
  const bare = trimmed
    .replace(/^\(|\)$/g, '')
    .replace(/[-−–]$/, '')
    .replace(/^([^\d]{0,6}?)[-−–+]\s?/, '$1')
    .trim();
  const found = [...bare.matchAll(figure)];
  const [only] = found;
  if (found.length !== 1 || only === undefined) return null;
  if (!besides(bare.slice(0, only.index), bare.slice(only.index + only[0].length))) return null;
  const digits = plainDigits(only[0], whole, conventions);
  if (digits === null) return null;
  const value = jsonNumber(digits);
  if (whole && !isInteger(value)) return null;
  return negative && value !== 0 ? jsonNumber(`-${digits}`) : value;
};

const monthNames = [
  'january janvier januar jan',
  'february fevrier februar feb',
  'march mars marz mar mrz',
  'april avril apr',
  'may mai',
  'june juin juni jun',
  'july juillet juli jul',
  'august aout aug',
  'september septembre sept sep',
  'october octobre oktober oct okt',
  'november novembre nov',
  'december decembre dezember dec dez',
];
const months = new Map(monthNames.flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)));
const month = (name: string) =>
  months.get(
    name
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase(),
  ) ?? 0;

const century = (year: string) => (year.length === 2 ? 2000 + Number(year) : Number(year));

const calendar = (year: number, monthNumber: number, day: number): string | null => {
  const date = new Date(Date.UTC(year, monthNumber - 1, day));
  const same = date.getUTCFullYear() === year && date.getUTCMonth() === monthNumber - 1 && date.getUTCDate() === day;
  return same && year >= 1000 && year <= 9999 ? date.toISOString().slice(0, 10) : null;
};

const slashed = (a: number, b: number, year: number, dayFirst: boolean | null): string | null => {
  if (a > 12) return calendar(year, b, a);
  if (b > 12) return calendar(year, a, b);
  if (a === b) return calendar(year, a, b);
  return dayFirst === null ? null : dayFirst ? calendar(year, b, a) : calendar(year, a, b);
};

const forms: readonly (readonly [RegExp, (parts: readonly string[], conventions: Conventions) => string | null])[] = [
  [/(?<![\d-])(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)/, ([y = '', m = '', d = '']) => calendar(Number(y), Number(m), Number(d))],
  [
    /(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})(?![\d.]*\d)/,
    ([d = '', m = '', y = '']) => calendar(century(y), Number(m), Number(d)),
  ],
  [
    /(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+(?:of\s)?(\p{L}{3,9})\.?,?[\s-]+(\d{4}|\d{2})(?!\d)/u,
    ([d = '', m = '', y = '']) => calendar(century(y), month(m), Number(d)),
  ],
  [
    /(\p{L}{3,9})\.?[\s-]+(\d{1,2})(?:st|nd|rd|th)?,?[\s-]+(\d{4})(?!\d)/u,
    ([m = '', d = '', y = '']) => calendar(Number(y), month(m), Number(d)),
  ],
  [
    /(?<![\d/])(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d{2})(?![\d/-])/,
    ([a = '', b = '', y = ''], { dayFirst }) => slashed(Number(a), Number(b), century(y), dayFirst),
  ],
];

/** The date that the text begins with (a weekday may come first), as `YYYY-MM-DD`; null where the day is not certain. */
export const readDate = (text: string, conventions: Conventions): string | null => {
  const start = text.slice(0, 60);
  for (const [form, read] of forms) {
    const match = form.exec(start);
    if (match && /^[\p{L}.,\s]{0,14}$/u.test(start.slice(0, match.index))) return read(match.slice(1), conventions);
  }
  return null;
};

/** RFC 3339: the zone as written, UTC where none is. */
export const readDateTime = (text: string, conventions: Conventions): string | null => {
  const date = readDate(text, conventions);
  if (date === null) return null;
  const [, hour = '00', minute = '00', second = '00', zone = 'Z'] =
    /[T\s,](\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s?(Z|[+-]\d{2}:\d{2})?/.exec(text.slice(0, 80)) ?? [];
  const result = `${date}T${hour}:${minute}:${second}${zone}`;
  return Number.isNaN(Date.parse(result)) ? null : result;
};

const yes = new Set(['yes', 'true', 'y', 'ja', 'oui', 'on', 'x', '✓', '✔', '☑', '☒', '[x]']);
const no = new Set(['no', 'false', 'n', 'nein', 'non', 'off', '✗', '☐', '[ ]']);

export const readBoolean = (text: string): boolean | null => {
  const word = text.trim().toLowerCase().replace(/[.!]$/, '');
  return yes.has(word) ? true : no.has(word) ? false : null;
};

/** Counts the votes of what is certain in the text. */
export const conventionsOf = (lines: readonly { readonly text: string }[]): Conventions => {
  const votes = { '.': 0, ',': 0, day: 0, month: 0 };
  for (const { text } of lines.slice(0, 5_000)) {
    const line = text.slice(0, 500);
    for (const [, a = '', b = ''] of line.matchAll(/(?<![\d/])(\d{1,2})\/(\d{1,2})\/(?:\d{4}|\d{2})(?![\d/])/g)) {
      if (Number(a) > 12) votes.day += 1;
      else if (Number(b) > 12) votes.month += 1;
    }
    for (const [token] of line.matchAll(/(?<![\d.,/-])\d+(?:[.,]\d+)+(?![\d.,/-]*\d)/g)) {
      const sign = decimalOf(token);
      if (sign !== null) votes[sign] += 1;
    }
  }
  return {
    decimal: votes['.'] === votes[','] ? null : votes['.'] > votes[','] ? '.' : ',',
    dayFirst: votes.day > 0 === votes.month > 0 ? null : votes.day > 0,
  };
};
