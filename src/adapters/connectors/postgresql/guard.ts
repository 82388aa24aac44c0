import { LRUCache } from 'lru-cache';
import { DomainError } from '../../../domain/errors.ts';
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

/** They run the SQL that they are given as text, which is not examined, and are declared stable. */
const runsText = ['crosstab', 'crosstab2', 'crosstab3', 'crosstab4', 'connectby', 'xpath_table'];

const found = (schema: string) =>
  `(${schema} = used.schema or (used.schema is null and ${schema} = any(pg_catalog.current_schemas(true))))`;

/** The parts of an aggregate are functions of their own, which may be volatile where the aggregate never is. */
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

/** Which functions may do more than read of those that the names stand for: by themselves, as operators, and as casts to types. */
const refused = `
with given as (
  select * from unnest($1::pg_catalog.text[], $2::pg_catalog.text[], $3::pg_catalog.name[]) as used (kind, schema, name)
), used as (
  select * from given
  union select used.kind, used.schema, p.proname from given used join pg_catalog.pg_proc p on p.proname !~ '^[ -~]*$' where ${doubtful}
), meant as (
  select used.kind, used.name, part.oid
  from used
  join pg_catalog.pg_proc p on p.proname = used.name and p.prokind <> 'p'
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace and ${found('n.nspname')}
  cross join lateral (
    select p.oid union all select unnest(array[${aggregated}]) from pg_catalog.pg_aggregate a where a.aggfnoid = p.oid
  ) as part (oid)
  where used.kind in ('function', 'attribute')
  union all
  select used.kind, used.name, o.oprcode
  from used
  join pg_catalog.pg_operator o on o.oprname = used.name
  join pg_catalog.pg_namespace n on n.oid = o.oprnamespace and ${found('n.nspname')}
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
  join used on used.kind <> 'operator' and used.name = t.typname and ${found('n.nspname')}
)
select meant.kind, meant.name, n.nspname as schema, f.proname as function
from meant
join pg_catalog.pg_proc f on f.oid = meant.oid
join pg_catalog.pg_namespace n on n.oid = f.pronamespace
join pg_catalog.pg_type r on r.oid = f.prorettype
left join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = f.oid and d.deptype = 'e'
left join pg_catalog.pg_extension x on x.oid = d.refobjid
where (f.provolatile = 'v' or (x.oid is not null and f.proname = any($6::pg_catalog.name[])))
  and not (n.nspname = 'pg_catalog' and f.proname = any($4::pg_catalog.name[]))
  and (x.extname in ('uuid-ossp', 'pgcrypto') and f.proname = any($5::pg_catalog.name[])) is not true
  and r.typname not in ('internal', 'tsm_handler', 'trigger', 'event_trigger', 'language_handler', 'fdw_handler', 'index_am_handler', 'table_am_handler')
limit 1`;

interface Refused {
  readonly kind: UsedName['kind'];
  readonly name: string;
  readonly schema: string;
  readonly function: string;
}

const reasonFor = ({ kind, name, schema, function: called }: Refused): string => {
  const full = schema === 'pg_catalog' ? called : `${schema}.${called}`;
  const use =
    kind === 'operator'
      ? `use the operator ${name}, which calls ${full}`
      : kind === 'type'
        ? `convert to ${name}, which calls ${full}`
        : `call ${full}`;
  return `A query cannot ${use}: it may do more than read (it is not declared STABLE or IMMUTABLE).`;
};

const MOST_INNOCENT = 2000;
/** Less than what a person needs who changes a function and then tries it. */
const INNOCENT_MILLISECONDS = 10_000;

/** Refuses a query that calls a function which may do more than read, by whatever it is called. */
export type Guard = (names: readonly UsedName[], query: Query) => Promise<void>;

/** Names that the catalogue had nothing against are not asked for again for a while. */
export const guard = (): Guard => {
  const innocent = new LRUCache<string, true>({ max: MOST_INNOCENT, ttl: INNOCENT_MILLISECONDS });
  const keyOf = ({ kind, schema, name }: UsedName) => `${kind} ${JSON.stringify(schema)} ${name}`;
  return async (names, query) => {
    const asked = names.filter((used) => used.kind !== 'relation' && !innocent.has(keyOf(used)));
    if (asked.length === 0) return;
    if (asked.some(({ schema }) => schema?.startsWith('pg_temp')))
      throw new DomainError('invalid', 'A query cannot use functions of the session itself (pg_temp).');
    const lists = [asked.map(({ kind }) => kind), asked.map(({ schema }) => schema), asked.map(({ name }) => name)];
    const [worst] = await query<Refused>(refused, [...lists, harmless, harmlessOfExtensions, runsText]);
    if (worst !== undefined) throw new DomainError('invalid', reasonFor(worst));
    for (const used of asked) innocent.set(keyOf(used), true);
  };
};
