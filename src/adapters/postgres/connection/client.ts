import type { Duplex } from 'node:stream';
import pg from 'pg';
import { later } from '../../../application/shared/later.ts';

type Answered = (error: Error | undefined, result: pg.QueryResult) => void;

/** The driver's types leave `connection` out. */
export const streamOf = (client: pg.Client): Duplex =>
  (client as pg.Client & { readonly connection: { readonly stream: Duplex } }).connection.stream;

export interface ClientConfig extends pg.ClientConfig {
  /** Statements are sent without their names, and so planned each time: a session does not know what another one has prepared. */
  readonly nameless?: boolean;
}

/**
 * The driver's client, except that it hands the driver a callback and keeps `query_timeout` by itself. The driver would write functions
 * into the query. V8 counts a function that is written into an object among the old ones, and all that an old one refers to stays until
 * a full collection of garbage: the whole request.
 */
export class Client extends pg.Client {
  readonly limitMs: number;
  readonly isNameless: boolean;

  constructor({ query_timeout: limitMs = 0, nameless = false, ...config }: ClientConfig = {}) {
    super(config);
    this.limitMs = limitMs;
    this.isNameless = nameless;
  }
}

const driversQuery = pg.Client.prototype.query as (asked: unknown, values: unknown, answered: Answered) => void;

const isNamed = (statement: unknown): statement is { readonly name: string } =>
  typeof statement === 'object' && statement !== null && 'name' in statement;

/** A query that is not answered in time ends its connection, because nothing after it would be answered either. */
const ask = (client: Client, original: unknown, values: unknown, answered: Answered) => {
  const statement = client.isNameless && isNamed(original) ? { ...original, name: undefined } : original;
  if (client.limitMs === 0) return driversQuery.call(client, statement, values, answered);
  let isOver = false;
  const once: Answered = (error, result) => {
    if (isOver) return;
    isOver = true;
    stopClock();
    answered(error, result);
  };
  const stopClock = later(client.limitMs, () => {
    once(new Error('Query read timeout'), undefined as never);
    streamOf(client).destroy();
  });
  driversQuery.call(client, statement, values, once);
};

const answerOf = async (client: Client, statement: unknown, values: unknown): Promise<pg.QueryResult> => {
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
  const answered: Answered = (error, result) => (error ? reject(error) : resolve(result));
  ask(client, statement, values, answered);
  try {
    return await promise;
  } catch (error) {
    // The stack leads to who asked instead of to the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
};

function query(this: Client, statement: unknown, values?: unknown, answered?: Answered) {
  return answered ? ask(this, statement, values, answered) : answerOf(this, statement, values);
}
Client.prototype.query = query as pg.Client['query'];
