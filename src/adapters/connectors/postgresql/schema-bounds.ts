import { DomainError } from '../../../domain/errors.ts';
import { outside } from '../errors.ts';
import type { Query } from './query.ts';
import type { UsedName } from './query-tree.ts';

/** Functions of the system that answer what stands in tables or the catalogue, though no relation is named; of those that begin with pg_, all but these. */
const readsRelations = /^pg_|_to_xml|_description$/;
const readsNone = new Set(
  `pg_backend_pid pg_client_encoding pg_collation_for pg_column_compression pg_column_size pg_input_error_info pg_input_is_valid
  pg_postmaster_start_time pg_size_bytes pg_size_pretty pg_timezone_abbrevs pg_timezone_names pg_typeof`.split(/\s+/),
);

const isSystems = ({ kind, schema, name }: UsedName) =>
  (kind === 'function' || kind === 'attribute') &&
  (schema === null || schema === 'pg_catalog') &&
  readsRelations.test(name) &&
  !readsNone.has(name);

/**
 * The relations outside that the server would take for these names: unqualified ones by its own search path, types only where they are
 * the rows of a relation. In a database that is not in UTF-8 letters beyond ASCII are folded its own way, so that no name of them is sure.
 */
const foundOutside = `
with used as (
  select kind, schema, name, pg_catalog.concat_ws('.', pg_catalog.quote_ident(schema), pg_catalog.quote_ident(name)) as written
  from unnest($1::pg_catalog.text[], $2::pg_catalog.text[], $3::pg_catalog.text[]) as used (kind, schema, name)
), found as (
  select pg_catalog.to_regclass(written)::pg_catalog.oid as oid from used where kind = 'relation'
  union all
  select case when t.typrelid <> 0 then t.typrelid else e.typrelid end
  from used
  join pg_catalog.pg_type t on t.oid = pg_catalog.to_regtype(written)
  left join pg_catalog.pg_type e on e.oid = t.typelem
  where kind = 'type'
)
select n.nspname as schema, c.relname as name
from found join pg_catalog.pg_class c on c.oid = found.oid and c.relkind <> 'c' join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname <> all ($4::pg_catalog.text[])
union all
select schema, name from used where name !~ '^[ -~]*$' and pg_catalog.getdatabaseencoding() <> 'UTF8'
limit 1`;

/** Refuses a query that reads relations outside of these schemas. Views and functions of a schema's own go on with the rights of the login. */
export const mustStayWithin = async (schemas: readonly string[], names: readonly UsedName[], query: Query): Promise<void> => {
  const foreign = names.find(({ kind, schema }) => kind === 'relation' && schema !== null && !schemas.includes(schema));
  if (foreign) throw outside(foreign, schemas);
  const system = schemas.includes('pg_catalog') ? undefined : names.find(isSystems);
  if (system) throw new DomainError('invalid', `A query of this database cannot call ${system.name}: it reads beyond its schemas.`);
  const open = names.filter(({ kind, schema }) => kind === 'type' || (kind === 'relation' && schema === null));
  if (open.length === 0) return;
  const lists = [open.map(({ kind }) => kind), open.map(({ schema }) => schema), open.map(({ name }) => name)];
  const [found] = await query<{ schema: string | null; name: string }>(foundOutside, [...lists, schemas]);
  if (found) throw outside(found, schemas);
};
