import { isIP } from 'node:net';
import type { CommandParser } from 'redis';
import type { RateLimiter } from '../../application/ports/limiter.ts';
import { inTime } from '../../application/shared/async.ts';
import type { Charge } from '../../domain/rate-limit.ts';
import { argumentsOf, GIVE_BACK, TAKE, takenOf, windowKey } from './redis-script.ts';

/** A Redis server, and the user to connect as. */
interface Address {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** The name that the server's certificate must have; null: the host. */
  readonly certifiedName: string | null;
  readonly username: string | null;
  readonly password: string | null;
  readonly database: number;
}

const DEFAULT_PORT = 6379;

const decoded = (part: string): string | null => (part === '' ? null : decodeURIComponent(part));

const addressIn = (text: string): Address | null => {
  const url = URL.parse(text);
  const database = /^\/?(\d{0,4})$/.exec(url?.pathname ?? 'none')?.[1];
  if (!url || !/^rediss?:$/.test(url.protocol) || url.hostname === '' || database === undefined) return null;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    tls: url.protocol === 'rediss:',
    certifiedName: null,
    username: decoded(url.username),
    password: decoded(url.password),
    database: Number(database),
  };
};

/** The error never repeats the text, which may contain a password. */
const parseAddress = (text: string): Address => {
  let address: Address | null = null;
  try {
    address = addressIn(text);
  } catch {
    // A percent sign that does not begin an encoded character.
  }
  if (!address)
    throw new Error('REDIS_URL must be an address such as redis://user:password@host:6379/0, or rediss://… with TLS.');
  return address;
};

const addressText = ({ host, port }: Address): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** The node of a cluster that an error `MOVED <slot> <host>:<port>` names; null for any other error. */
const movedTo = (error: unknown, from: Address): Address | null => {
  const [, host, port] = /^MOVED \d+ (.*):(\d+)$/.exec(error instanceof Error ? error.message : '') ?? [];
  if (host === undefined) return null;
  const certifiedName = isIP(host) ? (from.certifiedName ?? from.host) : null;
  return host === '' ? { ...from, port: Number(port) } : { ...from, host, port: Number(port), certifiedName };
};

/** A connection that does not reconnect by itself. */
export interface Connection extends RateLimiter {
  /** Resolves with the error that breaks the connection. */
  readonly broken: Promise<unknown>;
  /** Closes it at once; commands without an answer reject. */
  destroy(): void;
}

const START_TIMEOUT_MS = 10_000;
/** A cluster names the node of a slot at once; more redirects mean a misconfiguration. */
const MAX_HOPS = 3;

/** Counted on every new connection: a user who may do that may count every request. */
const trial: Charge = { name: 'trial', key: '', limit: Number.MAX_SAFE_INTEGER, windowSeconds: 1 };

class NoAnswer extends Error {}

export const within = <T>(milliseconds: number, answer: Promise<T>): Promise<T> =>
  inTime(() => answer, {
    seconds: milliseconds / 1000,
    late: () => new NoAnswer(`no answer within ${milliseconds} ms`),
  });

const refusals: readonly (readonly [RegExp, string])[] = [
  [/^WRONGPASS|^NOAUTH|^ERR.*AUTH/, 'it refuses the user name or the password'],
  [/^NOPERM/, 'the user may not do what counting takes (EVAL, EVALSHA, GET, PTTL, SET, INCR)'],
  [/DB index/, 'it has no database of that number'],
  [/^MOVED/, 'another node of the cluster has the keys'],
  [/^OOM/, 'its memory is full'],
  [/^READONLY/, 'it is a replica, which takes no writes'],
];

const refusalOf = (error: Error): string | undefined => refusals.find(([pattern]) => pattern.test(error.message))?.[1];

/** Redis answers, and refuses what this process asks, for one of the reasons above. */
export class Refused extends Error {}

/** Why Redis cannot be used. Never repeats its message: a server that does not know AUTH answers with the password that it was sent. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'it failed without saying why';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const refusal = refusalOf(error);
  if (refusal !== undefined) return refusal;
  const errorCode = /^[A-Z]{2,30}(?= )/.exec(error.message)?.[0];
  if (errorCode !== undefined) return `it answers ${errorCode}`;
  if (error instanceof NoAnswer) return error.message;
  return /timeout/i.test(error.message) ? 'no answer in time' : 'the connection broke';
};

const clientOf = async (address: Address, timeoutMs: number) => {
  const { createClient, defineScript } = await import('redis');
  const { host, port, username, password, database, certifiedName } = address;
  const script = (text: string) =>
    defineScript({
      SCRIPT: text,
      parseCommand(parser: CommandParser, keys: string[], values: string[]) {
        parser.pushKeysLength(keys);
        parser.push(...values);
      },
      transformReply: (reply: number[]) => reply,
    });
  return createClient({
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    database,
    // Every Redis supports the older protocol, and so do the proxies in front of one.
    RESP: 2,
    maintNotifications: 'disabled',
    scripts: { take: script(TAKE), giveBack: script(GIVE_BACK) },
    disableOfflineQueue: true,
    // The library's time-out only lasts until a command is sent.
    commandOptions: { timeout: undefined },
    socket: {
      host,
      port,
      // Shorter than our time-out: a socket that connects after the client is destroyed would stay open.
      connectTimeout: Math.ceil(timeoutMs / 2),
      reconnectStrategy: false,
      ...(address.tls && { tls: true as const, ...(certifiedName !== null && { servername: certifiedName }) }),
    },
  });
};

/** Connects within the time to the node that has the keys, and counts once there. */
const open = async (address: Address, prefix: string, timeoutMs: number, hops = 0): Promise<Connection> => {
  const ends = performance.now() + timeoutMs;
  const client = await clientOf(address, timeoutMs);
  const broken = new Promise<unknown>((resolve) => client.once('error', resolve));
  client.on('error', () => {});
  const keysOf = (charges: readonly Charge[]) => charges.map((charge) => windowKey(prefix, charge));
  const connection: Connection = {
    async take(charges) {
      return takenOf(charges, await client.take(keysOf(charges), argumentsOf(charges)));
    },
    async giveBack(charges) {
      await client.giveBack(keysOf(charges), []);
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

/** A side that speaks TLS and one that does not never say so to each other. */
const doubtOf = ({ tls }: Address, reason: string): string => {
  const isBroken = /^(?:the connection broke|ECONNRESET|EPROTO|ERR_SSL_)/.test(reason);
  if (tls && (isBroken || /^no answer/.test(reason))) return ' (rediss:// is for a Redis with TLS: is it one without?)';
  return !tls && isBroken ? ' (redis:// is for a Redis without TLS: does it take rediss:// alone?)' : '';
};

/** Throws at once if REDIS_URL is not valid. The errors of a connection are one line without a secret. */
export const connector = (url: string, prefix: string) => {
  const address = parseAddress(url);
  return async (timeoutMs: number): Promise<Connection> => {
    try {
      return await open(address, prefix, timeoutMs);
    } catch (error) {
      const isRefusal = error instanceof Error && refusalOf(error) !== undefined;
      const reason = reasonOf(error);
      const words = `${reason}${doubtOf(address, reason)}`;
      throw new (isRefusal ? Refused : Error)(`Redis at ${addressText(address)} cannot be used: ${words}`);
    }
  };
};

/** Waits longer than later attempts; the error names REDIS_URL. */
export const firstConnection = (connect: (timeoutMs: number) => Promise<Connection>): Promise<Connection> =>
  connect(START_TIMEOUT_MS).catch((error: unknown) => {
    throw new Error(`REDIS_URL: ${error instanceof Error ? error.message : 'Redis cannot be used'}.`);
  });

/** Connects, counts once more and returns how many milliseconds that took; the error names REDIS_URL. */
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
