import type { Connection } from 'tedious';
import { AttentionTokenHandler } from 'tedious/lib/token/handler.js';
import { type LoginError, mainLoginError } from './errors.ts';

type Create = Connection['createTokenStreamParser'];
type Handler = Parameters<Create>[1];
type Token = { readonly handlerName: string };

/** The server rolled back while it was cancelled: what the driver notes elsewhere, but takes for an error in this state. */
const noteRollback = (connection: Connection) => {
  connection.transactionDescriptors.length = 1;
  connection.inTransaction = false;
};

/** In the driver every method of a handler takes one token; the one for a cancellation knows only how it ends, and throws at all else. */
const tolerant = (connection: Connection, handler: Handler, fail: (error: unknown) => void): Handler =>
  new Proxy(handler, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (token: Token) => {
        if (target instanceof AttentionTokenHandler && name !== 'onDone') {
          if (name === 'onRollbackTransaction') noteRollback(connection);
          return;
        }
        try {
          method.call(target, token);
        } catch (error) {
          fail(error);
        }
      };
    },
  });

/** The driver keeps the text alone of what a login is refused with: the number and severity are put beside it. */
export const numberLoginErrors = (connection: Connection) => {
  const errors: LoginError[] = [];
  const note = (token: LoginError) => void errors.push({ number: token.number, class: token.class });
  connection.on('errorMessage', note);
  connection.prependOnceListener('connect', (error?: Error) => {
    connection.off('errorMessage', note);
    if (error && 'code' in error && error.code === 'ELOGIN') Object.assign(error, mainLoginError(errors));
  });
};

/** Adds to what the driver sends when a session begins or is put back. */
export const beginWith = (connection: Connection, text: string) => {
  const initial = connection.getInitialSql.bind(connection);
  connection.getInitialSql = () => `${initial()}\n${text}`;
};

/** Without this the driver sends the password in the clear if the server offers no encryption. */
export const insistOnTls = (connection: Connection) => {
  const send = connection.sendLogin7Packet.bind(connection);
  connection.sendLogin7Packet = () => {
    if (!connection.messageIo.tlsNegotiationComplete)
      throw Object.assign(new Error('The server offers no encryption.'), { code: 'ENOTLS' });
    send();
  };
};

/**
 * An error while an answer of the server is parsed, such as a type that the driver does not know, is thrown outside of every catch and
 * would end the process. This way it ends that one connection, like a network error.
 */
export const guardParser = (connection: Connection) => {
  const create: Create = connection.createTokenStreamParser.bind(connection);
  const fail = (error: unknown) => {
    connection.socket?.destroy(error instanceof Error ? error : new Error('The answer could not be parsed.'));
  };
  connection.createTokenStreamParser = (message, handler) => {
    const parser = create(message, tolerant(connection, handler, fail));
    parser.parser.on('error', fail);
    return parser;
  };
};
