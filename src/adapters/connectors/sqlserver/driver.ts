/** Everything that reaches into tedious: its documentation names nothing below `lib`, so the registry names the version that this is for. */

import type { Connection } from 'tedious';
import { AttentionTokenHandler, TokenHandler } from 'tedious/lib/token/handler.js';
import type { Parser } from 'tedious/lib/token/token-stream-parser.js';
import parser from 'tedious/lib/value-parser.js';
import { ignore } from '../errors.ts';
import { type LoginError, mainLoginError } from './errors.ts';
import { exactReader } from './exact-values.ts';

/** The server rolled back while it was cancelled: what the driver notes elsewhere, but takes for an error in this state. */
const noteRollback = (connection: Connection) => {
  connection.transactionDescriptors.length = 1;
  connection.inTransaction = false;
};

/**
 * A cancelled statement may have rolled its transaction back, which the server says before it confirms the cancellation. The driver
 * expects the confirmation alone and gives the session up at all else; this way it takes note of the rollback and skips the rest.
 */
const expectRollback = (connection: Connection, handler: AttentionTokenHandler) => {
  for (const method of Object.getOwnPropertyNames(TokenHandler.prototype)) {
    if (method.startsWith('on') && method !== 'onDone') Object.assign(handler, { [method]: ignore });
  }
  handler.onRollbackTransaction = () => noteRollback(connection);
};

/**
 * An answer that cannot be parsed ends its session, like a network error. The driver's own listener does the same, but throws outside of
 * every catch if the statement was cancelled meanwhile, which would end the process.
 */
const endSessionOnError = (connection: Connection, parser: Parser) => {
  const emit = parser.emit.bind(parser);
  parser.emit = (event, ...values) => {
    if (event !== 'error') return emit(event, ...values);
    connection.socket?.destroy(values[0]);
    return true;
  };
};

export const guardParser = (connection: Connection) => {
  const create = connection.createTokenStreamParser.bind(connection);
  connection.createTokenStreamParser = (message, handler) => {
    if (handler instanceof AttentionTokenHandler) expectRollback(connection, handler);
    const parser = create(message, handler);
    endSessionOnError(connection, parser);
    return parser;
  };
};

/** The driver keeps the text alone of what a login is refused with: the number and severity are put beside it. */
const numberLoginErrors = (connection: Connection) => {
  const errors: LoginError[] = [];
  const note = (token: LoginError) => void errors.push({ number: token.number, class: token.class });
  connection.on('errorMessage', note);
  connection.prependOnceListener('connect', (error?: Error) => {
    connection.off('errorMessage', note);
    if (error && 'code' in error && error.code === 'ELOGIN') Object.assign(error, mainLoginError(errors));
  });
};

/** Adds to what the driver sends when a session begins or is put back. */
const beginWith = (connection: Connection, text: string) => {
  const initial = connection.getInitialSql.bind(connection);
  connection.getInitialSql = () => `${initial()}\n${text}`;
};

/** Of the sessions whose values are read exactly; the driver hands its options on with every value. */
const exactly = new WeakSet<object>();

let replaced = false;

/**
 * The driver reads decimals and money as doubles, and dates as JavaScript's, which have neither seven digits of a second nor an offset
 * (tediousjs/tedious#678). It has no option for this and its parsers of rows call a function of its own module, so that function is
 * replaced, once in a process; sessions that did not ask for it are read as before.
 */
export const readExactly = (options: object): void => {
  if (!replaced) parser.readValue = exactReader(parser.readValue, (readOptions) => exactly.has(readOptions));
  replaced = true;
  exactly.add(options);
};

/** Makes a session of the driver, before it connects, one that this connector works with; `first` is run at its beginning. */
export const adapt = (session: Connection, first: string): void => {
  readExactly(session.config.options);
  guardParser(session);
  numberLoginErrors(session);
  beginWith(session, first);
};
