import { LRUCache } from 'lru-cache';
import { outside, refused } from '../errors.ts';
import type { Query } from './query.ts';
import type { UsedName } from './query-tree.ts';

/**
 * Volatile functions that only read. All other volatile ones are refused: a read-only transaction does not keep a function from ending
 * other sessions, taking locks that outlive it, sleeping in a session that others wait for, or reaching for files and other servers.
 */
const harmless = [
  'clock_timestamp timeofday random random_normal gen_random_uuid uuidv4 uuidv7',
  'currval lastval pg_sequence_last_value pg_relation_size pg_table_size pg_indexes_size pg_total_relation_size pg_database_size',
  'pg_tablespace_size pg_partition_tree pg_partition_ancestors pg_is_in_recovery pg_current_wal_lsn pg_last_wal_replay_lsn',
  'pg_last_xact_replay_timestamp',
].flatMap((line) => line.split(' '));

/** Of these extensions, those volatile functions that only read. */
const harmlessOfExtensions = [
  'uuid_generate_v1',
  'uuid_generate_v1mc',
  'uuid_generate_v4',
  'gen_random_uuid',
  'gen_random_bytes',
  'gen_salt',
];

/** They run SQL that they get as text, which is not examined, and are declared stable. */
const runsText = ['crosstab', 'crosstab2', 'crosstab3', 'crosstab4', 'connectby', 'xpath_table'];

const isOnPath = (schema: string) =>
  `(${schema} = used.schema or (used.schema is null and ${schema} = any(pg_catalog.current_schemas(true))))`;

/** The parts of an aggregate are functions of their own, which may be volatile although the aggregate never is. */
const aggregated = [
  'aggtransfn',
  'aggfinalfn',
  'aggcombinefn',
  'aggserialfn',
  'aggdeserialfn',
  'aggmtransfn',
  'aggminvtransfn',
  'aggmfinalfn',
]
  .map((part) => `a.${part}::pg_catalog.oid`)
  .join(', ');

/** A database that is not in UTF-8 folds letters beyond ASCII its own way: such a name may mean any of them there. */
const doubtful = `pg_catalog.getdatabaseencoding() <> 'UTF8' and used.name !~ '^[ -~]*$'`;

/** `x.name` gives its function one argument, of the types that a row has where `x` is one. */
const mayBeCalled = `(used.kind = 'function' or (
    used.kind in ('attribute', 'column') and p.pronargs > 0 and p.pronargs - p.pronargdefaults <= 1 and (used.kind = 'attribute' or exists (
      select from pg_catalog.pg_type t where t.oid = p.proargtypes[0] and t.typtype in ('c', 'd', 'p')
      union all
      select from pg_catalog.pg_cast k join pg_catalog.pg_type t on t.oid = k.castsource and t.typtype = 'c'
      where k.casttarget = p.proargtypes[0] and k.castcontext = 'i'
    ))
  ))`;

/** The functions that may do more than read, of those that the names stand for: as functions, as operators, and as casts to types. */
const unsafeFunctions = `
with given as (
  select * from unnest($1::pg_catalog.text[], $2::pg_catalog.text[], $3::pg_catalog.name[]) as used (kind, schema, name)
), used as (
  select * from given
  union select used.kind, used.schema, p.proname from given used join pg_catalog.pg_proc p on p.proname !~ '^[ -~]*$' where ${doubtful}
), parts as (
  select used.kind, used.name, part.oid
  from used
  join pg_catalog.pg_proc p on p.proname = used.name and p.prokind <> 'p'
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace and ${isOnPath('n.nspname')}
  cross join lateral (
    select p.oid union all select unnest(array[${aggregated}]) from pg_catalog.pg_aggregate a where a.aggfnoid = p.oid
  ) as part (oid)
  where ${mayBeCalled}
  union all
  select used.kind, used.name, o.oprcode
  from used
  join pg_catalog.pg_operator o on o.oprname = used.name
  join pg_catalog.pg_namespace n on n.oid = o.oprnamespace and ${isOnPath('n.nspname')}
  where used.kind = 'operator'
  union all
  select 'type', used.name, k.castfunc
  from pg_catalog.pg_cast k
  join pg_catalog.pg_proc p on p.oid = k.castfunc and p.provolatile = 'v'
  cross join lateral (
    with recursive same (oid) as (
      select k.casttarget
      union select d.oid from same join pg_catalog.pg_type d on (d.typbasetype = same.oid and d.typtype = 'd') or d.typelem = same.oid
    ) select same.oid from same
  ) as target
  join pg_catalog.pg_type t on t.oid = target.oid
  join pg_catalog.pg_namespace n on n.oid = t.typnamespace
  join used on used.kind <> 'operator' and used.name = t.typname and ${isOnPath('n.nspname')}
)
select parts.kind, parts.name, n.nspname as schema, f.proname as function
from parts
join pg_catalog.pg_proc f on f.oid = parts.oid
join pg_catalog.pg_namespace n on n.oid = f.pronamespace
join pg_catalog.pg_type r on r.oid = f.prorettype
left join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = f.oid and d.deptype = 'e'
left join pg_catalog.pg_extension x on x.oid = d.refobjid
where (f.provolatile = 'v' or (x.oid is not null and f.proname = any($6::pg_catalog.name[])))
  and not (n.nspname = 'pg_catalog' and f.proname = any($4::pg_catalog.name[]))
  and (x.extname in ('uuid-ossp', 'pgcrypto') and f.proname = any($5::pg_catalog.name[])) is not true
  and r.typname not in ('internal', 'tsm_handler', 'trigger', 'event_trigger', 'language_handler', 'fdw_handler', 'index_am_handler', 'table_am_handler')
limit 1`;

interface Unsafe {
  readonly kind: UsedName['kind'];
  readonly name: string;
  readonly schema: string;
  readonly function: string;
}

const waits = new Set(['pg_sleep', 'pg_sleep_for', 'pg_sleep_until']);

const useOf = ({ kind, name }: Unsafe, called: string): string => {
  if (kind === 'operator') return `use the operator ${name}, which calls ${called}`;
  return kind === 'type' ? `convert to ${name}, which calls ${called}` : `call ${called}`;
};

const reasonFor = (unsafe: Unsafe): string => {
  const { schema, function: called } = unsafe;
  if (schema === 'pg_catalog' && waits.has(called))
    return `A query cannot call ${called}: it would keep a session busy with waiting.`;
  const full = schema === 'pg_catalog' ? called : `${schema}.${called}`;
  return `A query cannot ${useOf(unsafe, full)}: it may do more than read (it is not declared STABLE or IMMUTABLE).`;
};

/** Functions of the system that read tables or the catalogue, though the query names no relation; of those that begin with pg_, all but these. */
const readsRelations =
  /^pg_|^has_\w+_privilege$|^to_reg|_to_xml|_description$|^format_type$|^row_security_active$|^reg\w+?(?:in|out|recv|send)$/;
const readsNone = new Set(
  `pg_backend_pid pg_client_encoding pg_collation_for pg_column_compression pg_column_size pg_input_error_info pg_input_is_valid
  pg_postmaster_start_time pg_size_bytes pg_size_pretty pg_timezone_abbrevs pg_timezone_names pg_typeof`.split(/\s+/),
);

/** Types whose values are names in the catalogue: every number from 16384 on, as `regclass`, is what the relation of that number is called. */
const namesRelations = /^_?reg(?:class|namespace|oper|operator|proc|procedure|role|type)$/;

const isSystems = ({ kind, schema, name }: UsedName) => {
  if (schema !== null && schema !== 'pg_catalog') return false;
  const isCalled = kind === 'function' || kind === 'attribute';
  // `regclass(1259)` is a cast as well.
  if ((isCalled || kind === 'type') && namesRelations.test(name)) return true;
  return isCalled && readsRelations.test(name) && !readsNone.has(name);
};

/** Of columns (`p.item_description`) and of functions written like one (`(16384::oid).pg_get_viewdef`), those that the system has as a function of one argument or as a type. */
const calledLikeColumns = `
select used.name from unnest($1::pg_catalog.text[]) as used (name) join pg_catalog.pg_namespace n on n.nspname = 'pg_catalog'
where exists (select from pg_catalog.pg_proc p where p.proname = used.name and p.pronamespace = n.oid and p.pronargs - p.pronargdefaults <= 1)
  or exists (select from pg_catalog.pg_type t where t.typname = used.name and t.typnamespace = n.oid)
limit 1`;

/** One that reads beyond the schemas; null if there is none. */
const systemsIn = async (names: readonly UsedName[], query: Query): Promise<Pick<UsedName, 'kind' | 'name'> | null> => {
  const suspects = names.filter(isSystems);
  const certain = suspects.find(({ kind }) => kind !== 'attribute');
  if (certain || suspects.length === 0) return certain ?? null;
  const [called] = await query<{ name: string }>(calledLikeColumns, [suspects.map(({ name }) => name)]);
  return called ? { kind: 'attribute', name: called.name } : null;
};

/**
 * The relations outside that the server would take for these names: unqualified ones by its own search path, types only if they are
 * the rows of a relation. In a database that is not in UTF-8 letters beyond ASCII are folded its own way, so such a name may be any relation.
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
const mustStayWithin = async (schemas: readonly string[], names: readonly UsedName[], query: Query): Promise<void> => {
  const foreign = names.find(({ kind, schema }) => kind === 'relation' && schema !== null && !schemas.includes(schema));
  if (foreign) throw outside(foreign, schemas);
  const system = schemas.includes('pg_catalog') ? null : await systemsIn(names, query);
  if (system) {
    const use = system.kind === 'type' ? 'convert to' : 'call';
    throw refused(`A query of this database cannot ${use} ${system.name}: it reads beyond its schemas.`);
  }
  const open = names.filter(({ kind, schema }) => kind === 'type' || (kind === 'relation' && schema === null));
  if (open.length === 0) return;
  const lists = [open.map(({ kind }) => kind), open.map(({ schema }) => schema), open.map(({ name }) => name)];
  const [relation] = await query<{ schema: string | null; name: string }>(foundOutside, [...lists, schemas]);
  if (relation) throw outside(relation, schemas);
};

const MOST_HARMLESS = 2000;
/** Less than the time that a person needs to change a function and then try it. */
const HARMLESS_MILLISECONDS = 10_000;

/** Refuses a query that reads outside of the schemas, if they are given, or calls a function that may do more than read. */
type Guard = (names: readonly UsedName[], schemas: readonly string[] | null, query: Query) => Promise<void>;

/** Remembers for a while which names the catalogue has found harmless. */
export const guard = (): Guard => {
  const cache = new LRUCache<string, true>({ max: MOST_HARMLESS, ttl: HARMLESS_MILLISECONDS });
  const keyOf = ({ kind, schema, name }: UsedName) => `${kind} ${JSON.stringify(schema)} ${name}`;
  const mustBeHarmless = async (names: readonly UsedName[], query: Query): Promise<void> => {
    const uncached = names.filter((used) => used.kind !== 'relation' && !cache.has(keyOf(used)));
    if (uncached.length === 0) return;
    if (uncached.some(({ schema }) => schema?.startsWith('pg_temp')))
      throw refused('A query cannot use functions of the session itself (pg_temp).');
    const lists = [
      uncached.map(({ kind }) => kind),
      uncached.map(({ schema }) => schema),
      uncached.map(({ name }) => name),
    ];
    const [worst] = await query<Unsafe>(unsafeFunctions, [...lists, harmless, harmlessOfExtensions, runsText]);
    if (worst !== undefined) throw refused(reasonFor(worst));
    for (const used of uncached) cache.set(keyOf(used), true);
  };
  // First what it does and then where: of a function that does more than read, that is the reason.
  return async (names, schemas, query) => {
    await mustBeHarmless(names, query);
    if (schemas !== null) await mustStayWithin(schemas, names, query);
  };
};
