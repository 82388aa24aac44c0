import type { Duplex } from 'node:stream';
import pg from 'pg';

const MIB = 1024 * 1024;
/** Of what a server sends before it is ready for the first query. */
const MOST_LOGIN_BYTES = MIB;
/** Of an answer that the driver keeps in memory: what the catalogue has of half a million columns is less. */
const MOST_ANSWER_BYTES = 128 * MIB;

/** The server sends more than is kept in memory. */
export class TooMuchSent extends Error {
  constructor() {
    super('The server sends too much.');
  }
}

type Listener = (chunk: Buffer) => void;

/** What the driver's types do not say of it. */
interface DriverConnection {
  stream: Duplex;
  attachListeners(stream: Duplex): void;
  on(event: 'readyForQuery', listener: () => void): void;
}

/**
 * Ends the connection once the server has sent more than that at once: the driver keeps a message until it is whole, however long it says
 * that it is, and every row of an answer. Rows that are passed on as bytes do not come to the driver.
 */
const bound = (connection: DriverConnection): void => {
  let most = MOST_LOGIN_BYTES;
  let taken = 0;
  connection.on('readyForQuery', () => {
    most = MOST_ANSWER_BYTES;
    taken = 0;
  });
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => {
    attach(stream);
    const [driver] = stream.listeners('data') as Listener[];
    if (driver === undefined) return;
    stream.off('data', driver).on('data', (chunk: Buffer) => {
      taken += chunk.length;
      if (taken > most) stream.destroy(new TooMuchSent());
      else driver(chunk);
    });
  };
};

/** A client of PostgreSQL whose server cannot fill the memory. */
export class BoundedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    bound((this as unknown as { readonly connection: DriverConnection }).connection);
  }
}
