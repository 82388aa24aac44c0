import type { CommandParser } from 'redis';
import type { Charge } from '../../domain/rate-limit.ts';
import { type Address, movedTo, parseAddress, placeOf } from './redis-address.ts';
import { reasonOf } from './redis-reason.ts';
import { argumentsOf, checkPrefix, GIVE_BACK, TAKE, type Taken, takenOf, windowKey } from './redis-script.ts';
import { within } from './within.ts';

/** One connection, as long as it lasts: it does not connect again. */
export interface Connection {
  take(charges: readonly Charge[]): Promise<Taken>;
  giveBack(charges: readonly Charge[]): Promise<void>;
  /** Settles when the connection breaks by itself. */
  readonly broken: Promise<unknown>;
  /** Ends it at once; what waits for an answer is rejected. */
  destroy(): void;
}

const START_TIMEOUT_MS = 10_000;
/** A cluster names the node that has a slot; more than a few hops are no cluster. */
const MAX_HOPS = 3;

/** Counted when a connection is made: whoever can do that can count every request. */
const trial: Charge = { name: 'trial', key: '', limit: Number.MAX_SAFE_INTEGER, windowSeconds: 1 };

/** A client of the library. It gives up when the connection breaks, for whoever uses it decides when to try again. */
const clientOf = async (address: Address, timeoutMs: number) => {
  const { createClient, defineScript } = await import('redis');
  const { host, port, username, password, database, certifiedName } = address;
  const take = defineScript({
    SCRIPT: TAKE,
    parseCommand(parser: CommandParser, keys: string[], values: string[]) {
      parser.pushKeysLength(keys);
      parser.push(...values);
    },
    transformReply: (reply: number[]) => reply,
  });
  const giveBack = defineScript({
    SCRIPT: GIVE_BACK,
    parseCommand(parser: CommandParser, keys: string[]) {
      parser.pushKeysLength(keys);
    },
    transformReply: (reply: number) => reply,
  });
  return createClient({
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    database,
    // The older protocol is spoken by every Redis and by the proxies in front of one.
    RESP: 2,
    maintNotifications: 'disabled',
    scripts: { take, giveBack },
    disableOfflineQueue: true,
    // The library's time-out ends when a command is sent.
    commandOptions: { timeout: undefined },
    socket: {
      host,
      port,
      // Sooner than ours: a socket that connects when the client is ended already would stay open.
      connectTimeout: Math.ceil(timeoutMs / 2),
      reconnectStrategy: false,
      ...(address.tls && { tls: true as const, ...(certifiedName !== null && { servername: certifiedName }) }),
    },
  });
};

/** Connects and counts once, within the time, at the node that has the keys. */
const open = async (address: Address, prefix: string, timeoutMs: number, hops = 0): Promise<Connection> => {
  const ends = performance.now() + timeoutMs;
  const client = await clientOf(address, timeoutMs);
  const broken = new Promise<unknown>((resolve) => client.once('error', resolve));
  client.on('error', () => {});
  const connection: Connection = {
    async take(charges) {
      const keys = charges.map((charge) => windowKey(prefix, charge));
      return takenOf(charges, await client.take(keys, argumentsOf(charges)));
    },
    async giveBack(charges) {
      await client.giveBack(charges.map((charge) => windowKey(prefix, charge)));
    },
    broken,
    destroy: () => client.destroy(),
  };
  try {
    const counted = client.connect().then(() => connection.take([trial]));
    await within(timeoutMs, Promise.race([counted, broken.then((error) => Promise.reject(error))]));
    return connection;
  } catch (error) {
    client.destroy();
    const moved = hops < MAX_HOPS ? movedTo(error, address) : null;
    if (moved) return open(moved, prefix, Math.max(1, ends - performance.now()), hops + 1);
    throw error;
  }
};

/** How to connect to REDIS_URL: throws at once where that is no address. Errors say what is wrong in one line without a secret. */
export const connector = (url: string, prefix: string) => {
  const address = parseAddress(url);
  checkPrefix(prefix);
  return async (timeoutMs: number): Promise<Connection> => {
    try {
      return await open(address, prefix, timeoutMs);
    } catch (error) {
      throw new Error(`Redis at ${placeOf(address)} cannot be used: ${reasonOf(error)}`);
    }
  };
};

/** The first connection; the error names REDIS_URL. */
export const firstConnection = (connect: (timeoutMs: number) => Promise<Connection>): Promise<Connection> =>
  connect(START_TIMEOUT_MS).catch((error: unknown) => {
    throw new Error(`REDIS_URL: ${error instanceof Error ? error.message : 'Redis cannot be used'}.`);
  });

/** Connects, counts once more and answers how long that took; the error names REDIS_URL. */
export const examineRedis = async (url: string, prefix: string): Promise<number> => {
  const connection = await firstConnection(connector(url, prefix));
  try {
    const since = performance.now();
    await within(START_TIMEOUT_MS, connection.take([trial]));
    return performance.now() - since;
  } finally {
    connection.destroy();
  }
};
