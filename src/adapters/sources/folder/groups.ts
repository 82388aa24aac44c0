import { hash } from 'node:crypto';
import type { JsonValue } from '../../../domain/json.ts';

/** Enough that few files are looked at again because a new one is in their group. */
export const GROUPS = 256;

/** Of each group a sum of its files, whatever their order: one that is the same as the last time holds what was there then. */
type Sums = BigUint64Array<ArrayBuffer>;

export const noSums = (): Sums => new BigUint64Array(GROUPS);

/** By the name alone: a file that is written again stays in its group. */
export const groupOf = (name: Buffer): number => hash('sha1', name, 'buffer')[0] ?? 0;

export const add = (sums: Sums, group: number, ref: string): void => {
  sums[group] = (sums[group] ?? 0n) + hash('sha256', ref, 'buffer').readBigUInt64LE();
};

export const cursorOf = (sums: Sums): JsonValue => Array.from(sums, (sum) => sum.toString(36));

const sumIn = (text: JsonValue): bigint => {
  if (typeof text !== 'string' || !/^[0-9a-z]{1,13}$/.test(text)) return 0n;
  return [...text].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
};

/** Of a cursor in another form nothing is known. */
export const sumsIn = (cursor: JsonValue | null): Sums =>
  Array.isArray(cursor) && cursor.length === GROUPS ? BigUint64Array.from(cursor, sumIn) : noSums();
