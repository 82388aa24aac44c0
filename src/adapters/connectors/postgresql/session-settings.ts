import pg from 'pg';

type Settings = Readonly<Record<string, string>>;

/** What a session has for as long as it is open: whatever is set in it, a rollback or RESET brings it back to this. */
export interface Known {
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

const setLocal = (timeoutSeconds: number, { settings }: Pick<Known, 'settings'>) =>
  Object.entries(wanted(timeoutSeconds))
    .filter(([name, value]) => settings[name] !== value)
    .map(([name, value]) => `set local ${name} = ${pg.escapeLiteral(value)}`);

/** Begins a read-only transaction in which all settings are as they have to be, in a session that has some of them already. */
export const beginIn = (known: Known, timeoutSeconds: number): readonly string[] => [BEGIN, ...setLocal(timeoutSeconds, known)];

/** The same for a session of which nothing is known; answers `pid`. */
export const beginAnywhere = (timeoutSeconds: number): string =>
  [BEGIN, ...setLocal(timeoutSeconds, { settings: {} }), 'select pg_catalog.pg_backend_pid() as pid'].join('; ');

/** Values that came with the login or belong to it: a server that reads its configuration again changes all others. */
const ofTheSession = `
select pg_catalog.pg_backend_pid() as pid, (
  select pg_catalog.json_object_agg(pg_catalog.lower(s.name), s.setting) from pg_catalog.pg_settings s
  where pg_catalog.lower(s.name) = any($1) and s.setting = s.reset_val and s.source in ('client', 'user', 'database', 'database user')
) as settings`;

const SHARED = 'shared';

const sessions = new WeakMap<pg.ClientBase, Known | typeof SHARED>();

const ask = async (client: pg.ClientBase): Promise<Known | typeof SHARED> => {
  const { rows } = await client.query<{ pid: number; settings: Settings | null }>(ofTheSession, [Object.keys(wanted(0))]);
  const [found] = rows;
  // The driver's types leave out what the server told at the login.
  const { processID } = client as pg.ClientBase & { readonly processID: number | null };
  return found && found.pid === processID ? { pid: found.pid, settings: found.settings ?? {} } : SHARED;
};

/**
 * What is known of a session, asked for once; null where a pooler in between may give another session to each transaction. Such a
 * pooler makes up the process id of the login. A server that does not answer the question is told everything each time.
 */
export const knownOf = async (client: pg.ClientBase): Promise<Known | null> => {
  const known = sessions.get(client);
  if (known !== undefined) return known === SHARED ? null : known;
  const found = await ask(client).catch((error: unknown): typeof SHARED => {
    if (error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? '')) return SHARED;
    throw error;
  });
  sessions.set(client, found);
  return found === SHARED ? null : found;
};

/** A pooler may refuse a login with settings that it does not know. */
export const isRefusedOption = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  /^(08P01|0A000|42704|22023)$/.test(error.code ?? '') &&
  /option|parameter|setting/i.test(error.message);
