import { asciiFigures } from './ascii-figures.ts';
import { CURRENCY } from './currencies.ts';

/** A number in a text, and what it may mean. */
export interface QuotedNumber {
  /** As it stands there in ASCII, with its sign. */
  readonly text: string;
  /** In the notation of JSON, every digit kept, the plainest first. */
  readonly readings: readonly string[];
  readonly from: number;
  readonly to: number;
}

interface Figure {
  readonly text: string;
  readonly from: number;
}

type DecimalSign = '.' | ',';

/**
 * `1,234.56`, `12,34,567.89` (India), `1'234.56`, `1٬234٫56`, `1 234.56`, `.5`; and the same with the signs exchanged. What is in groups
 * begins with no zero: `0,125` has a decimal comma.
 */
const forms: Readonly<Record<DecimalSign, RegExp>> = {
  '.': /^(?:[1-9]\d{0,2}(?:(?:,\d{3})+|(?:['٬]\d{3})+|(?: \d{3})+)|[1-9]\d?(?:[,٬]\d{2})+[,٬]\d{3}|\d+)?(?:[.٫]\d+)?$/,
  ',': /^(?:[1-9]\d{0,2}(?:(?:\.\d{3})+|(?:['٬]\d{3})+|(?: \d{3})+)|\d+)?(?:[,٫]\d+)?$/,
};
const grouping: Readonly<Record<DecimalSign, RegExp>> = { '.': /[,'٬ ]/g, ',': /[.'٬ ]/g };

const plainDigits = (text: string, decimal: DecimalSign): string | null =>
  forms[decimal].test(text) ? text.replace(grouping[decimal], '').replace(/[,٫]/, '.') : null;

const split = ({ text, from }: Figure, sign: RegExp): readonly Figure[] =>
  [...text.matchAll(sign)].map((part) => ({ text: part[0], from: from + part.index }));

const isDate = (text: string) => /^\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})$/.test(text);

/** Digits with the signs between them, up to a blank. A date is three numbers. */
const figuresIn = (text: string): readonly Figure[] =>
  [...text.matchAll(/(?:(?<=^|[\s(€$£])[.,])?\d+(?:[.,'٫٬]\d+)*/g)].flatMap((match) => {
    const figure = { text: match[0], from: match.index };
    return isDate(figure.text) ? split(figure, /\d+/g) : [figure];
  });

const LONGEST_GROUPED = 40;

/** Puts together what a single blank divides into thousands: `1 234,56`. Tabs and line breaks end a number. */
const joined = (text: string, figures: readonly Figure[]): readonly Figure[] => {
  const whole: Figure[] = [];
  for (const figure of figures) {
    const last = whole.at(-1);
    const isNext =
      last !== undefined && last.text.length < LONGEST_GROUPED && figure.from === last.from + last.text.length + 1;
    const goesOn =
      isNext &&
      text[figure.from - 1] === ' ' &&
      /^\d{3}(?:[.,٫]\d+)?$/.test(figure.text) &&
      /^[1-9]\d{0,2}(?: \d{3})*$/.test(last.text);
    if (goesOn) whole.splice(-1, 1, { text: `${last.text} ${figure.text}`, from: last.from });
    else whole.push(figure);
  }
  return whole;
};

const opening = new RegExp(`(?:^|[\\s(:;|]|${CURRENCY})(?:([(▲△])|([-−–])(\\s?))\\s?(?:${CURRENCY})?\\s?$`, 'u');
const closing = new RegExp(`^\\s?(?:${CURRENCY}|%)?\\s?\\)`, 'u');
const minusBehind = new RegExp(`^(?:\\s?${CURRENCY})?[-−](?![\\p{L}\\p{N}])`, 'u');
const minusSetOff = new RegExp(`^(?:\\s?${CURRENCY})? [-−](?=\\s*$|\\s*\\n|\\t)`, 'u');
const creditBefore = /(?:^|[\s(|])[CD]R\.?\s?$/i;
const creditBehind = new RegExp(`^\\s?(?:${CURRENCY}\\s?)?[CD]R(?![\\p{L}\\p{N}])`, 'iu');

const BOTH = ['', '-'];

/** A minus that is set off may be a dash, and parentheses, triangles and `CR` may be just that: then both signs are possible. */
const signsOf = (text: string, from: number, to: number): readonly string[] => {
  // A blank before the whole text would copy it for each of its numbers.
  const before = from > 11 ? text.slice(from - 12, from) : ` ${text.slice(0, from)}`;
  const after = text.slice(to, to + 10);
  const [, opened, minus, gap] = opening.exec(before) ?? [];
  if (minus !== undefined) return gap === '' ? ['-'] : BOTH;
  if (opened !== undefined && (opened !== '(' || closing.test(after))) return BOTH;
  if (minusBehind.test(after)) return ['-'];
  return minusSetOff.test(after) || creditBehind.test(after) || creditBefore.test(before) ? BOTH : [''];
};

const scales: readonly (readonly [pattern: RegExp, exponent: number])[] = [
  [/^\s?(?:%|percent\b|per cent\b|prozent\b|pour ?cent\b)/i, -2],
  [/^\s?‰/, -3],
  [/^(?:k\b|\s?(?:tsd\b|thousand\b|tausend\b|mille\b))/i, 3],
  [/^\s?(?:mio\b|mn\b|millions?\b|millionen\b)/i, 6],
  [/^\s?(?:mrd\b|bn\b|billions?\b|milliards?\b|milliarden\b)/i, 9],
];

const readingsOf = (text: string, digits: string, from: number, to: number): readonly string[] => {
  const after = text.slice(to, to + 14);
  const exponent = scales.find(([pattern]) => pattern.test(after))?.[1];
  const numbers = exponent === undefined ? [digits] : [digits, `${digits}e${exponent}`];
  return signsOf(text, from, to).flatMap((sign) => numbers.map((number) => sign + number));
};

const readAs = (text: string, figures: readonly Figure[], decimal: DecimalSign): readonly QuotedNumber[] =>
  figures.flatMap((figure) => {
    const digits = plainDigits(figure.text, decimal);
    if (digits === null) return [];
    const to = figure.from + figure.text.length;
    const readings = readingsOf(text, digits, figure.from, to);
    return [{ text: readings[0]?.startsWith('-') ? `-${figure.text}` : figure.text, readings, from: figure.from, to }];
  });

/**
 * The numbers of a text, once for each way to read it: with a decimal point or comma; and where several numbers stand in a row, also
 * with blanks, or the commas of a CSV line, between numbers instead of thousands.
 */
export const numbersIn = (written: string): readonly (readonly QuotedNumber[])[] => {
  const text = asciiFigures(written);
  const figures = figuresIn(text);
  const whole = joined(text, figures);
  const ways = [readAs(text, whole, '.'), readAs(text, whole, ',')];
  if (whole.length > 1 && whole.length < figures.length)
    ways.push(readAs(text, figures, '.'), readAs(text, figures, ','));
  if (/[\p{L}"],[^\s,]|[^\s,],[\p{L}"]/u.test(text)) {
    const cells = figures.flatMap((figure) => split(figure, /[^,]+/g));
    ways.push(readAs(text, cells, '.'));
  }
  return ways;
};

/** The number of a text that has just one, in the notation of JSON, read in the first way that is possible; else null. */
export const onlyNumberIn = (text: string): string | null =>
  numbersIn(text).find((numbers) => numbers.length === 1)?.[0]?.readings[0] ?? null;
