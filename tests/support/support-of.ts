import { supportOf } from '../../src/domain/evidence-support.ts';
import type { JsonValue } from '../../src/domain/json.ts';
import { drained } from './generators.ts';

/** How a quote supports a value. */
export const support = (value: JsonValue, quote: string, name = 'value') =>
  drained(supportOf({ [name]: value }, [{ pointer: `/${name}`, quote }])).get(`/${name}`);

/** One digit of the text is another one; the first is not zero, so that no digit goes. */
export const altered = (text: string, place: number, by: number): string => {
  const digits = [...text.matchAll(/\d/g)].map(({ index }) => index);
  const at = digits[place % digits.length] ?? 0;
  const digit = (Number(text[at]) + by) % 10;
  return `${text.slice(0, at)}${at === digits[0] && digit === 0 ? (text[at] === '9' ? 8 : 9) : digit}${text.slice(at + 1)}`;
};
