import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { Log } from '../../application/ports/runtime.ts';
import { type Connection, connector, firstConnection } from './redis-connection.ts';
import { reasonOf } from './redis-reason.ts';
import { within } from './within.ts';

/** A Redis that takes longer is away: no request waits longer for it. */
const ANSWER_TIMEOUT_MS = 1_000;
const TRY_AGAIN_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;

interface Settings {
  readonly url: string;
  /** Deployments that share a Redis are counted apart by it. */
  readonly prefix: string;
  /** Counts while Redis is away. */
  readonly fallback: RateLimiter;
  readonly log: Log;
}

/** A connection while there is one; where it is lost, others are tried until one holds. */
const keeper = (first: Connection, connect: (timeoutMs: number) => Promise<Connection>, log: Log) => {
  let current: Connection | null = null;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let trying: Promise<void> = Promise.resolve();

  const lose = (lost: Connection, error: unknown) => {
    if (current !== lost) return;
    current = null;
    lost.destroy();
    if (closed) return;
    log.warn({ reason: reasonOf(error) }, 'Redis is away: until it is back each process counts its own requests');
    tryLater();
  };

  const use = (connection: Connection) => {
    current = connection;
    void connection.broken.then((error) => lose(connection, error));
  };

  const tryAgain = async () => {
    try {
      const connection = await connect(CONNECT_TIMEOUT_MS);
      if (closed) return connection.destroy();
      use(connection);
      log.info({}, 'Redis is back: requests are counted there again');
    } catch (error) {
      log.debug({ err: error }, 'Redis is still away');
      if (!closed) tryLater();
    }
  };

  const tryLater = () => {
    timer = setTimeout(() => {
      trying = tryAgain();
    }, TRY_AGAIN_MS).unref();
  };

  use(first);
  return {
    current: () => current,
    lose,
    async close() {
      closed = true;
      clearTimeout(timer);
      if (current) lose(current, null);
      await trying;
    },
  };
};

/** Counts in Redis, by its clock, for every process that uses it; in this process while Redis is away. */
export const redisLimiter = async ({
  url,
  prefix,
  fallback,
  log,
}: Settings): Promise<RateLimiter & { available(): boolean; close(): Promise<void> }> => {
  const connect = connector(url, prefix);
  const connections = keeper(await firstConnection(connect), connect, log);
  const asked = async <T>(there: (connection: Connection) => Promise<T>, here: () => Promise<T>): Promise<T> => {
    const connection = connections.current();
    if (!connection) return here();
    try {
      return await within(ANSWER_TIMEOUT_MS, there(connection));
    } catch (error) {
      connections.lose(connection, error);
      return here();
    }
  };
  return {
    async take(charges) {
      if (charges.length === 0) return { allowed: true, quotas: [] };
      return asked(
        (connection) => connection.take(charges),
        () => fallback.take(charges),
      );
    },
    async giveBack(charges) {
      if (charges.length === 0) return;
      await asked(
        (connection) => connection.giveBack(charges),
        () => fallback.giveBack(charges),
      );
    },
    available: () => connections.current() !== null,
    close: () => connections.close(),
  };
};
