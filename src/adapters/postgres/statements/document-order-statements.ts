import type { DocumentOrder, DocumentPosition } from '../../../domain/document-order.ts';
import type { Bind } from './document-conditions.ts';

/** Whether an order is by a value of the data, and not by the time. */
type Ordered = Pick<DocumentOrder, 'direction'> & { readonly isByValue: boolean };

/** By what a value (jsonb) is ordered: numbers exactly, then texts by code point, then false and true. What is null or absent is last in both directions. */
const keyOf = (value: string) => `(select coalesce(jsonb_typeof(${value}), 'null') = 'null' as absent,
  case jsonb_typeof(${value}) when 'number' then 0 when 'string' then 1 else 2 end as kind,
  case jsonb_typeof(${value}) when 'number' then (${value} #>> '{}')::numeric else 0 end as number,
  case when jsonb_typeof(${value}) in ('string', 'boolean') then ${value} #>> '{}' else '' end collate "C" as text offset 0)`;

const keys = ['kind', 'number', 'text'];

/** The documents of a row, ties by id; `row` has the key of its document. */
export const orderBy = ({ isByValue, direction }: Ordered, row: string): string => {
  const columns = isByValue ? [...keys, 'id'] : ['created_at', 'id'];
  return `order by ${isByValue ? `${row}.absent, ` : ''}${columns.map((column) => `${row}.${column} ${direction}`).join(', ')}`;
};

/** How a list is ordered, of whose documents `d` the data `data` is read: what it joins, and what follows the position. */
export const orderTerms = (order: DocumentOrder, isByValue: boolean, after: DocumentPosition | null, bind: Bind) => {
  const follows = order.direction === 'asc' ? '>' : '<';
  const id = after && `${bind(after.id)}::uuid`;
  if (!isByValue) {
    const condition = after ? `(d.created_at, d.id) ${follows} (${bind(after.createdAt)}::timestamptz, ${id})` : 'true';
    return { joins: '', columns: 'd.created_at, d.id', condition };
  }
  const value = (data: string) =>
    `cross join lateral (select listed_value(${data}, ${bind(order.by)}) as value offset 0) listed cross join lateral ${keyOf('listed.value')} key`;
  const row = (key: string, last: string) => `(${keys.map((name) => `${key}.${name}`).join(', ')}, ${last})`;
  const place =
    after &&
    `cross join (select * from (select searched_json(${bind(after.value)}::json) as value) given cross join lateral ${keyOf('given.value')} key) place`;
  return {
    joins: `${value('v.data')} ${place ?? ''}`,
    columns: `d.created_at, d.id, key.*`,
    condition:
      id === null
        ? 'true'
        : `(key.absent > place.absent or (key.absent = place.absent and ${row('key', 'd.id')} ${follows} ${row('place', id)}))`,
  };
};
