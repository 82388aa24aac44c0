/**
 * A JSON number whose digits a double would lose. Every other number is a plain one, so that only code which stores, compares or
 * prints digits meets this type. `JSON.stringify` prints it as the number it is.
 */
export class ExactNumber {
  /** The number as short as it can be written: `9007199254740993` also for `9007199254740993.0` and `9.007199254740993e15`. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): object {
    return rawJSON(this.text);
  }
}

export type JsonNumber = number | ExactNumber;

/** ECMAScript's own, which the library of TypeScript does not list yet (proposal JSON.parse source text access). */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): object };

export const isNumber = (value: unknown): value is JsonNumber =>
  typeof value === 'number' || value instanceof ExactNumber;

/** ±0.digits × 10^exponent, without zeros at either end of the digits; zero has none. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Greater exponents are all alike: no database has numbers of so many digits. */
const GREATEST_EXPONENT = 1e9;

/** By hand: an expression for zeros at the end takes quadratic time over zeros in the middle. */
const lengthWithoutZeros = (digits: string): number => {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end;
};

const decimalOf = (text: string): Decimal => {
  const [all, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  if (all === undefined || digits === '') throw new SyntaxError(`${text.slice(0, 40)} is not a number`);
  const first = digits.search(/[1-9]/);
  if (first === -1) return { negative: false, digits: '', exponent: 0 };
  const shift = Math.max(-GREATEST_EXPONENT, Math.min(GREATEST_EXPONENT, Number(exponent)));
  return {
    negative: sign === '-',
    digits: digits.slice(first, lengthWithoutZeros(digits)),
    exponent: whole.length - first + shift,
  };
};

const LONGEST_ZEROS = 6;
const LONGEST_INTEGER = 21;

/** Plain digits, but with an exponent if most of them would be zeros, as ECMAScript writes its own numbers. */
const textOf = ({ negative, digits, exponent }: Decimal): string => {
  const sign = negative ? '-' : '';
  if (exponent > Math.max(LONGEST_INTEGER, digits.length) || exponent < -LONGEST_ZEROS) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits[0]}${fraction}e${exponent - 1}`;
  }
  if (exponent <= 0) return `${sign}0.${'0'.repeat(-exponent)}${digits}`;
  const fraction = digits.length > exponent ? `.${digits.slice(exponent)}` : '';
  return sign + digits.slice(0, exponent).padEnd(exponent, '0') + fraction;
};

const isSame = (a: Decimal, b: Decimal) =>
  a.digits === b.digits && a.exponent === b.exponent && a.negative === b.negative;

/** A double keeps any fifteen digits, if they are not near the ends of its range. */
const SAFE_DIGITS = 15;
const SAFE_EXPONENT = 290;

/** The number of a text in decimal notation: a plain one if that loses nothing. */
export const jsonNumber = (text: string): JsonNumber => {
  const decimal = decimalOf(text);
  const { digits, exponent } = decimal;
  const number = Number(text);
  if (digits.length <= SAFE_DIGITS && Math.abs(exponent) < SAFE_EXPONENT) return number;
  if (Number.isFinite(number) && isSame(decimalOf(String(number)), decimal)) return number;
  return new ExactNumber(Math.abs(exponent) < GREATEST_EXPONENT ? textOf(decimal) : text);
};

/** No number of a text without these can lose digits. What is found may be part of a string. */
const SUSPICIOUS = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/** A quotation mark, an escape, or what is suspicious: within strings too, because a pattern of a whole string overflows at some megabytes. */
const MARKS_AND_SUSPECTS = /"|\\.|-?(?:[\d.]{16,}(?:[eE][+-]?\d+)?|[\d.]+[eE][+-]?\d{3,})/g;

/** Any number that is not suspicious is less than this. */
const LEAST_STAND_IN = 1e200;

/** Puts the numbers in the places of their stand-ins. Goes without recursion: texts may be nested as deeply as they are long. */
const replaceStandIns = (root: unknown, numbers: ReadonlyMap<number, JsonNumber>): unknown => {
  const waiting: object[] = [];
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'number') return value >= LEAST_STAND_IN ? numbers.get(value) : value;
    if (typeof value === 'object' && value !== null) waiting.push(value);
    return value;
  };
  const result = replaced(root);
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (Array.isArray(at)) for (let index = 0; index < at.length; index += 1) at[index] = replaced(at[index]);
    else for (const [key, value] of Object.entries(at)) (at as Record<string, unknown>)[key] = replaced(value);
  }
  return result;
};

/**
 * `JSON.parse` that keeps every digit; throws a SyntaxError for what is not JSON. A reviver that is given the source of each number
 * would be shorter, and takes fifty times as long as `JSON.parse` alone.
 */
export const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  if (!SUSPICIOUS.test(text)) return value;
  const numbers = new Map<number, JsonNumber>();
  let isInString = false;
  const plain = text.replace(MARKS_AND_SUSPECTS, (token) => {
    if (token === '"') isInString = !isInString;
    if (isInString || token === '"') return token;
    const standIn = `${numbers.size + 1}e200`;
    numbers.set(Number(standIn), jsonNumber(token));
    return standIn;
  });
  return numbers.size === 0 ? value : replaceStandIns(JSON.parse(plain), numbers);
};

const signOf = ({ negative, digits }: Decimal): -1 | 0 | 1 => {
  if (digits === '') return 0;
  return negative ? -1 : 1;
};

/** Negative if `a` is less than `b`, positive if it is more, zero if both are the same number. */
export const compareNumbers = (a: JsonNumber, b: JsonNumber): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const x = decimalOf(String(a));
  const y = decimalOf(String(b));
  if (isSame(x, y)) return 0;
  if (signOf(x) !== signOf(y)) return signOf(x) - signOf(y);
  const isLarger = x.exponent === y.exponent ? x.digits > y.digits : x.exponent > y.exponent;
  return isLarger ? signOf(x) : -signOf(x);
};

export const isInteger = (value: JsonNumber): boolean => {
  if (typeof value === 'number') return Number.isInteger(value);
  const { digits, exponent } = decimalOf(value.text);
  return digits.length <= exponent;
};

/** 10^exponent modulo `modulus`, without ever writing the power out. */
const powerOfTenModulo = (exponent: number, modulus: bigint): bigint => {
  let result = 1n % modulus;
  let power = 10n % modulus;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * power) % modulus;
    power = (power * power) % modulus;
  }
  return result;
};

/** Whether the number is a multiple of another one that is more than zero, as decimals: 0.3 is one of 0.1. */
export const isMultipleOf = (value: JsonNumber, step: JsonNumber): boolean => {
  const x = decimalOf(String(value));
  const y = decimalOf(String(step));
  if (x.digits === '') return true;
  const shift = x.exponent - x.digits.length - (y.exponent - y.digits.length);
  // The last digit is not zero, so no power of ten divides the digits.
  if (shift < 0) return false;
  const divisor = BigInt(y.digits);
  return (BigInt(x.digits) * powerOfTenModulo(shift, divisor)) % divisor === 0n;
};
