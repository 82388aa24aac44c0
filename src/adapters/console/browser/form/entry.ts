import { asciiFigures } from '../../../../domain/ascii-figures.ts';
import { CURRENCY } from '../../../../domain/currencies.ts';
import type { JsonValue } from '../../../../domain/json.ts';
import { jsonNumber } from '../../../../domain/json-number.ts';
import { datesIn } from '../../../../domain/quoted-dates.ts';
import { numbersIn, onlyNumberIn } from '../../../../domain/quoted-numbers.ts';
import { numberText } from './amounts.ts';
import { choicesOf, isNumeric, typesOf, type ValueField } from './form.ts';

/** What a person meant by what they entered, in the notation of the API, and what else they may have meant. */
export interface Understood {
  readonly text: string;
  readonly others: readonly string[];
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const ISO_DATE = /^\d{4}-\d\d-\d\d$/;
/** What may stand around a number that is entered, as it stands on paper. */
const AROUND = new RegExp(`${CURRENCY}|[CD]R|[%‰()▲△+.,\\s−–-]`, 'giu');

const isDate = ({ schema, value }: ValueField) => schema.format === 'date' || ISO_DATE.test(String(value));

/** As it is written without an exponent: a share of one for a percentage. */
const plain = (reading: string): string => {
  const [digits = '', exponent] = reading.split('e');
  return exponent === undefined ? digits : String(jsonNumber(`${digits}e${exponent}`));
};

/** Parentheses around all of an entry, and a dash before it, are a minus. */
const isNegative = (text: string) => /^\s*(?:\(.*\)\s*$|[-−–])/s.test(text);

/** On paper a whole amount may have a dash in the place of its cents, as `1.250,–` has: it says which of the signs is the decimal one. */
const withCents = (text: string) => text.replaceAll(/(?<=\d[.,])[-–—−]{1,2}(?![\p{L}\p{N}])/gu, '00');

const countIn = (text: string, signs: RegExp) => text.match(signs)?.length ?? 0;

/** Whether each sign of an entry is part of what was read: of two, one takes the other back, or it is none of the number. */
const areSignsRead = (text: string, readings: readonly string[]): boolean =>
  countIn(text, /[-+−–]/g) < 2 &&
  countIn(text, /\(/g) === countIn(text, /\)/g) &&
  (!/[-−–]/.test(text) || readings.some((reading) => reading.startsWith('-')));

const numbersOf = (entry: string): readonly string[] => {
  const text = withCents(entry);
  const ways = numbersIn(text).flatMap((numbers) => (numbers.length === 1 ? numbers : []));
  const isAll = ways.some(({ from, to }) => {
    const ascii = asciiFigures(text);
    return (ascii.slice(0, from) + ascii.slice(to)).replace(AROUND, '') === '';
  });
  if (!isAll) return [];
  const readings = ways.flatMap((way) => way.readings.map(plain));
  if (!areSignsRead(text, readings)) return [];
  return isNegative(text) ? readings.toSorted((one, other) => Number(other < '0') - Number(one < '0')) : readings;
};

const oneOf = (texts: readonly string[]): Understood | null => {
  const [text, ...others] = new Set(texts);
  return text === undefined ? null : { text, others };
};

/** A number or a date as it stands on paper; null if the entry is none, or its field has no such values. */
export const understood = (field: ValueField, entry: string): Understood | null => {
  const text = entry.trim();
  if (isNumeric(field)) {
    const isWhole = typesOf(field.schema).includes('integer') && !typesOf(field.schema).includes('number');
    const numbers = [...(NUMBER.test(text) ? [text.replace(/^\+|\.$/g, '')] : []), ...numbersOf(text)];
    const whole = numbers.filter((number) => /^[+-]?\d+$/.test(number));
    return oneOf(isWhole && whole.length > 0 ? whole : numbers);
  }
  return isDate(field) ? oneOf([...datesIn(text)]) : null;
};

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['no', false],
]);

/** The value of a text by the schema of its field; undefined if it cannot be one. */
export const parsed = (field: ValueField, text: string): JsonValue | undefined => {
  const types = typesOf(field.schema);
  if (text === '' && (types.length === 0 || types.includes('null'))) return null;
  const meant = understood(field, text)?.text;
  if (isNumeric(field) && meant !== undefined) return jsonNumber(meant);
  if (isNumeric(field)) return types.includes('string') ? text : undefined;
  return types.includes('boolean') ? booleans.get(text) : (meant ?? text);
};

/** A number in the language of the reader, with every digit that was entered; a date in words. */
export const inWords = (field: ValueField, text: string): string => {
  if (!isNumeric(field))
    return new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' }).format(
      new Date(`${text}T00:00Z`),
    );
  return numberText(text);
};

/** What a field takes of words on a page: the number of a number, the day of a date, the choice that they name. */
export const textOf = (field: ValueField, words: string): string => {
  const choice = choicesOf(field)?.find((each) => each.toLowerCase() === words.toLowerCase());
  if (choice !== undefined) return choice;
  if (isNumeric(field)) return onlyNumberIn(withCents(words)) ?? words;
  const [date, other] = isDate(field) ? datesIn(words) : [];
  return date !== undefined && other === undefined ? date : words;
};
