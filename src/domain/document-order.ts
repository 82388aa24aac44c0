import type { JsonValue } from './json.ts';

/** How a list of documents is ordered: by the time they were made, or by a value of their data, given as a JSON Pointer. */
export interface DocumentOrder {
  readonly by: string;
  readonly direction: 'asc' | 'desc';
}

export const CREATED_AT = 'created_at';

/** The order of every list that names none. */
export const newestFirst: DocumentOrder = { by: CREATED_AT, direction: 'desc' };

/** Times begin with the newest, values with the smallest. */
export const documentOrder = (by = CREATED_AT, direction?: DocumentOrder['direction'] | null): DocumentOrder => ({
  by,
  direction: direction ?? (by === CREATED_AT ? 'desc' : 'asc'),
});

export const isSameOrder = (one: DocumentOrder, other: DocumentOrder): boolean =>
  one.by === other.by && one.direction === other.direction;

/** A place in a list of documents: what follows it in its order comes next. */
export interface DocumentPosition {
  readonly order: DocumentOrder;
  readonly createdAt: Date;
  readonly id: string;
  /** By which the list is ordered, as JSON text; null by the time. */
  readonly value: string | null;
}

interface Placed {
  readonly createdAt: Date;
  readonly id: string;
  readonly values?: Readonly<Record<string, JsonValue>>;
}

/** Where a document stands in a list. */
export const positionOf = ({ createdAt, id, values }: Placed, order: DocumentOrder): DocumentPosition => ({
  order,
  createdAt,
  id,
  value: order.by === CREATED_AT ? null : JSON.stringify(values?.[order.by] ?? null),
});
