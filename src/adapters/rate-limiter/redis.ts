import { setTimeout } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { Log } from '../../application/ports/runtime.ts';
import { type Connection, connector, firstConnection, Refused, reasonOf, within } from './redis-connection.ts';

/** A Redis that takes longer counts as away, so that no request waits longer for it. */
const ANSWER_TIMEOUT_MS = 1_000;
const RETRY_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;

interface Settings {
  readonly url: string;
  /** Tells deployments apart that share a Redis. */
  readonly prefix: string;
  /** Counts while Redis is away. */
  readonly fallback: RateLimiter;
  readonly log: Log;
}

/** Keeps a connection: after it is lost, tries to connect until that works. */
const reconnecting = (first: Connection, connect: (timeoutMs: number) => Promise<Connection>, log: Log) => {
  const closing = new AbortController();
  const { signal } = closing;
  let current: Connection | null = null;
  let reconnection: Promise<void> = Promise.resolve();

  const reconnect = async () => {
    await setTimeout(RETRY_MS, undefined, { signal, ref: false });
    const connection = await connect(CONNECT_TIMEOUT_MS);
    if (signal.aborted) return connection.destroy();
    use(connection);
    log.info({}, 'Redis is back: requests are counted there again');
  };

  /** The reason that was logged last: Redis gives the same one at each attempt, and it is logged once. */
  let told = '';
  const onFailedAttempt = ({ error }: { readonly error: Error }) => {
    const { message: reason } = error;
    if (!(error instanceof Refused) || reason.endsWith(told)) return log.debug({ err: error }, 'Redis is still away');
    told = reason;
    log.warn({ reason }, 'Redis is still away');
  };

  const lose = (lost: Connection, error: unknown) => {
    if (current !== lost) return;
    current = null;
    lost.destroy();
    if (signal.aborted) return;
    told = reasonOf(error);
    log.warn({ reason: told }, 'Redis is away: until it is back each process counts its own requests');
    const retrying = pRetry(reconnect, { retries: Number.POSITIVE_INFINITY, minTimeout: 0, signal, onFailedAttempt });
    reconnection = retrying.catch(() => {});
  };

  const use = (connection: Connection) => {
    current = connection;
    void connection.broken.then((error) => lose(connection, error));
  };

  use(first);
  return {
    current: () => current,
    lose,
    async close() {
      closing.abort();
      if (current) lose(current, null);
      await reconnection;
    },
  };
};

/** Counts in Redis, by its clock, for all processes that share it; in this process while Redis is away. */
export const redisLimiter = async ({
  url,
  prefix,
  fallback,
  log,
}: Settings): Promise<RateLimiter & { available(): boolean; close(): Promise<void> }> => {
  const connect = connector(url, prefix);
  const connections = reconnecting(await firstConnection(connect), connect, log);

  const attempt = async <T>(count: (limiter: RateLimiter) => Promise<T>): Promise<T> => {
    const connection = connections.current();
    if (!connection) return count(fallback);
    try {
      return await within(ANSWER_TIMEOUT_MS, count(connection));
    } catch (error) {
      connections.lose(connection, error);
      return count(fallback);
    }
  };

  return {
    async take(charges) {
      if (charges.length === 0) return { allowed: true, quotas: [] };
      return attempt((limiter) => limiter.take(charges));
    },
    async giveBack(charges) {
      if (charges.length > 0) await attempt((limiter) => limiter.giveBack(charges));
    },
    available: () => connections.current() !== null,
    close: () => connections.close(),
  };
};
