import pg from 'pg';
import { fairShare } from '../../../application/shared/fair-share.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Sharer } from '../../../domain/sharer.ts';
import type { Client } from './client.ts';

/** In whose share a search is, and what ends it. */
export interface SearchTerms {
  readonly sharer: Sharer;
  readonly signal: AbortSignal;
}

const WAIT_SECONDS = 10;
const MOST_WAITING = 100;
const RETRY_AFTER_SECONDS = 5;

const crowded = () =>
  new DomainError(
    'rate_limited',
    `Your searches take all the time that there is for them: try again in ${RETRY_AFTER_SECONDS} seconds.`,
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );

/** What the driver's types leave out: how the server knows the session, and the messages of the protocol. */
type Known = Client & { readonly processID: number; readonly secretKey: unknown };
type Wire = pg.Connection & {
  connect(port: number, host: string): void;
  cancel(processID: number, secretKey: unknown): void;
};

/** Asks the server to end what a session is doing, by a connection of its own. If that fails, the time limit of the statement ends it. */
const cancel = ({ processID, secretKey, host, port }: Known, { ssl }: pg.ClientConfig): void => {
  const wire = new pg.Connection({ ssl } as pg.ConnectionConfig) as Wire;
  const ask = () => wire.cancel(processID, secretKey);
  wire.on('error', () => wire.stream.destroy());
  wire.once(ssl ? 'sslconnect' : 'connect', ask);
  if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}` as unknown as number, '');
  else wire.connect(port, host);
};

/** Sessions for what may take long, shared by user and then by workspace: no number of searches keeps other work from the database. */
export const searchSessions = (pool: pg.Pool, places: number) => {
  const share = fairShare({
    places,
    mostOfUser: Math.max(1, places - 1),
    mostWaiting: MOST_WAITING,
    waitMs: WAIT_SECONDS * 1000,
    refusal: crowded,
  });

  const run = async <Row extends object>(query: pg.QueryConfig, signal: AbortSignal): Promise<readonly Row[]> => {
    const client = (await pool.connect()) as pg.PoolClient & Known;
    const stop = () => cancel(client, pool.options);
    let broken: Error | undefined;
    try {
      signal.throwIfAborted();
      signal.addEventListener('abort', stop, { once: true });
      return (await client.query<Row>(query)).rows;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) && !signal.aborted) broken = error as Error;
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      client.release(broken);
    }
  };

  return {
    /** Runs one statement. Rejects with the signal's reason once it aborts and the server has stopped, and with `rate_limited` if no session is free in time. */
    search: <Row extends object>(query: pg.QueryConfig, { sharer, signal }: SearchTerms): Promise<readonly Row[]> =>
      share.pass(sharer, () => run<Row>(query, signal), signal),
  };
};
