import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Log } from '../../application/ports/runtime.ts';
import type { Statement } from './database.ts';

/** Short reads over few connections: each is sent at once, without waiting for the answers to those before it. */
export interface Pipeline {
  query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
  close(): Promise<void>;
}

const LANES = 2;
/** Nobody tries to connect for this long after a failure; the pause doubles up to the second figure. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** The connection is gone or going, or what it has prepared no longer fits the tables. */
const breaks = (error: unknown) => !(error instanceof pg.DatabaseError) || /^(08|57P|26000|0A000)/.test(error.code ?? '');

/** A read that took too long once is not given as long again. */
const isTimeout = (error: unknown) => error instanceof Error && error.message === 'Query read timeout';

/** What is sent while the requests that came together are looked at goes to the server in one piece: writing costs more than asking. */
const together = (stream: Duplex) => {
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
  readonly client: pg.Client;
  readonly hold: () => void;
}

/** One connection, opened when it is first needed and again after it broke. */
const openLane = (config: pg.ClientConfig, log: Log) => {
  let current: Promise<Lane> | null = null;
  let pause = FIRST_PAUSE_MS;
  let refused = { until: 0, error: new Error('The database is closed.') };

  const drop = (lane: Promise<Lane>) => {
    if (current === lane) current = null;
  };

  const connect = (): Promise<Lane> => {
    const client = new pg.Client({ ...config, pipeline: true });
    const opening = client.connect().then(
      () => {
        pause = FIRST_PAUSE_MS;
        // The driver's types leave out what it has.
        const { connection } = client as pg.Client & { readonly connection: { readonly stream: Duplex } };
        return { client, hold: together(connection.stream) };
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
      log.warn({ reason: error.message }, 'A database connection broke.');
    });
    return opening;
  };

  const attempt = async <Row extends object>({ name, text }: Statement, values: readonly unknown[]) => {
    if (!current && Date.now() < refused.until) throw refused.error;
    current ??= connect();
    const lane = current;
    const { client, hold } = await lane;
    try {
      hold();
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

export const pipeline = (connection: pg.ClientConfig, log: Log): Pipeline => {
  const lanes = Array.from({ length: LANES }, () => openLane(connection, log));
  let turn = 0;
  const attempt = <Row extends object>(statement: Statement, values: readonly unknown[]) => {
    turn = (turn + 1) % LANES;
    return (lanes[turn] as (typeof lanes)[number]).attempt<Row>(statement, values);
  };
  return {
    async query<Row extends object>(statement: Statement, values: readonly unknown[]) {
      for (let broken = 0; ; broken += 1) {
        try {
          return await attempt<Row>(statement, values);
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
