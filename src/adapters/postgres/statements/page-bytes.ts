import { omit } from '../../../domain/omit.ts';

/** A page is held as a whole: it has so many bytes of what may be large in its rows, or a single row. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * The first of the rows whose `columns` have room in one page, each with the number of all rows as `inAll`. They are measured one after the
 * other, because PostgreSQL unpacks what it measures: it does so for none behind the first that has no room.
 */
export const fitting = (rows: string, columns: readonly string[], order: string): string => `(
  with recursive numbered as materialized (
    select f.*, (count(*) over ())::int as "inAll", row_number() over (order by ${order}) as nth from ${rows} f
  ), measured (nth, bytes) as (
    select 0::bigint, 0::bigint
    union all
    select n.nth, m.bytes + octet_length(concat(${columns.map((column) => `n.${column}`).join(', ')})) from measured m join numbered n on n.nth = m.nth + 1
    where m.bytes <= ${MOST_BYTES}
  )
  select n.* from numbered n join measured m on m.nth = n.nth where n.nth = 1 or m.bytes <= ${MOST_BYTES}
)`;

/** A row of a page that `fitting` has cut. */
export type Fitting<T> = T & {
  /** How many rows were found, some of which have no room in the page. */
  readonly inAll: number;
};

/** The rows of such a page, and whether there are more than it has room for. */
export const pageOf = <T extends object>(rows: readonly Fitting<T>[]) => ({
  rows: rows.map((row) => omit(row, 'inAll')),
  hasMore: (rows[0]?.inAll ?? 0) > rows.length,
});
