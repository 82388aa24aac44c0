import { asciiFigures } from './ascii-figures.ts';
import { calendarNames } from './calendar-names.ts';
import { currenciesOf } from './currencies.ts';
import { type Decimal, plus, readDecimal, roundedTo, times, zero } from './decimal.ts';
import { fold, isWithin, standsAlone } from './folded-text.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { inEveryItem, lastToken, parentPointer, resolvePointer } from './json.ts';
import { compareNumbers, isNumber, type JsonNumber, jsonNumber } from './json-number.ts';
import { datesIn, timesIn } from './quoted-dates.ts';
import { numbersIn, type QuotedNumber } from './quoted-numbers.ts';

/**
 * How a quote supports a value. `exact`: it has the value as it is. `normalized`: it has it once numbers, dates, currencies, units or case
 * are normalised. `computed`: it has the numbers that the value is a sum or product of. `none`: it has nothing of it. `person`: a person
 * entered the value.
 */
export type Support = 'exact' | 'normalized' | 'computed' | 'none' | 'person';

const MAX_TEXT = 8000;

const blanksFolded = (text: string) => text.replace(/\s+/g, ' ').trim();

const standsIn = (wanted: string, quote: string): boolean => {
  if (wanted === '') return false;
  for (let at = quote.indexOf(wanted); at !== -1; at = quote.indexOf(wanted, at + 1)) {
    if (standsAlone(quote, at, at + wanted.length)) return true;
  }
  return false;
};

/** A quote, read for numbers and dates once: a row of a table is the quote of all its values. */
const quoteOf = (text: string) => {
  let numbers: ReturnType<typeof numbersIn> | undefined;
  let dates: ReturnType<typeof datesIn> | undefined;
  return {
    text,
    figures: asciiFigures(text),
    numbers() {
      numbers ??= numbersIn(text);
      return numbers;
    },
    dates() {
      dates ??= datesIn(text);
      return dates;
    },
  };
};

type Quote = ReturnType<typeof quoteOf>;

const means = ({ readings }: QuotedNumber, value: JsonNumber) =>
  readings.some((reading) => compareNumbers(jsonNumber(reading), value) === 0);

const numberSupport = (value: JsonNumber, quote: Quote): Support => {
  const numbers = quote.numbers().flatMap((way) => way.filter((number) => means(number, value)));
  if (numbers.length === 0) return 'none';
  return numbers.some(({ text }) => text === String(value) && quote.text.includes(text)) ? 'exact' : 'normalized';
};

const ISO_DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** A date stands in the quote in one of its ways of writing; its time too, if it has one. */
const hasDate = (value: string, quote: Quote): boolean => {
  const [, date, time] = ISO_DATE.exec(value) ?? [];
  if (date === undefined || !quote.dates().has(date)) return false;
  return time === undefined || time === '00:00' || timesIn(quote.text).has(time);
};

const WORDS = /[\p{L}\p{M}$€£¥₹₺₩₪₴₽]+\.?/gu;

const hasCurrency = (value: string, quote: string): boolean =>
  /^[A-Z]{3}$/.test(value) &&
  [...quote.matchAll(WORDS)].some(([word]) =>
    [word, word.replace(/\.$/, '')].some((each) => currenciesOf(each).includes(value)),
  );

const units = new Map(
  [
    'kg kilogram kilograms kilogramm kilogrammes kilogramme kilo kilos kgs',
    'g gram grams gramm gramme grammes',
    't tonne tonnes tonnen ton tons',
    'l liter liters litre litres',
    'm meter meters metre metres',
    'km kilometer kilometers kilometre kilometres',
    'h hr hrs hour hours std stunde stunden heure heures',
    'min minute minutes minuten mins',
    'd day days tag tage tagen jour jours',
    'week weeks woche wochen semaine semaines',
    'month months monat monate monaten mois',
    'year years jahr jahre jahren an ans année années',
    'pc pcs piece pieces stk stück stueck st pce pces pièce pièces',
    '% percent prozent pct',
  ].flatMap((line) => line.split(' ').map((word, _, [unit = '']) => [word, unit] as const)),
);

/** What a word beside a number may mean: units and currencies, else the word itself. */
const unitsOf = (word: string): readonly string[] => {
  const bare = word.trim().replace(/\.$/, '').toLowerCase();
  const unit = units.get(bare);
  return [...(unit === undefined ? [bare] : [unit]), ...currenciesOf(bare)];
};

const MAX_UNIT = 24;

/** A number with a unit or a currency: `1.5 kg`, `EUR 1,190.50`. The quote has an equal number with that unit beside it. */
const hasMeasure = (written: string, { figures: quote, numbers }: Quote): boolean => {
  if (written.length > 80 || /^0\d/.test(written)) return false;
  const value = asciiFigures(written);
  const wanted = numbersIn(value).flatMap((way) => (way.length === 1 ? way : []));
  const outside = ({ from, to }: QuotedNumber) =>
    (value.slice(0, from).replace(/[-−–(]\s?$/, '') + value.slice(to).replace(/^[-−)]/, '')).trim();
  const isBeside = (unit: string, { from, to }: QuotedNumber): boolean => {
    const before = /([^\s\d(:]+)\s?[-−(]?$/u.exec(quote.slice(Math.max(0, from - MAX_UNIT), from))?.[1] ?? '';
    const after = /^[-−]?\s?([^\s\d),;:]+)/u.exec(quote.slice(to, to + MAX_UNIT))?.[1] ?? '';
    const near = [before, after].flatMap((word) => (word === '' ? [] : unitsOf(word)));
    return unit === '' || unitsOf(unit).some((each) => near.includes(each));
  };
  const quoted = numbers().flat();
  return wanted.some((number) => {
    const unit = outside(number);
    const [reading = '0'] = number.readings;
    return unit.length <= MAX_UNIT && quoted.some((each) => means(each, jsonNumber(reading)) && isBeside(unit, each));
  });
};

/** A name of an enum, such as `in_transit`: its words stand in the quote. */
const hasName = (value: string, quote: string): boolean => {
  if (!/^\p{L}+(?:[_-]\p{L}+)*$/u.test(value)) return false;
  const parted = (text: string) => fold(text.replace(/[_-]/g, ' '));
  return isWithin(parted(value), parted(quote));
};

const textSupport = (value: string, whole: Quote): Support => {
  const { text: quote } = whole;
  if (value.length > MAX_TEXT) return 'none';
  if (standsIn(blanksFolded(value), blanksFolded(quote))) return 'exact';
  const isThere =
    isWithin(fold(value), fold(quote)) ||
    hasDate(value, whole) ||
    hasCurrency(value, quote) ||
    hasName(value, quote) ||
    hasMeasure(value, whole);
  return isThere ? 'normalized' : 'none';
};

const yes = new Set('true yes ja oui ✓ ✔ ☑ ☒ [x]'.split(' '));
const no = new Set('false no nein non not nicht kein keine pas sans without ohne ✗ ✘ ☐ []'.split(' '));
/** These mean yes or no only where nothing follows them. */
const lastYes = new Set('y x 1 on'.split(' '));
const lastNo = new Set('n 0 off'.split(' '));

/** Yes or no in words or as a mark; else the name of the property stands there, or is denied: `Paid`, `not paid`. */
const booleanSupport = (value: boolean, { text: quote }: Quote, name: string): Support => {
  if (standsIn(String(value), quote)) return 'exact';
  const withoutNumbers = quote.toLowerCase().replace(/\bno(?:\.|\s?[:#]?\s?(?=\d))/g, ' ');
  const words = (withoutNumbers.match(/[\p{L}\p{N}]+|[✓✔☑☒✗✘☐]|\[[x ]?\]/gu) ?? []).map((word) =>
    word.replace(' ', ''),
  );
  const last = words.at(-1) ?? '';
  const denied = words.some((word) => no.has(word)) || lastNo.has(last);
  const affirmed = words.some((word) => yes.has(word)) || lastYes.has(last);
  const isThere = value ? affirmed || (!denied && hasName(name, quote)) : denied;
  return isThere ? 'normalized' : 'none';
};

const directSupport = (value: JsonValue, quote: Quote, name: string): Support => {
  if (isNumber(value)) return numberSupport(value, quote);
  if (typeof value === 'string') return textSupport(value, quote);
  return typeof value === 'boolean' ? booleanSupport(value, quote, name) : 'none';
};

/** Whether a quote has a value, and does not only have what it is computed from. */
export const hasValue = (value: JsonValue, quote: string, pointer: string): boolean =>
  directSupport(value, quoteOf(quote), lastToken(pointer)) !== 'none';

// Sums and products.

const LONGEST_NUMBER = 45;

const decimalOf = (text: string): Decimal | null => (text.length > LONGEST_NUMBER ? null : readDecimal(text));

const total = (numbers: readonly Decimal[]): Decimal => numbers.reduce(plus, zero);

/** Equal, or equal once rounded to the digits that the value has, cents at least. */
const isRounded = (result: Decimal, value: Decimal): boolean => {
  const scale = Math.max(2, value.scale);
  return roundedTo(result, scale) === roundedTo(value, scale);
};

const MOST_FACTORS = 24;

/** Whether the value is the sum of all these numbers, or the sum or the product of two. */
const isComputed = (value: Decimal, alternatives: readonly (readonly Decimal[])[]): boolean => {
  const numbers = alternatives.slice(0, MOST_FACTORS);
  const firsts = alternatives.flatMap(([first]) => first ?? []);
  if (firsts.length > 1 && isRounded(total(firsts), value)) return true;
  return numbers.some((own, index) =>
    numbers
      .slice(index + 1)
      .some((others) =>
        own.some((a) => others.some((b) => isRounded(plus(a, b), value) || isRounded(times(a, b), value))),
      ),
  );
};

const decimalsOf = ({ readings }: QuotedNumber): readonly Decimal[] =>
  readings.flatMap((reading) => decimalOf(reading) ?? []);

/** A value and the quote that is given for it. */
export interface Quoted {
  readonly pointer: string;
  readonly quote: string;
  /** How the quote itself supports the value, where that is known: it is not looked at again. */
  readonly known?: Support;
}

/** The numbers that are quoted, by the places that a sum or a product takes them from: a column of a list, or one object. */
const quotedValues = (numbers: ReadonlyMap<string, Decimal>) => {
  const entries = [...numbers];
  const columns = Map.groupBy(entries, ([pointer]) => inEveryItem(pointer));
  const sums = [...columns.values()]
    .filter((column) => column.length > 1)
    .map((column) => total(column.map(([, number]) => number)));
  const siblings = Map.groupBy(entries, ([pointer]) => parentPointer(pointer));
  return {
    sums,
    beside: (pointer: string) =>
      (siblings.get(parentPointer(pointer)) ?? []).slice(0, MOST_FACTORS).map(([, number]) => [number]),
  };
};

/** How each quote supports the value that it is given for. Yields between values: there may be many thousands. */
export function* supportOf(
  document: JsonObject,
  quoted: readonly Quoted[],
): Generator<void, ReadonlyMap<string, Support>> {
  const support = new Map<string, Support>();
  const open: { readonly pointer: string; readonly quote: Quote; readonly number: Decimal }[] = [];
  const valueAt = (pointer: string) => resolvePointer(document, pointer) ?? null;
  const numberAt = (pointer: string): Decimal | null => {
    const value = valueAt(pointer);
    return isNumber(value) ? decimalOf(String(value)) : null;
  };
  yield* calendarNames();
  let quote = quoteOf('');
  for (const { pointer, quote: text, known } of quoted) {
    yield;
    if (text !== quote.text) quote = quoteOf(text);
    const direct = known ?? directSupport(valueAt(pointer), quote, lastToken(pointer));
    support.set(pointer, direct);
    const number = direct === 'none' ? numberAt(pointer) : null;
    if (number !== null) open.push({ pointer, quote, number });
  }
  if (open.length === 0) return support;
  const numbers = new Map<string, Decimal>();
  for (const [pointer, direct] of support) {
    yield;
    const number = direct === 'none' ? null : numberAt(pointer);
    if (number !== null) numbers.set(pointer, number);
  }
  const { sums, beside } = quotedValues(numbers);
  for (const { pointer, quote: ownQuote, number } of open) {
    yield;
    const inQuote = ownQuote.numbers().some((way) => isComputed(number, way.map(decimalsOf)));
    const isThere = inQuote || sums.some((sum) => isRounded(sum, number)) || isComputed(number, beside(pointer));
    if (isThere) support.set(pointer, 'computed');
  }
  return support;
}
