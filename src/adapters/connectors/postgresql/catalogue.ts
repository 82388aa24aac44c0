import type { Table, TableDetail, TableName } from '../../../application/ports/connectors.ts';
import { meaningsOf, mustBeReadable, noSuchTable, onlyTable, type Wanted } from '../catalogue.ts';
import type { SqlColumn, SqlTable } from '../sql/dialect.ts';
import type { Query } from './query.ts';

/** How a value is sent to the column; below its domains, because the base type decides which text it reads. */
export type Form = 'integer' | 'bytes' | 'text' | 'json' | 'json_array' | 'array' | 'other';

/** `base` is the type below the column's domains. */
export interface CatalogueColumn extends SqlColumn {
  readonly base: { readonly schema: string; readonly name: string };
  readonly form: Form;
  /** Whether its values can be sorted and compared; those of others are as text. */
  readonly ordered: boolean;
  /** Whether equal values always look the same, as 1.0 and 1.00 do not. */
  readonly exact: boolean;
  readonly hidden: boolean;
  /** Its place in the primary key, from 0; null outside of it, and of a parent's key, which is not unique with its children's rows. */
  readonly keyPlace: number | null;
}

export type CatalogueTable = SqlTable<CatalogueColumn>;

/** `pg_` belongs to the system whatever follows. */
const relations = `
pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;

const isTable = `c.relkind in ('r', 'p', 'v', 'm', 'f')`;
const type = `case when c.relkind in ('v', 'm') then 'view' else 'table' end`;
const readable = `pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_any_column_privilege(c.oid, 'select')`;
const columns = `join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`;
const key = `left join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary`;
/** The vector of the key's columns begins at 0, and what is merely included in the index stands behind them. */
const place = `(select k.place - 1 from unnest(i.indkey::pg_catalog.int2[]) with ordinality as k (number, place)
   where k.number = a.attnum and k.place <= i.indnkeyatts)`;
const byIdentifier = `(n.nspname || '.' || c.relname) collate "C"`;

const listOfTables = `
select n.nspname as schema, c.relname as name, ${type} as type
from ${relations} where ${isTable} and ${readable} order by ${byIdentifier}`;

/** Every column that the login may read; $1: schemas, or null for all. The default of a generated column is none. */
const listOfColumns = `
select c.oid::pg_catalog.text as "table", n.nspname as schema, c.relname as name, ${type} as type, pg_catalog.json_build_object(
    'name', a.attname, 'dataType', pg_catalog.format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull,
    'primaryKey', ${place} is not null, 'position', a.attnum,
    'default', case when a.attgenerated = '' then pg_catalog.pg_get_expr(d.adbin, d.adrelid) end) as "column"
from ${relations} ${columns} ${key}
left join pg_catalog.pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where ${isTable} and ${readable} and pg_catalog.has_column_privilege(c.oid, a.attnum, 'select')
  and ($1::pg_catalog.text[] is null or n.nspname = any($1::pg_catalog.text[]))
order by ${byIdentifier}, c.oid, a.attnum`;

/** The default order of a type, its own or that of the type it is the same bytes as: 403 is the B-tree's access method. */
const ordered = (type: string) => `(${type}.typtype in ('e', 'r', 'm') or exists (
    select from pg_catalog.pg_opclass o where o.opcmethod = 403 and o.opcdefault and (o.opcintype = ${type}.oid or exists (
      select from pg_catalog.pg_cast k
      where k.castsource = ${type}.oid and k.casttarget = o.opcintype and k.castmethod = 'b' and k.castcontext = 'i'))))`;

/** Everything about the columns of the tables named by $1 and $2, their schemas and names. */
const columnsOfTables = `
select c.oid::pg_catalog.text as "table", n.nspname as schema, c.relname as "tableName",
       a.attname as name, pg_catalog.format_type(a.atttypid, a.atttypmod) as declared,
       pg_catalog.json_build_object('schema', tn.nspname, 'name', t.typname) as base,
       case when t.oid in (20, 21, 23, 26) then 'integer' when t.oid = 17 then 'bytes' when t.oid in (114, 3802) then 'json'
            when t.typcategory in ('S', 'E') and t.oid <> 18 then 'text'
            when t.typcategory = 'A' then case when e.oid in (114, 3802) then 'json_array' else 'array' end else 'other' end as form,
       case when e.oid is null then ${ordered('t')} else ${ordered('e')} end as ordered,
       t.oid in (16, 17, 18, 20, 21, 23, 25, 26, 1043, 1082, 1083, 1114, 1184, 2950) or t.typtype = 'e'
         or (t.oid = 1700 and a.atttypmod <> -1) as exact,
       not (pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_column_privilege(c.oid, a.attnum, 'select')) as hidden,
       (case when c.relkind = 'r' and c.relhassubclass then null else ${place} end)::pg_catalog.int4 as "keyPlace"
from unnest($1::pg_catalog.text[], $2::pg_catalog.text[]) as wanted (schema, name)
join ${relations} on n.nspname = wanted.schema and c.relname = wanted.name ${columns} ${key}
cross join lateral (
  with recursive below (oid, base) as (
    select d.oid, d.typbasetype from pg_catalog.pg_type d where d.oid = a.atttypid
    union all select d.oid, d.typbasetype from below join pg_catalog.pg_type d on d.oid = below.base
  ) select below.oid from below where below.base = 0
) as bottom
join pg_catalog.pg_type t on t.oid = bottom.oid
join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace
left join pg_catalog.pg_type e on e.oid = t.typelem and e.typarray = t.oid
where ${isTable}
order by c.oid, a.attnum`;

/** What the constraint $3 of the table $1.$2 is about; a unique index of some of the rows is no constraint. */
const columnsOfConstraint = `
select a.attname as name
from ${relations} ${columns}
where n.nspname = $1 and c.relname = $2 and a.attnum = any(coalesce(
    (select k.conkey from pg_catalog.pg_constraint k where k.conrelid = c.oid and k.conname = $3),
    (select i.indkey::pg_catalog.int2[] from pg_catalog.pg_index i join pg_catalog.pg_class x on x.oid = i.indexrelid
     where i.indrelid = c.oid and x.relname = $3)))
order by a.attnum`;

/** Two names of 63 bytes and the dot between them. */
const LONGEST_IDENTIFIER = 127;

interface ColumnRow extends CatalogueColumn {
  readonly table: string;
  readonly schema: string;
  readonly tableName: string;
}

/** Every schema and table that may be wanted. */
const meanings = (wanted: Wanted): readonly TableName[] => {
  if (typeof wanted !== 'string') return wanted.schema.includes('\0') || wanted.name.includes('\0') ? [] : [wanted];
  if (wanted.includes('\0') || Buffer.byteLength(wanted) > LONGEST_IDENTIFIER) return [];
  return meaningsOf(wanted);
};

/** Every table that the name may stand for, also without the right to read it. */
const tablesNamed = async (wanted: Wanted, query: Query): Promise<readonly CatalogueTable[]> => {
  const names = meanings(wanted);
  const rows = await query<ColumnRow>(columnsOfTables, [
    names.map(({ schema }) => schema),
    names.map(({ name }) => name),
  ]);
  return [...Map.groupBy(rows, ({ table }) => table).values()].flatMap((columns) => {
    const [first] = columns;
    return first ? [{ schema: first.schema, name: first.tableName, columns }] : [];
  });
};

/** The table as it is now, also without the right to read it; or why it cannot be found. */
export const findTable = async (wanted: Wanted, query: Query): Promise<CatalogueTable | string> =>
  onlyTable(wanted, await tablesNamed(wanted, query));

export const constraintColumns = async (
  { schema, name }: TableName,
  constraint: string,
  query: Query,
): Promise<readonly string[]> => {
  const rows = await query<{ readonly name: string }>(columnsOfConstraint, [schema, name, constraint]);
  return rows.map((column) => column.name);
};

/** The table as it is now. Rejects if there is none that the login may read. */
export const loadTable = async (wanted: Wanted, query: Query): Promise<CatalogueTable> => {
  const table = await findTable(wanted, query);
  if (typeof table === 'string') throw noSuchTable(wanted, table, await tablesOf(query));
  mustBeReadable(wanted, table);
  return table;
};

/** The tables that the login may read. */
export const tablesOf = (query: Query): Promise<readonly Table[]> => query<Table>(listOfTables);

interface ListedRow extends TableName {
  readonly table: string;
  readonly type: Table['type'];
  readonly column: TableDetail['columns'][number];
}

/** The tables of these schemas with the columns that the login may read. */
export const schemaOf = async (query: Query, schemas: readonly string[] | null): Promise<readonly TableDetail[]> => {
  const rows = await query<ListedRow>(listOfColumns, [schemas]);
  const tables = Map.groupBy(rows, ({ table }) => table);
  return [...tables.values()].flatMap((columns) => {
    const [first] = columns;
    return first
      ? [{ schema: first.schema, name: first.name, type: first.type, columns: columns.map(({ column }) => column) }]
      : [];
  });
};
