import type { Duplex } from 'node:stream';
import type pg from 'pg';
import type { Field } from './types.ts';

/** The name of the one statement that a session has at a time: the unnamed one is lost as soon as another is parsed. */
const STATEMENT = 'portico';

const ignore = () => {};

/** What the driver calls of a query that is under way; its types know `submit` only. */
interface Submittable extends pg.Submittable {
  /** Set by the driver, which stops its clock when it is called. */
  callback: () => void;
  readonly query_timeout: number;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
  handleRowDescription(message: { readonly fields: readonly Field[] }): void;
  handleCommandComplete(): void;
  handleEmptyQuery(): void;
}

const submittable = (own: Partial<Submittable> & Pick<Submittable, 'submit' | 'query_timeout' | 'handleError'>): Submittable => ({
  callback: ignore,
  handleReadyForQuery: ignore,
  handleRowDescription: ignore,
  handleCommandComplete: ignore,
  handleEmptyQuery: ignore,
  ...own,
});

type Connection = Parameters<pg.Submittable['submit']>[0];

/** A statement without parameters, of whose answer nothing is needed. */
const run = (connection: Connection, text: string) => {
  connection.parse({ name: '', text, types: [] }, true);
  connection.bind({}, true);
  connection.execute(null, true);
};

/** Runs statements one after the other, which are sent in one piece; the first that fails rejects, and those after it are not run. */
export const sendAll = (client: pg.ClientBase, texts: readonly string[], timeoutMilliseconds: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const query = submittable({
      query_timeout: timeoutMilliseconds,
      submit(connection) {
        connection.stream.cork();
        for (const text of texts) run(connection, text);
        connection.sync();
        connection.stream.uncork();
      },
      handleReadyForQuery: () => {
        query.callback();
        resolve();
      },
      handleError: (error) => {
        query.callback();
        reject(error);
      },
    });
    client.query(query);
  });

export interface Preparation {
  readonly text: string;
  /** Run before, in the same piece. */
  readonly first: readonly string[];
  /** Called when the server has run the first of them. */
  readonly begun: () => void;
}

/** Has the server parse a statement, one only, and tell the columns it would answer; null where it answers none. The statement itself is not run. */
export const prepare = (
  client: pg.ClientBase,
  { text, first, begun }: Preparation,
  timeoutMilliseconds: number,
): Promise<readonly Field[] | null> =>
  new Promise((resolve, reject) => {
    let fields: readonly Field[] | null = null;
    const query = submittable({
      query_timeout: timeoutMilliseconds,
      submit(connection) {
        connection.stream.cork();
        for (const [index, statement] of first.entries()) {
          run(connection, statement);
          // What is parsed next may wait for a lock, and the server keeps its answers until then.
          if (index === 0) connection.flush();
        }
        connection.close({ type: 'S', name: STATEMENT }, true);
        connection.parse({ name: STATEMENT, text, types: [] }, true);
        connection.describe({ type: 'S', name: STATEMENT }, true);
        connection.sync();
        connection.stream.uncork();
      },
      handleCommandComplete: begun,
      handleRowDescription: (message) => {
        fields = message.fields;
      },
      handleReadyForQuery: () => {
        query.callback();
        resolve(fields);
      },
      handleError: (error) => {
        query.callback();
        reject(error);
      },
    });
    client.query(query);
  });

export interface RowSink {
  /** The columns of one row, from `start` to `end`: for each its length in four bytes, -1 for null, then its text. */
  row(bytes: Buffer, start: number, end: number): void;
  /** A row is on its way that is so long; answers whether it is wanted. */
  wants(length: number): boolean;
  /** `lost`: the session cannot be used any more. */
  ended(error: Error | null, lost: boolean): void;
}

export interface Flow {
  pause(): void;
  resume(): void;
  /** Whether the server has answered to the end. */
  readonly over: boolean;
}

const DATA_ROW = 0x44;
const READY_FOR_QUERY = 0x5a;
/** Its kind and length, which counts itself but not the kind. */
const HEADER = 5;
/** Header and number of columns. */
const ROW_HEADER = 7;

interface Messages {
  row(bytes: Buffer, start: number, end: number): void;
  wants(length: number): boolean;
  /** A message that is not a row. */
  other(bytes: Buffer): void;
  /** The last message, and whatever follows it. */
  last(bytes: Buffer): void;
}

/** Four bytes, big-endian: the checks of Buffer's own method cost more than the rest of the work on a short value. */
export const int32 = (bytes: Buffer, at: number): number =>
  ((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);

/** Cuts what the socket brings into whole messages. Once one is not wanted, none is taken any more. */
const messages = ({ row, wants, other, last }: Messages) => {
  /** The beginning of a message, and how long it is as a whole as far as that is known. */
  let begun: Buffer[] = [];
  let length = 0;
  let needed = HEADER;
  let refused = false;

  /** Takes the messages that are whole; answers where the first begins that is not. */
  const take = (bytes: Buffer, start: number): number => {
    let at = start;
    for (; bytes.length - at >= HEADER; at += needed) {
      const kind = bytes[at];
      if (kind === READY_FOR_QUERY) {
        last(bytes.subarray(at));
        return bytes.length;
      }
      needed = (int32(bytes, at + 1) >>> 0) + 1;
      if (bytes.length - at < needed) {
        refused = kind === DATA_ROW && !wants(needed);
        return at;
      }
      if (kind === DATA_ROW) row(bytes, at + ROW_HEADER, at + needed);
      else other(bytes.subarray(at, at + needed));
    }
    needed = HEADER;
    return at;
  };

  const keep = (bytes: Buffer) => {
    begun.push(bytes);
    length += bytes.length;
  };

  /** Completes what was begun, first by its header and then as a whole; answers where what follows begins. */
  const complete = (chunk: Buffer): number => {
    let at = 0;
    while (length > 0) {
      const end = Math.min(chunk.length, at + needed - length);
      keep(chunk.subarray(at, end));
      at = end;
      if (length < needed) return at;
      const whole = Buffer.concat(begun, length);
      [begun, length] = [[], 0];
      if (take(whole, 0) < whole.length) keep(whole);
      if (refused) return chunk.length;
    }
    return at;
  };

  return (chunk: Buffer) => {
    if (refused) return;
    const start = length > 0 ? complete(chunk) : 0;
    const rest = start < chunk.length ? take(chunk, start) : start;
    if (rest < chunk.length) keep(chunk.subarray(rest));
  };
};

type Listener = (chunk: Buffer) => void;

/**
 * Runs the prepared statement and hands its rows over as the bytes that came from the server. The driver would make a string of
 * every value and an object of every row; so, as pg-copy-streams does, its listener is taken off the socket meanwhile, and given
 * every message that is not a row. Measured side by side, CPU milliseconds of Node + PostgreSQL: 5,000 rows of 12 columns, 1.9 MB,
 * as objects and `JSON.stringify` 63 + 10, by `COPY` of `row_to_json` 7 + 24, this way 17 + 8; 1,000 rows of a query, with its
 * transaction and checks, 5.2 + 2.6 against 12.6 + 1.6 as objects. `COPY` takes no parameters besides.
 */
export const execute = (
  client: pg.ClientBase,
  values: readonly (string | Buffer | null)[],
  timeoutMilliseconds: number,
  sink: RowSink,
): Flow => {
  let socket: Duplex | undefined;
  let driver: Listener = ignore;
  let failure: Error | null = null;
  let over = false;

  const end = (lost: boolean) => {
    if (over) return;
    over = true;
    socket?.off('data', listen).off('close', closed).on('data', driver).resume();
    query.callback();
    sink.ended(failure, lost);
  };
  const closed = () => {
    failure ??= new Error('The connection was closed.');
    end(true);
  };
  const listen = messages({
    row: (bytes, start, finish) => sink.row(bytes, start, finish),
    wants: (length) => sink.wants(length),
    other: (bytes) => driver(bytes),
    last(bytes) {
      end(false);
      driver(bytes);
    },
  });
  const query = submittable({
    query_timeout: timeoutMilliseconds,
    submit(connection) {
      socket = connection.stream;
      [driver = ignore] = socket.listeners('data') as Listener[];
      socket.off('data', driver).on('data', listen).once('close', closed);
      socket.cork();
      connection.bind({ statement: STATEMENT, values: [...values] }, true);
      connection.execute(null, true);
      connection.sync();
      socket.uncork();
    },
    handleError(error) {
      failure ??= error;
      // What the server answers is followed by its readiness; what the driver finds out by itself is followed by nothing.
      if (!('severity' in error)) end(true);
    },
  });
  client.query(query);
  return {
    pause: () => over || socket?.pause(),
    resume: () => over || socket?.resume(),
    get over() {
      return over;
    },
  };
};
