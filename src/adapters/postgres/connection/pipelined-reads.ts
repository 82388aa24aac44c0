import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Log } from '../../../application/ports/runtime.ts';
import { Client, streamOf } from './client.ts';

const LANES = 2;
/** After a failure no new connection is tried for this long; the pause doubles up to the second figure. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** The connection is gone or going, or what it has prepared no longer fits the tables. */
const breaks = (error: unknown) =>
  !(error instanceof pg.DatabaseError) || /^(08|57P|26000|0A000)/.test(error.code ?? '');

/** A read that timed out is not tried again: it would take as long. */
const isTimeout = (error: unknown) => error instanceof Error && error.message === 'Query read timeout';

/** Collects what is sent in one turn of the event loop into one write to the socket: a write costs more than a query. */
const writesTogether = (stream: Duplex) => {
  let waiting = false;
  const send = () => {
    waiting = false;
    stream.uncork();
  };
  return () => {
    if (waiting) return;
    waiting = true;
    stream.cork();
    setImmediate(send);
  };
};

interface Lane {
  readonly client: Client;
  /** Call before each query. */
  readonly collectWrites: () => void;
}

/** One connection, opened by its first read and again after it broke. */
const openLane = (config: pg.ClientConfig, log: Log) => {
  let current: Promise<Lane> | null = null;
  let pause = FIRST_PAUSE_MS;
  let refused = { until: 0, error: new Error('The database is closed.') };

  const drop = (lane: Promise<Lane>) => {
    if (current === lane) current = null;
  };

  const connect = (): Promise<Lane> => {
    const client = new Client({ ...config, pipeline: true });
    const opening = client.connect().then(
      () => {
        pause = FIRST_PAUSE_MS;
        return { client, collectWrites: writesTogether(streamOf(client)) };
      },
      (error: Error) => {
        drop(opening);
        refused = { until: Date.now() + pause, error };
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
        throw error;
      },
    );
    client.on('error', (error) => {
      drop(opening);
      log.warn({ reason: error.message }, 'a database connection broke');
    });
    return opening;
  };

  const attempt = async <Row extends object>({ name, text }: pg.QueryConfig, values: readonly unknown[]) => {
    if (!current && Date.now() < refused.until) throw refused.error;
    current ??= connect();
    const lane = current;
    const { client, collectWrites } = await lane;
    try {
      collectWrites();
      return (await client.query<Row>({ name, text, values: [...values] })).rows;
    } catch (error) {
      if (breaks(error)) {
        drop(lane);
        void client.end().catch(() => {});
      }
      throw error;
    }
  };

  const close = async () => {
    refused.until = Number.POSITIVE_INFINITY;
    const last = current;
    current = null;
    await last?.then(({ client }) => client.end()).catch(() => {});
  };

  return { attempt, close };
};

/** Short reads over few connections: each is sent at once and does not wait for the results of those before it. */
export const pipelinedReads = (connection: pg.ClientConfig, log: Log) => {
  const lanes = Array.from({ length: LANES }, () => openLane(connection, log));
  let next = 0;
  return {
    async read<Row extends object>(statement: pg.QueryConfig, values: readonly unknown[]): Promise<readonly Row[]> {
      for (let broken = 0; ; broken += 1) {
        next = (next + 1) % LANES;
        try {
          return await (lanes[next] as (typeof lanes)[number]).attempt<Row>(statement, values);
        } catch (error) {
          if (!breaks(error) || broken === LANES || isTimeout(error)) throw error;
        }
      }
    },
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
};
