import type { Duplex } from 'node:stream';
import pg from 'pg';
import { later } from '../../../application/shared/later.ts';
import { type Answered, type Connected, PreparedStatement } from './prepared-statement.ts';

/** The driver's types leave `connection` out. */
export const streamOf = (client: pg.Client): Duplex =>
  (client as pg.Client & { readonly connection: { readonly stream: Duplex } }).connection.stream;

export interface ClientConfig extends pg.ClientConfig {
  /** Statements are sent without their names, and so planned each time: a session does not know what another one has prepared. */
  readonly nameless?: boolean;
}

/**
 * The driver's client, except that statements with a name are `PreparedStatement`s, that it hands the driver a callback and keeps
 * `query_timeout` by itself. The driver would write functions into the query. V8 counts a function that is written into an object among
 * the old ones, and all that an old one refers to stays until a full collection of garbage: the whole request.
 */
export class Client extends pg.Client {
  readonly limitMs: number;
  readonly isNameless: boolean;
  readonly columnsOf: Connected['columnsOf'] = new Map();
  /** What ended the connection: the driver forgets it, and says of each query from then on that it was not sent. */
  ended: Error | null = null;

  constructor({ query_timeout: limitMs = 0, nameless = false, ...config }: ClientConfig = {}) {
    super(config);
    this.limitMs = limitMs;
    this.isNameless = nameless;
    this.on('error', (error) => {
      this.ended ??= error;
    });
  }
}

const driversQuery = pg.Client.prototype.query as (asked: unknown, values: unknown, answered: Answered) => void;

interface Named {
  readonly name: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

const isNamed = (statement: unknown): statement is Named =>
  typeof statement === 'object' && statement !== null && 'name' in statement && typeof statement.name === 'string';

const send = (client: Client, statement: unknown, values: unknown, answered: Answered) => {
  if (client.ended) return answered(client.ended, { rows: [] });
  if (!isNamed(statement)) return driversQuery.call(client, statement, values, answered);
  const { name, text } = statement;
  if (client.isNameless) return driversQuery.call(client, { ...statement, name: undefined }, values, answered);
  driversQuery.call(
    client,
    new PreparedStatement(client, name, text, statement.values ?? [], answered),
    undefined,
    answered,
  );
};

/** A query that is not answered in time ends its connection, because nothing after it would be answered either. */
const ask = (client: Client, statement: unknown, values: unknown, answered: Answered) => {
  if (client.limitMs === 0) return send(client, statement, values, answered);
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
  send(client, statement, values, once);
};

const answerOf = async (client: Client, statement: unknown, values: unknown) => {
  const { promise, resolve, reject } = Promise.withResolvers<object>();
  const answered: Answered = (error, answer) => (error ? reject(error) : resolve(answer));
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
