import { DomainError } from '../../../domain/errors.ts';
import type { Query } from './columns.ts';
import type { Call } from './query-text.ts';

/**
 * Volatile functions that only read, or whose only effect is time. All other volatile ones are refused: a read-only transaction
 * does not keep a function from ending other sessions, taking locks that outlive it, or reaching for files and other servers.
 */
const harmless = [
  'clock_timestamp timeofday random random_normal gen_random_uuid uuidv4 uuidv7 pg_sleep pg_sleep_for pg_sleep_until',
  'currval lastval pg_sequence_last_value pg_relation_size pg_table_size pg_indexes_size pg_total_relation_size pg_database_size',
  'pg_tablespace_size pg_partition_tree pg_partition_ancestors pg_is_in_recovery pg_current_wal_lsn pg_last_wal_replay_lsn',
  'pg_last_xact_replay_timestamp pg_blocking_pids',
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

/** They run the SQL they are given as text, which nobody has looked at, and are declared stable. */
const runsText = ['crosstab', 'crosstab2', 'crosstab3', 'crosstab4', 'connectby', 'xpath_table'];

/** Whether any function of these names might be refused: almost always none, and that is told fast. */
const suspicious = `
select 1 from pg_catalog.pg_proc p
where p.proname = any($1::pg_catalog.name[]) and (p.provolatile = 'v' or p.proname = any($2::pg_catalog.name[])) limit 1`;

/** `row.name` without parentheses calls a function of one row, where there is no column of that name. */
const refused = `
select n.nspname as schema, p.proname as name
from unnest($1::pg_catalog.text[], $2::pg_catalog.name[], $3::pg_catalog.bool[]) as used (schema, name, called)
join pg_catalog.pg_proc p on p.proname = used.name
  and (used.called or p.proargtypes[0] in (select a.oid from pg_catalog.pg_type a where a.typtype in ('c', 'p')))
join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  and (n.nspname = used.schema::pg_catalog.name
    or ((used.schema is null or not used.called) and n.nspname = any(pg_catalog.current_schemas(true))))
join pg_catalog.pg_type r on r.oid = p.prorettype
left join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid and d.deptype = 'e'
left join pg_catalog.pg_extension x on x.oid = d.refobjid
where (p.provolatile = 'v' or (x.oid is not null and p.proname = any($6::pg_catalog.name[])))
  and not (n.nspname = 'pg_catalog' and p.proname = any($4::pg_catalog.name[]))
  and not (x.extname in ('uuid-ossp', 'pgcrypto') and p.proname = any($5::pg_catalog.name[])) is true
  and r.typname not in ('internal', 'tsm_handler', 'trigger', 'event_trigger', 'language_handler', 'fdw_handler', 'index_am_handler', 'table_am_handler')
limit 1`;

/** Refuses a query that calls a function which may do more than read. */
export const mustOnlyRead = async (calls: readonly Call[], query: Query) => {
  if (calls.length === 0) return;
  const names = calls.map(({ name }) => name);
  if ((await query(suspicious, [names, runsText])).length === 0) return;
  const lists = [calls.map(({ schema }) => schema), names, calls.map(({ called }) => called)];
  const [found] = await query<{ schema: string; name: string }>(refused, [...lists, harmless, harmlessOfExtensions, runsText]);
  if (found === undefined) return;
  const name = found.schema === 'pg_catalog' ? found.name : `${found.schema}.${found.name}`;
  throw new DomainError('invalid', `A query cannot call ${name}: it may do more than read (it is not declared STABLE or IMMUTABLE).`);
};
