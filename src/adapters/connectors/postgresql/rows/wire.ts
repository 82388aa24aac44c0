import type { Duplex } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { later } from '../../../../application/shared/later.ts';
import { TooMuchSent } from '../bounded-client.ts';
import type { Field } from './types.ts';

/** The name of the one statement that a session has at a time: the unnamed one is lost as soon as another is parsed. */
const STATEMENT = 'portico';

const ignore = () => {};

/** What the driver calls of a query; its types have `submit` only. */
interface Submittable extends pg.Submittable {
  handleError(error: Error): void;
  handleReadyForQuery(): void;
  handleRowDescription(message: { readonly fields: readonly Field[] }): void;
  handleCommandComplete(): void;
  handleEmptyQuery(): void;
}

const submittable = (handlers: Partial<Submittable> & Pick<Submittable, 'submit' | 'handleError'>): Submittable => ({
  handleReadyForQuery: ignore,
  handleRowDescription: ignore,
  handleCommandComplete: ignore,
  handleEmptyQuery: ignore,
  ...handlers,
});

/**
 * The driver has such a clock too, but writes a function into the query for it; V8 makes a function that is written into an object an old
 * one, and all that an old object refers to stays until a full collection of garbage.
 */
const timeOut = (query: Submittable, milliseconds: number) =>
  later(milliseconds, () => query.handleError(new Error('Query read timeout')));

/** A message of the protocol (manual, 54.7): its kind, its length, and its content. */
const messageOf = (kind: string, content: string): Buffer => {
  const bytes = Buffer.from(`${kind}\0\0\0\0${content}`);
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
};

const NO_PARAMETERS = '\0\0';
const parseOf = (name: string, text: string) => messageOf('P', `${name}\0${text}\0${NO_PARAMETERS}`);
const bindOf = (name: string) => messageOf('B', `\0${name}\0\0\0${NO_PARAMETERS}\0\0`);
const BIND_UNNAMED = bindOf('');
const BIND = bindOf(STATEMENT);
const EXECUTE = messageOf('E', '\0\0\0\0\0');
const CLOSE = messageOf('C', `S${STATEMENT}\0`);
const DESCRIBE = messageOf('D', `S${STATEMENT}\0`);
const FLUSH = messageOf('H', '');
const SYNC = messageOf('S', '');

const MOST_STATEMENTS = 100;
const statements = new LRUCache<string, Buffer>({
  max: MOST_STATEMENTS,
  memoMethod: (text) => Buffer.concat([parseOf('', text), BIND_UNNAMED, EXECUTE]),
});

/** Runs a statement of this program without parameters, whose answer is not needed. */
const runOf = (text: string): Buffer => statements.memo(text);

/** The flush is because parsing the statement may wait for a lock, and the server would not send its answer to the first one until then. */
const preparationOf = (first: readonly string[], text: string): readonly Buffer[] => {
  const [begin, ...others] = first.map(runOf);
  return [...(begin ? [begin, FLUSH] : []), ...others, CLOSE, parseOf(STATEMENT, text), DESCRIBE];
};

export interface Preparation {
  readonly text: string;
  /** Run before, in the same piece. */
  readonly first: readonly string[];
  /** Called when the server has run the first of them. */
  readonly begun: () => void;
}

/** Has the server parse and describe one statement, which is not run; null if it answers no columns. */
export const prepare = (
  client: pg.ClientBase,
  { text, first, begun }: Preparation,
  timeoutMilliseconds: number,
): Promise<readonly Field[] | null> =>
  new Promise((resolve, reject) => {
    let fields: readonly Field[] | null = null;
    const query = submittable({
      submit(connection) {
        connection.stream.write(Buffer.concat([...preparationOf(first, text), SYNC]));
      },
      handleCommandComplete: begun,
      handleRowDescription: (message) => {
        fields = message.fields;
      },
      handleReadyForQuery: () => {
        stopClock();
        resolve(fields);
      },
      handleError: (error) => {
        stopClock();
        reject(error);
      },
    });
    const stopClock = timeOut(query, timeoutMilliseconds);
    client.query(query);
  });

export interface RowSink {
  /** The columns of one row, from `start` to `end`: for each its length in four bytes, -1 for null, then its text. */
  row(bytes: Buffer, start: number, end: number): void;
  /** Asked before a row of this length is kept until it is complete. */
  wants(length: number): boolean;
  /** `lost`: the session cannot be used any more. */
  ended(error: Error | null, lost: boolean): void;
}

export interface Flow {
  pause(): void;
  resume(): void;
  /** Whether the server has answered to the end. */
  isOver(): boolean;
  /** Whether the statements of `restore` have run. */
  isRestored(): boolean;
}

/** The server answers a statement with other columns than it described before; none of its rows were taken. */
export class DescriptionChanged extends Error {
  constructor() {
    super('The statement answers other columns than before.');
  }
}

/** What goes before a statement that was described in an earlier transaction, in one piece with it. */
export interface Opening {
  readonly first: readonly string[];
  readonly text: string;
  readonly described: readonly Field[];
  /** Called when the server has run the first of `first`. */
  begun(): void;
  /** Called instead if it has run none. */
  failed(error: Error): void;
}

interface Execution {
  /** Null if the statement is prepared already. */
  readonly opening: Opening | null;
  readonly values: readonly (string | Buffer | null)[];
  /** Statements that bring the session back to how it was: sent in the same piece, and run after the last row. */
  readonly restore: readonly string[];
  readonly timeoutMilliseconds: number;
}

const DATA_ROW = 0x44;
const COMMAND_COMPLETE = 0x43;
const ROW_DESCRIPTION = 0x54;
const READY_FOR_QUERY = 0x5a;
/** Its status if no transaction is open. */
const IDLE = 0x49;
/** Passed on to the driver: errors, notices, notifications, and the columns. */
const FOR_THE_DRIVER = new Set([0x45, 0x4e, 0x41, ROW_DESCRIPTION]);
/** Of one that is not a row: a description of the most columns that there can be is shorter. */
const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;
/** The kind of a message and its length, which counts itself but not the kind. */
const HEADER = 5;
/** Header and number of columns. */
const ROW_HEADER = 7;

interface Messages {
  row(bytes: Buffer, start: number, end: number): void;
  wants(length: number, kind: number): boolean;
  /** A message that is not a row, and its kind. */
  other(kind: number, bytes: Buffer): void;
  /** The last message, and whatever follows it. */
  last(bytes: Buffer): void;
}

/** Four bytes, big-endian: the checks of Buffer's own method cost more than the rest of the work on a short value. */
export const int32 = (bytes: Buffer, at: number): number =>
  ((bytes[at] as number) << 24) |
  ((bytes[at + 1] as number) << 16) |
  ((bytes[at + 2] as number) << 8) |
  (bytes[at + 3] as number);

/** Cuts what the socket brings into whole messages. Once a row is not wanted, no message is taken any more. */
const messages = ({ row, wants, other, last }: Messages) => {
  /** The beginning of a message, and the length of its header or, once that is read, of the whole. */
  let begun: Buffer[] = [];
  let length = 0;
  let needed = HEADER;
  let refused = false;

  /** Takes the messages that are whole; returns where the first begins that is not. */
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
        refused = !wants(needed, kind as number);
        return at;
      }
      if (kind === DATA_ROW) row(bytes, at + ROW_HEADER, at + needed);
      else other(kind as number, bytes.subarray(at, at + needed));
    }
    needed = HEADER;
    return at;
  };

  const keep = (bytes: Buffer) => {
    begun.push(bytes);
    length += bytes.length;
  };

  /** Completes the message that was begun, first its header and then the whole; returns where the next one begins. */
  const complete = (chunk: Buffer): number => {
    let at = 0;
    while (length > 0) {
      const end = Math.min(chunk.length, at + needed - length);
      keep(chunk.subarray(at, end));
      at = end;
      if (length < needed) return at;
      const whole = Buffer.concat(begun, length);
      begun = [];
      length = 0;
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

const sameFields = (some: readonly Field[], others: readonly Field[]): boolean =>
  some.length === others.length &&
  some.every(({ name, dataTypeID, dataTypeModifier }, index) => {
    const other = others[index];
    return name === other?.name && dataTypeID === other.dataTypeID && dataTypeModifier === other.dataTypeModifier;
  });

/**
 * Runs the prepared statement and passes its rows on as the bytes that came from the server. The driver would make a string of every
 * value and an object of every row; so, as pg-copy-streams does, its listener is taken off the socket meanwhile, and is given every
 * message that is not a row.
 */
export const execute = (
  client: pg.ClientBase,
  { opening, values, restore, timeoutMilliseconds }: Execution,
  sink: RowSink,
): Flow => {
  let socket: Duplex | undefined;
  let driver: Listener = ignore;
  let failure: Error | null = null;
  let begun = opening === null;
  let described = opening === null;
  /** The last row was sent: what fails later is no error of the statement. */
  let complete = false;
  let restored = false;
  let over = false;

  const end = (lost: boolean) => {
    if (over) return;
    over = true;
    socket?.off('data', listen).off('close', closed).on('data', driver).resume();
    stopClock();
    if (failure && !begun) opening?.failed(failure);
    else sink.ended(failure, lost);
  };
  const closed = () => {
    if (!complete) failure ??= new Error('The connection was closed.');
    end(true);
  };
  const completed = () => {
    if (described) complete = true;
    else if (!begun) {
      begun = true;
      opening?.begun();
    }
  };
  const listen = messages({
    row: (bytes, start, finish) => failure ?? sink.row(bytes, start, finish),
    wants(length, kind) {
      if (kind === DATA_ROW) return failure !== null || sink.wants(length);
      if (length <= MOST_MESSAGE_BYTES) return true;
      failure ??= new TooMuchSent();
      end(true);
      return false;
    },
    other(kind, bytes) {
      if (kind === COMMAND_COMPLETE) completed();
      else if (FOR_THE_DRIVER.has(kind)) driver(bytes);
    },
    last(bytes) {
      restored &&= complete && bytes[HEADER] === IDLE;
      end(false);
      driver(bytes);
    },
  });
  const query = submittable({
    submit(connection) {
      socket = connection.stream;
      [driver = ignore] = socket.listeners('data') as Listener[];
      socket.off('data', driver).on('data', listen).once('close', closed);
      const before = opening === null ? [] : preparationOf(opening.first, opening.text);
      const after = [EXECUTE, ...restore.map(runOf), SYNC];
      if (values.length === 0) socket.write(Buffer.concat([...before, BIND, ...after]));
      else {
        socket.cork();
        socket.write(Buffer.concat(before));
        connection.bind({ statement: STATEMENT, values: [...values] }, true);
        socket.write(Buffer.concat(after));
        socket.uncork();
      }
      restored = true;
    },
    handleRowDescription({ fields }) {
      described = true;
      if (opening !== null && !sameFields(fields, opening.described)) failure ??= new DescriptionChanged();
    },
    handleError(error) {
      restored = false;
      if (!complete) failure ??= error;
      // An error of the server is followed by its readiness; an error of the driver is followed by nothing.
      if (!('severity' in error)) end(true);
    },
  });
  const stopClock = timeOut(query, timeoutMilliseconds);
  client.query(query);
  return {
    pause: () => over || socket?.pause(),
    resume: () => over || socket?.resume(),
    isOver: () => over,
    isRestored: () => over && restored,
  };
};
