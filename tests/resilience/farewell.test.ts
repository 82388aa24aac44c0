import { createServer } from 'node:net';
import { expect } from 'chai';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import { openDatabase } from '../../src/adapters/postgres/connection/database.ts';
import { openListener } from '../../src/adapters/postgres/connection/listener.ts';
import type { Connection } from '../../src/domain/connection.ts';
import { anId } from '../support/builders.ts';
import { listening } from '../support/listen.ts';
import { quiet } from '../support/log.ts';
import { until } from '../support/until.ts';

const message = (type: string, ...parts: readonly (string | Buffer)[]) => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

const loggedIn = message('R', Buffer.alloc(4));
const ready = message('Z', 'I');
const farewell = message(
  'E',
  'SFATAL\0',
  'C57P01\0',
  'Mterminating connection due to unexpected postmaster exit\0',
  '\0',
);

/** A PostgreSQL that is killed as it completes a login: that it is ready and that it ends arrive as one. */
const dyingServer = async () => {
  let logins = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      logins += 1;
      socket.end(Buffer.concat([loggedIn, ready, farewell]));
    });
  });
  const port = await listening(server);
  return { url: `postgres://somebody@127.0.0.1:${port}/somewhere`, logins: () => logins, close: () => server.close() };
};

const sealer = { seal: (plain: string) => plain, open: (sealed: string) => sealed };

const aConnection = (sealedUrl: string): Connection => ({
  id: anId(),
  workspaceId: anId(),
  name: 'ledger',
  type: 'postgresql',
  sealedUrl,
  visibleTo: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
});

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    () => 'failed',
  );

// An error that nobody listens for would end this process.
describe('a PostgreSQL that ends in the moment of a login', () => {
  it('fails what was asked of Portico’s own database, and nothing else', async () => {
    const server = await dyingServer();
    const database = await openDatabase({ url: server.url, poolSize: 2, log: quiet });
    const listener = openListener(database, quiet);
    listener.listen('news', { message() {}, gap() {} });
    const one = { name: 'one', text: 'select 1' };
    const asked = [
      database.read(one, []),
      database.query(one, []),
      database.transaction((em) => em.execute('select 1')),
    ];
    expect(await Promise.all(asked.map(outcome))).to.deep.equal(['failed', 'failed', 'failed']);
    await until('every way of connecting was tried', () => server.logins() >= 4);
    await Promise.all([listener.close(), database.close()]);
    server.close();
  });

  it('fails what was asked of a connected system, and nothing else', async () => {
    const server = await dyingServer();
    const systems = connectors({ sealer, log: quiet, timeoutSeconds: 5, poolSize: 2 });
    const connector = systems.open(aConnection(server.url));
    const never = new AbortController().signal;
    const row = {
      entity: 'public.entries',
      documentIdColumn: 'document_id',
      documentId: '01989c0e-65f2-7a1b-8c3d-666666666666',
      values: {},
    };
    const caps = { schemas: null, maxRows: 1, maxBytes: 1, timeoutSeconds: 5 };
    const asked = [connector.tables(never), connector.deliver(row, never), connector.query('select 1', caps, never)];
    expect(await Promise.all(asked.map(outcome))).to.deep.equal(['failed', 'failed', 'failed']);
    await systems.close();
    server.close();
  });
});
