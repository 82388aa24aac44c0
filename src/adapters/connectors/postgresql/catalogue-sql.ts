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

export const listOfTables = `
select n.nspname as schema, c.relname as name, ${type} as type
from ${relations} where ${isTable} and ${readable} order by ${byIdentifier}`;

/** Every column that the login may read; $1: schemas, or null for all. The default of a generated column is none. */
export const listOfColumns = `
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
export const columnsOfTables = `
select c.oid::pg_catalog.text as "table", n.nspname as schema, c.relname as "tableName",
       not (c.relkind = 'r' and c.relhassubclass) as keyed, pg_catalog.has_schema_privilege(n.oid, 'usage') as enterable,
       a.attname as name, pg_catalog.format_type(a.atttypid, a.atttypmod) as "dataType",
       pg_catalog.json_build_object('schema', tn.nspname, 'name', t.typname) as base,
       case when t.oid in (20, 21, 23, 26) then 'integer' when t.oid = 17 then 'bytes'
            when t.typcategory in ('S', 'E') and t.oid <> 18 then 'text' else 'other' end as form,
       case when e.oid is null then ${ordered('t')} else ${ordered('e')} end as ordered,
       t.oid in (16, 17, 18, 20, 21, 23, 25, 26, 1043, 1082, 1083, 1114, 1184, 2950) or t.typtype = 'e'
         or (t.oid = 1700 and a.atttypmod <> -1) as exact,
       pg_catalog.has_column_privilege(c.oid, a.attnum, 'select') as readable, (${place})::pg_catalog.int4 as "keyPlace"
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
