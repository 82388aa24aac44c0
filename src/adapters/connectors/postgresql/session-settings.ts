import pg from 'pg';

type Settings = Readonly<Record<string, string>>;

/** What a session keeps while it is open: whatever is set in it, a rollback or RESET brings it back to this. */
interface SessionFacts {
  readonly pid: number;
  readonly settings: Settings;
}

/**
 * Settings that decide how values look as text are part of the contract, so none is left to the login's defaults; the
 * search path is, because the login's own names are found by it. Each in the words of `pg_settings`.
 */
const wanted = (timeoutSeconds: number): Settings => {
  const limit = Math.ceil(timeoutSeconds * 1000);
  return {
    statement_timeout: `${limit}`,
    lock_timeout: `${limit}`,
    idle_in_transaction_session_timeout: `${limit + 10_000}`,
    timezone: 'UTC',
    datestyle: 'ISO, YMD',
    intervalstyle: 'iso_8601',
    bytea_output: 'hex',
    extra_float_digits: '1',
    standard_conforming_strings: 'on',
    default_transaction_read_only: 'on',
  };
};

/** `options` of the login that give a session these settings from its start. */
export const loginOptions = (timeoutSeconds: number): string =>
  Object.entries(wanted(timeoutSeconds))
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '')}`)
    .join(' ');

const BEGIN = 'begin isolation level read committed read only';

const setLocal = (timeoutSeconds: number, { settings }: Pick<SessionFacts, 'settings'>) =>
  Object.entries(wanted(timeoutSeconds))
    .filter(([name, value]) => settings[name] !== value)
    .map(([name, value]) => `set local ${name} = ${pg.escapeLiteral(value)}`);

/** Begins a read-only transaction in which all settings are as they have to be, in a session that has some of them already. */
export const beginIn = (facts: SessionFacts, timeoutSeconds: number): readonly string[] => [
  BEGIN,
  ...setLocal(timeoutSeconds, facts),
];

/** The same for a session without facts; answers `pid`. */
export const beginAnywhere = (timeoutSeconds: number): string =>
  [BEGIN, ...setLocal(timeoutSeconds, { settings: {} }), 'select pg_catalog.pg_backend_pid() as pid'].join('; ');

/** Values that came with the login or belong to it: a server that reads its configuration again changes all others. */
const ofTheSession = `
select pg_catalog.pg_backend_pid() as pid, (
  select pg_catalog.json_object_agg(pg_catalog.lower(s.name), s.setting) from pg_catalog.pg_settings s
  where pg_catalog.lower(s.name) = any($1) and s.setting = s.reset_val and s.source in ('client', 'user', 'database', 'database user')
) as settings`;

const SHARED = 'shared';

const sessions = new WeakMap<pg.ClientBase, SessionFacts | typeof SHARED>();

const ask = async (client: pg.ClientBase): Promise<SessionFacts | typeof SHARED> => {
  const { rows } = await client.query<{ pid: number; settings: Settings | null }>(ofTheSession, [
    Object.keys(wanted(0)),
  ]);
  const [session] = rows;
  // The driver's types leave out the process id that the server sends at the login.
  const { processID } = client as pg.ClientBase & { readonly processID: number | null };
  return session && session.pid === processID ? { pid: session.pid, settings: session.settings ?? {} } : SHARED;
};

/**
 * The facts of a session, asked for once; null if a pooler in between may give another session to each transaction, which it shows by
 * a made-up process id at the login. If a server does not answer the question, each transaction sends all settings.
 */
export const factsOf = async (client: pg.ClientBase): Promise<SessionFacts | null> => {
  let facts = sessions.get(client);
  if (facts === undefined) {
    facts = await ask(client).catch((error: unknown): typeof SHARED => {
      if (error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? '')) return SHARED;
      throw error;
    });
    sessions.set(client, facts);
  }
  return facts === SHARED ? null : facts;
};

/** A pooler may refuse a login with settings that it does not know. */
export const isRefusedOption = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  /^(08P01|0A000|42704|22023)$/.test(error.code ?? '') &&
  /option|parameter|setting/i.test(error.message);
