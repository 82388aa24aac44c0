import { lookup } from 'node:dns/promises';
import { connect, isIP, type NetConnectOpts, type Socket } from 'node:net';
import type { Hop, TableName } from '../../application/ports/connectors.ts';
import { inTime } from '../../application/shared/async.ts';
import type { Connection } from '../../domain/connection.ts';
import { DomainError } from '../../domain/errors.ts';
import type { ConnectorSettings } from './settings.ts';

/** What a step of an examination has come to. */
export type Found = Pick<Hop, 'status' | 'detail'>;
export const ok = (detail: string): Found => ({ status: 'ok', detail });
export const skipped = (detail: string): Found => ({ status: 'skipped', detail });

/** An error whose message is shown as it is. */
export class ExaminationFailure extends Error {}

export const resolveName = async (host: string): Promise<Found> => {
  if (isIP(host) !== 0) return skipped(`${host} is an address already.`);
  const addresses = await lookup(host, { all: true }).catch((error: NodeJS.ErrnoException) => {
    throw new ExaminationFailure(`The name ${host} has no address (${error.code}).`);
  });
  return ok(`${host} is ${addresses.map(({ address }) => address).join(', ')}.`);
};

export const openSocket = (target: NetConnectOpts): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(target);
    socket.once('connect', () => resolve(socket)).on('error', reject);
  });

const tablesText = (count: number) => `${count} ${count === 1 ? 'table' : 'tables'}`;

const mayRead = (count: number): Found => {
  if (count === 0) throw new ExaminationFailure('The login may read no table.');
  return ok(`The login may read ${tablesText(count)}.`);
};

/** What a login may do in the database that it is in. */
export interface Granted {
  readonly tables: readonly (TableName & { readonly readable: boolean; readonly writable: boolean })[];
  /** What makes the login an administrator: `is a superuser`; null if it is none. */
  readonly administers: string | null;
  /** Whether the login may create tables. */
  readonly creates: boolean;
}

/** The steps as each type of connection takes them, in this order, with a session of its own. */
export interface Examined
  extends Readonly<Record<'name' | 'tcp' | 'tls' | 'login', (signal: AbortSignal) => Promise<Found>>> {
  granted(signal: AbortSignal): Promise<Granted>;
  read(table: TableName, signal: AbortSignal): Promise<unknown>;
  /** The server's words for an error that is about a table; or null. */
  rejection(error: unknown): string | null;
  /** What went wrong, never in the driver's words, which may hold an address with its user. */
  explain(error: unknown): string;
  /** Ends what the steps have opened, however far they came. */
  close(): void;
}

const readSample = async ({ tables }: Granted, system: Examined, signal: AbortSignal): Promise<Found> => {
  const table = tables.find(({ readable }) => readable);
  if (!table) return skipped('There is no table to read.');
  const name = `${table.schema}.${table.name}`;
  await system.read(table, signal).catch((error: unknown) => {
    const reason = system.rejection(error);
    throw reason === null ? error : new ExaminationFailure(`${name} cannot be read: ${reason}`);
  });
  return ok(`${name} was read.`);
};

/** A login that may write is a finding where nothing is to be written, and one that administers always. */
const mayWrite = ({ administers, tables, creates }: Granted, isWritten: boolean): Found => {
  const writable = tables.filter((table) => table.writable).length;
  const reasons = [
    administers,
    writable > 0 ? `may write ${tablesText(writable)}` : null,
    creates ? 'may create tables' : null,
  ];
  const doubts = reasons.filter((reason) => reason !== null).join(', ');
  if (doubts === '') return ok('The login may write nothing.');
  // Programs may write by the API as well, of which nothing is known before they do.
  if (!isWritten)
    return {
      status: 'warn',
      detail: `The login ${doubts}, and no agent writes through it. Unless programs do so by the API, one that may only read is safer.`,
    };
  if (administers === null) return ok(`The login ${doubts}, and an agent writes.`);
  return {
    status: 'warn',
    detail: `The login ${doubts}: one that may do no more than what is to be written takes is safer.`,
  };
};

/** In the order in which they are tried. */
const stepsOf = (
  system: Examined,
  isWritten: boolean,
): readonly (readonly [Hop['name'], (signal: AbortSignal) => Promise<Found>])[] => {
  let granted: Granted = { tables: [], administers: null, creates: false };
  const permissions = async (signal: AbortSignal) => {
    granted = await system.granted(signal);
    return mayRead(granted.tables.filter(({ readable }) => readable).length);
  };
  return [
    ...(['name', 'tcp', 'tls', 'login'] as const).map(
      (name) => [name, (signal: AbortSignal) => system[name](signal)] as const,
    ),
    ['permissions', permissions],
    ['sample read', (signal) => readSample(granted, system, signal)],
    ['read only', async () => mayWrite(granted, isWritten)],
  ];
};

interface Terms {
  readonly signal: AbortSignal;
  /** How long each step may take. */
  readonly seconds: number;
  /** Whether something of the workspace writes through the connection. */
  readonly isWritten: boolean;
}

type Examination = new (settings: ConnectorSettings, connection: Connection, seconds: number) => Examined;

/** No step has longer, whatever time the connection has for its work. */
const MOST_SECONDS = 10;

/** Examines connections of one type. `graceSeconds`: how much longer a step may take than what is tried in it. */
export const examiner =
  (System: Examination, mostSeconds = MOST_SECONDS, graceSeconds = 0) =>
  (settings: ConnectorSettings, connection: Connection, isWritten: boolean, signal: AbortSignal) => {
    const seconds = Math.min(settings.timeoutSeconds, mostSeconds);
    return examine(new System(settings, connection, seconds), { signal, seconds: seconds + graceSeconds, isWritten });
  };

/** Tries each step for real; those after the first that fails are not tried. */
const examine = async (system: Examined, { signal, seconds, isWritten }: Terms): Promise<readonly Hop[]> => {
  const late = () => new DOMException('The time is up.', 'TimeoutError');
  const attempt = (step: (stop: AbortSignal) => Promise<Found>): Promise<Found> =>
    inTime(step, { seconds, late, signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      const known = error instanceof ExaminationFailure || error instanceof DomainError;
      return { status: 'fail', detail: known ? error.message : system.explain(error) };
    });
  const hops: Hop[] = [];
  try {
    for (const [name, step] of stepsOf(system, isWritten)) {
      const failed = hops.some(({ status }) => status === 'fail');
      hops.push({ name, ...(failed ? skipped('It was not tried.') : await attempt(step)) });
    }
    return hops;
  } finally {
    system.close();
  }
};
