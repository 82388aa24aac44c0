import type { Duplex } from 'node:stream';
import pg from 'pg';

type Answered = (error: Error | undefined, result: pg.QueryResult) => void;

/** The driver's types leave `connection` out. */
export const streamOf = (client: pg.Client): Duplex =>
  (client as pg.Client & { readonly connection: { readonly stream: Duplex } }).connection.stream;

/**
 * The driver's client, except that it hands the driver a callback and keeps `query_timeout` by itself: the driver would write functions
 * into the query, V8 makes a function that is written into an object an old one, and all that an old object refers to stays until a full
 * collection of garbage: the whole request.
 */
export class Client extends pg.Client {
  readonly limitMs: number;

  constructor({ query_timeout: limitMs = 0, ...config }: pg.ClientConfig = {}) {
    super(config);
    this.limitMs = limitMs;
  }
}

const driversQuery = pg.Client.prototype.query as (asked: unknown, values: unknown, answered: Answered) => void;

/** A query that is not answered in time ends its connection, because nothing after it would be answered either. */
const ask = (client: Client, asked: unknown, values: unknown, answered: Answered) => {
  if (client.limitMs === 0) return driversQuery.call(client, asked, values, answered);
  let isOver = false;
  const once: Answered = (error, result) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(clock);
    answered(error, result);
  };
  const clock = setTimeout(() => {
    once(new Error('Query read timeout'), undefined as never);
    streamOf(client).destroy();
  }, client.limitMs);
  driversQuery.call(client, asked, values, once);
};

const answerOf = async (client: Client, asked: unknown, values: unknown): Promise<pg.QueryResult> => {
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
  const answered: Answered = (error, result) => (error ? reject(error) : resolve(result));
  ask(client, asked, values, answered);
  try {
    return await promise;
  } catch (error) {
    // The stack leads to who asked instead of to the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
};

function query(this: Client, asked: unknown, values?: unknown, answered?: Answered) {
  return answered ? ask(this, asked, values, answered) : answerOf(this, asked, values);
}
Client.prototype.query = query as pg.Client['query'];
