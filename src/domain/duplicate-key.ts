import { isObject, type JsonObject, type JsonValue, resolvePointer } from './json.ts';
import { isNumber } from './json-number.ts';
import { isMissing } from './missing-values.ts';

/** Alike are texts that differ in case, spacing or the form of a character, and numbers that are the same. */
const folded = (value: JsonValue): JsonValue => {
  if (typeof value === 'string') return value.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, '');
  if (isNumber(value)) return String(value);
  if (Array.isArray(value)) return value.map(folded);
  if (!isObject(value)) return value;
  const members = Object.entries(value as JsonObject).map(([name, item]) => [name, folded(item)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
};

/**
 * What documents with the same key have in common, as one text; null if a value of the key is not there: two invoices without a number
 * are not the same one. The pointers are a part of it, so that a document is not compared by another key than its own.
 */
export const duplicateKeyOf = (data: JsonObject, pointers: readonly string[]): string | null => {
  if (pointers.length === 0) return null;
  const values = pointers.map((pointer) => folded(resolvePointer(data, pointer) ?? null));
  return values.some(isMissing) ? null : JSON.stringify([pointers, values]);
};
