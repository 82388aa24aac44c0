import type { JsonValue } from '../../../domain/json.ts';
import type { Query } from './query.ts';

/** How a JSON value becomes the text that a column's own type reads. */
type Form = 'plain' | 'json' | 'array' | 'json_array' | 'bytes';

interface Column {
  readonly name: string;
  /** As the table declares it: `character varying(40)`, `numeric(12,2)`. */
  readonly declared: string;
  readonly form: Form;
}

export interface Table {
  readonly schema: string;
  readonly name: string;
  readonly columns: ReadonlyMap<string, Column>;
}

/** Looks past domains to the type below them, because that one says which text it reads. */
const catalogue = `
with recursive columns as (
  select c.oid as "table", n.nspname as schema, c.relname as name, a.attnum as position, a.attname as column_name,
         format_type(a.atttypid, a.atttypmod) as declared, a.atttypid as type
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where n.nspname || '.' || c.relname = $1 and c.relkind in ('r', 'p', 'v', 'f')
  union all
  select k."table", k.schema, k.name, k.position, k.column_name, k.declared, t.typbasetype
  from columns k join pg_catalog.pg_type t on t.oid = k.type where t.typtype = 'd'
)
select k."table"::text, k.schema, k.name, k.column_name, k.declared, case
    when t.typname in ('json', 'jsonb') then 'json'
    when t.typname = 'bytea' then 'bytes'
    when t.typcategory = 'A' and e.typname in ('json', 'jsonb') then 'json_array'
    when t.typcategory = 'A' then 'array'
    else 'plain' end as form
from columns k
join pg_catalog.pg_type t on t.oid = k.type
left join pg_catalog.pg_type e on e.oid = t.typelem
where t.typtype <> 'd'
order by k."table", k.position`;

interface CatalogueRow {
  readonly table: string;
  readonly schema: string;
  readonly name: string;
  readonly column_name: string;
  readonly declared: string;
  readonly form: Form;
}

/** The table that `schema.table` means, compared as text so that a dot in either name is no riddle; or why it cannot be told. */
export const findTable = async (query: Query, entity: string): Promise<Table | string> => {
  const rows = entity.includes('\0') ? [] : await query<CatalogueRow>(catalogue, [entity]);
  const [first] = rows;
  if (first === undefined) return `There is no table ${entity}.`;
  if (rows.some((row) => row.table !== first.table)) return `${entity} names more than one table.`;
  const columns = rows.map((row): [string, Column] => [row.column_name, { name: row.column_name, declared: row.declared, form: row.form }]);
  return { schema: first.schema, name: first.name, columns: new Map(columns) };
};

const scalarText = (value: JsonValue): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

type Element = string | null | readonly Element[];

const elements = (items: readonly JsonValue[], scalar: (value: JsonValue) => Element): readonly Element[] =>
  items.map((item) => (item === null ? null : scalar(item)));

const nested = (value: JsonValue): Element => (Array.isArray(value) ? elements(value, nested) : scalarText(value));

/** What is sent for a value: text, or for an array column a list of texts, which the driver writes as an array literal. */
export const encode = (form: Form, value: JsonValue): Element | Buffer => {
  if (value === null) return null;
  if (form === 'json') return JSON.stringify(value);
  if (form === 'bytes' && typeof value === 'string') return Buffer.from(value, 'base64');
  if (form === 'json_array' && Array.isArray(value)) return elements(value, (item) => JSON.stringify(item));
  return form === 'array' ? nested(value) : scalarText(value);
};

const texts = (value: JsonValue): readonly string[] =>
  Array.isArray(value) ? value.flatMap(texts) : typeof value === 'string' ? [value] : [];

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Why a value cannot be sent at all, before the database is asked. */
export const unsendable = (form: Form, value: JsonValue): string | null => {
  if (form === 'bytes') return value === null || (typeof value === 'string' && base64.test(value)) ? null : 'must be base64';
  if (form === 'json' || form === 'json_array') return null;
  if (texts(value).some((text) => text.includes('\0'))) return 'holds a NUL character, which the database cannot store';
  if (texts(value).some((text) => !text.isWellFormed())) return 'holds half of a surrogate pair, which is not text';
  return null;
};
