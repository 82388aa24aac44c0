import { escapeToken, isObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { shorten } from '../../domain/text.ts';

/** A token of a model is a byte at least: an answer of so many bytes is never over 20,000 tokens. */
export const MOST_BYTES = 19_500;
/** In characters, of a text that is one of several in an answer. */
export const LONGEST_TEXT = 1000;

/** What of a JSON value has room in an answer. */
export interface Excerpt {
  /** Of a list or an object the entries from `after` on, of a text the characters; each of them whole. */
  readonly value: JsonValue;
  /** Entries that have no room even alone, with their JSON Pointers. A list has null in their places. */
  readonly leftOut: readonly { readonly pointer: string; readonly bytes: number }[];
  /** The `after` with which the value goes on; null at its end. */
  readonly next: number | null;
}

interface Terms {
  /** Where the value stands. */
  readonly pointer: string;
  /** How many entries or characters to skip. */
  readonly after: number;
  /** In bytes; at least a few thousand, so that each excerpt gets further. */
  readonly room: number;
}

const LONGEST_POINTER = 200;

const encoder = new TextEncoder();

/** The bytes of a value as JSON. */
export const sizeOf = (value: JsonValue): number => encoder.encode(JSON.stringify(value)).length;

const ofText = (text: string, { after, room }: Terms): Excerpt => {
  let end = Math.min(text.length, after + room);
  for (let size = sizeOf(text.slice(after, end)); size > room; size = sizeOf(text.slice(after, end))) {
    end = after + Math.floor(((end - after) * room) / size);
  }
  const splitsPair = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  if (splitsPair && end - after > 1) end -= 1;
  return { value: text.slice(after, end), leftOut: [], next: end < text.length ? end : null };
};

const PUNCTUATION = 2;

const ofEntries = (value: JsonObject | readonly JsonValue[], { pointer, after, room }: Terms): Excerpt => {
  const isList = Array.isArray(value);
  const taken: [key: string, item: JsonValue][] = [];
  const leftOut: { pointer: string; bytes: number }[] = [];
  const part = () => (isList ? taken.map(([, item]) => item) : Object.fromEntries(taken));
  let left = room - PUNCTUATION;
  for (const [index, [key, item]] of Object.entries(value).slice(after).entries()) {
    const bytes = sizeOf(item) + PUNCTUATION + (isList ? 0 : sizeOf(key));
    const absent = { pointer: shorten(`${pointer}/${escapeToken(key)}`, LONGEST_POINTER), bytes };
    const isTooLong = bytes > room - PUNCTUATION;
    const cost = isTooLong ? sizeOf(absent) + sizeOf([null]) + PUNCTUATION : bytes;
    if (cost > left) return { value: part(), leftOut, next: after + index };
    left -= cost;
    if (isTooLong) leftOut.push(absent);
    if (!isTooLong || isList) taken.push([key, isTooLong ? null : item]);
  }
  return { value: part(), leftOut, next: null };
};

/** As much of the value as has room: always valid JSON, and what is missing is said. */
export const excerptOf = (value: JsonValue, terms: Terms): Excerpt => {
  if (isObject(value) || Array.isArray(value)) return ofEntries(value as JsonObject, terms);
  const isShort = sizeOf(value) <= terms.room && terms.after === 0;
  return isShort ? { value, leftOut: [], next: null } : ofText(String(value), terms);
};
