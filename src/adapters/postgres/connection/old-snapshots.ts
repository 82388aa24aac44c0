import type { Check } from '../../../application/ports/doctor.ts';
import { type Database, prepared } from './database.ts';

/** What keeps PostgreSQL from cleaning up rows that are dead. */
const holders = ['transaction', 'prepared_transaction', 'replication_slot', 'standby'] as const;
type By = (typeof holders)[number];

interface Held {
  readonly by: By;
  /** The process id of a transaction, or the name that PostgreSQL has for it. */
  readonly name: string;
  /** How many transactions have begun since. */
  readonly transactions: number;
  /** For how long, where PostgreSQL knows it. */
  readonly seconds: number | null;
}

/** Transactions of other databases do not keep the rows of this one. Those of other users are seen by a member of pg_monitor alone. */
const held = prepared('database_held_back')`
select * from (
  select 'transaction' as by, a.pid::text as name, greatest(age(a.backend_xmin), age(a.backend_xid)) as transactions,
    extract(epoch from clock_timestamp() - a.xact_start)::float8 as seconds
  from pg_stat_activity a
  where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
    and (a.backend_xmin is not null or a.backend_xid is not null)
  union all
  select 'prepared_transaction', gid, age(transaction), extract(epoch from clock_timestamp() - prepared)::float8
  from pg_prepared_xacts where database = current_database()
  union all
  select 'replication_slot', slot_name, age(xmin), null from pg_replication_slots where xmin is not null
  union all
  select 'standby', application_name, age(backend_xmin), null from pg_stat_replication where backend_xmin is not null
) held order by transactions desc`;

/** How many transactions the oldest of each kind has outlasted. */
export const heldBack =
  ({ query }: Pick<Database, 'query'>) =>
  async (): Promise<Readonly<Record<By, number>>> => {
    const all = await query<Held>(held, []);
    const oldest = (by: By) => Math.max(0, ...all.filter((each) => each.by === by).map((each) => each.transactions));
    return Object.fromEntries(holders.map((by) => [by, oldest(by)])) as Record<By, number>;
  };

/** Shorter ones are usual: a backup, an export, an index that is made. */
const LONG_SECONDS = 300;
const MANY_TRANSACTIONS = 100_000;
const isOld = ({ seconds, transactions }: Held) =>
  seconds === null ? transactions >= MANY_TRANSACTIONS : seconds >= LONG_SECONDS;

const quoted = (name: string) => `'${name.replaceAll("'", "''")}'`;

const advice: Readonly<Record<By, (name: string) => string>> = {
  transaction: (name) =>
    `a transaction is open: end what it is for, or select pg_terminate_backend(${name}); idle_in_transaction_session_timeout ends such as are idle`,
  prepared_transaction: (name) =>
    `a prepared transaction is open: commit prepared ${quoted(name)}, or rollback prepared`,
  replication_slot: (name) =>
    `the replication slot ${name} waits for a standby: start that, or select pg_drop_replication_slot(${quoted(name)})`,
  standby: (name) =>
    `the standby ${name} has hot_standby_feedback and runs a query: end the query, or turn hot_standby_feedback off there`,
};

/** What keeps PostgreSQL from cleaning up, and what to do. */
export const cleaningUp = async ({ query }: Pick<Database, 'query'>): Promise<string | readonly Check[]> => {
  const old = (await query<Held>(held, [])).filter(isOld);
  if (old.length === 0) return 'no old snapshot holds it back';
  return old.map(({ by, name, transactions, seconds }): Check => {
    const since = seconds === null ? '' : `for ${Math.round(seconds / 60)} minutes and `;
    const detail = `rows that are dead cannot be removed ${since}for ${transactions} transactions, and tables grow: ${advice[by](name)}`;
    return { name: 'cleaning up', status: 'warn', detail };
  });
};
