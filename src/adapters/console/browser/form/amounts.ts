import { isNumber } from '../../../../domain/json-number.ts';
import { digitsOf, hasFraction, USUAL_DIGITS } from './currency-digits.ts';
import { type ValueField, valueText } from './form.ts';

const PLAIN = /^[+-]?\d+(\.\d+)?$/;
/** Intl formats no more. */
const MOST_DIGITS = 100;

/** A number in the language of the reader, with every digit that it has and at least so many after the point. */
export const numberText = (text: string, least = 0): string => {
  if (!PLAIN.test(text)) return text;
  const digits = Math.min(MOST_DIGITS, Math.max(least, text.split('.')[1]?.length ?? 0));
  const format = new Intl.NumberFormat(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  // Intl reads a text exactly, where a double would lose digits.
  return format.format(text as Intl.StringNumericLiteral);
};

/** A value of a document as its page shows it while nobody types there. */
export const shownText = ({ value, digits }: ValueField): string =>
  digits === null || !isNumber(value) ? valueText(value) : numberText(valueText(value), digits);

type Values = Readonly<Record<string, unknown>>;

const currencyBeside = (values: Values, pointer: string): unknown =>
  values[`${pointer.slice(0, pointer.lastIndexOf('/'))}/currency`];

/** A value as a list shows it. A number with a fraction may be an amount: it has the digits of the currency beside it, or the usual ones. */
export const listedText = (values: Values, pointer: string, mayBeAmount = false): string => {
  const value = values[pointer];
  const text = valueText(value);
  if (!isNumber(value)) return text;
  const digits = digitsOf(currencyBeside(values, pointer));
  if (hasFraction(value)) return numberText(text, digits ?? USUAL_DIGITS);
  return mayBeAmount && digits !== undefined ? numberText(text, digits) : text;
};

const RIGHT_TO_LEFT = /[\u0591-\u08ff\ufb1d-\ufdfd\ufe70-\ufefc]/;

/** Isolated, text that runs from right to left does not turn round the number beside it: its minus would stand behind it. */
const isolated = (text: string): string => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

/** All values of a document in a line. */
export const summaryText = (values: Values): string =>
  Object.keys(values)
    .map((pointer) => isolated(listedText(values, pointer)))
    .filter((text) => text !== '')
    .join(' · ');
