import type { JsonValue } from './json.ts';
import { isObject } from './json.ts';
import { ExactNumber } from './json-number.ts';

/** By UTF-16 code units (RFC 8785 section 3.2.3), as `<` compares strings. */
const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : Number(a > b));

/**
 * The JSON text that every value has exactly one of (RFC 8785). A number that a double does not hold stands in plain decimal form, with
 * every digit: ECMAScript's own form of numbers has none for it.
 */
export const canonicalJson = (value: JsonValue): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (value instanceof ExactNumber) return plainDecimal(value.text);
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value as Readonly<Record<string, JsonValue>>).toSorted(byName);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join()}}`;
};

/** More zeros than these are written as an exponent: a short text may stand for more digits than memory holds. */
const MOST_ZEROS = 1000;

/** A decimal number without an exponent, or as short as it can be written. */
const plainDecimal = (text: string): string => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const shift = Number(exponent);
  if (shift === 0 || Math.abs(shift) > MOST_ZEROS) return text;
  const digits = whole + fraction;
  const point = whole.length + shift;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits.padEnd(point, '0')}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
};
