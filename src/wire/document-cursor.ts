import { type DocumentPosition, isSameOrder, newestFirst } from '../domain/document-order.ts';
import { exampleId, exampleTime } from './example.ts';
import type { Codec } from './kit/codec.ts';
import { positionCursor, scalar } from './kit/values.ts';

/** The longest value that a list shows is a number of 1,000 digits or a text of 500 characters, which JSON may write as `\u0001`. */
const MOST_VALUE = 3_100;
const MOST_POINTER = 1_000;
const MOST_CHARACTERS = 8_000;

const EXAMPLE = positionCursor.encode({ createdAt: exampleTime('09:30:00.150'), id: exampleId(6) });

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const isValue = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return value === null || typeof value !== 'object';
  } catch {
    return false;
  }
};

/** The JSON text of a list of texts; undefined of anything else. */
const partsOf = (text: string): readonly string[] | undefined => {
  try {
    const parts: unknown = JSON.parse(text);
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : undefined;
  } catch {
    return undefined;
  }
};

const readOrdered = (text: string): DocumentPosition | undefined => {
  const [by, direction, time, id, value] = partsOf(Buffer.from(text, 'base64url').toString()) ?? [];
  const createdAt = new Date(Number(time));
  const isWhole = by !== undefined && id !== undefined && UUID.test(id) && by.length <= MOST_POINTER;
  if (!isWhole || (direction !== 'asc' && direction !== 'desc') || !/^\d{1,15}$/.test(time ?? '')) return undefined;
  if (value !== undefined && (value.length > MOST_VALUE || !isValue(value))) return undefined;
  // A later time has no four-digit year, which the database would take for something else.
  if (createdAt.getTime() > Date.UTC(9999, 11, 31)) return undefined;
  return { order: { by, direction }, createdAt, id, value: value ?? null };
};

const writeOrdered = ({ order, createdAt, id, value }: DocumentPosition) => {
  const parts = [order.by, order.direction, String(createdAt.getTime()), id, ...(value === null ? [] : [value])];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
};

/** A place in a list of documents, in a form that says nothing. One in the usual order is short. */
export const documentCursor: Codec<DocumentPosition> = scalar({
  expected: 'a cursor that this API answered',
  read(cursor) {
    if (typeof cursor !== 'string' || cursor.length > MOST_CHARACTERS) return undefined;
    const usual = positionCursor.decode(cursor);
    return usual._tag === 'Right' ? { order: newestFirst, ...usual.right, value: null } : readOrdered(cursor);
  },
  write: (position) =>
    isSameOrder(position.order, newestFirst) ? positionCursor.encode(position) : writeOrdered(position),
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]*$', examples: [EXAMPLE] },
});
