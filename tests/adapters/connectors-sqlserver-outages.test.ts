import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import tedious from 'tedious';
import handlers from 'tedious/lib/token/handler.js';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import { unavailable } from '../../src/adapters/connectors/errors.ts';
import { guardParser } from '../../src/adapters/connectors/sqlserver/driver.ts';
import { outage, outageCode, reasonOf, rejectionOf } from '../../src/adapters/connectors/sqlserver/errors.ts';
import type { Connector } from '../../src/application/ports/connectors.ts';
import type { Connection } from '../../src/domain/connection.ts';
import { never, refusal } from '../contracts/connector/suite.ts';
import { listening } from '../support/listen.ts';
import { quiet } from '../support/log.ts';
import { aConnection, sealer } from '../support/sqlserver-harness.ts';

/** As the driver makes them of what the server answers. */
const serverError = (number: number, severity: number, message: string) =>
  Object.assign(new Error(message), { code: 'EREQUEST', number, class: severity, state: 1 });

const driverError = (code: string, message: string, cause?: Error) =>
  Object.assign(new Error(message, cause && { cause }), { code });

describe('an error of SQL Server', () => {
  for (const [number, severity, message] of [
    [547, 16, 'The INSERT statement conflicted with the CHECK constraint "CK_total".'],
    [
      2627,
      14,
      "Violation of UNIQUE KEY constraint 'UQ_number'. Cannot insert duplicate key in object 'dbo.t'. The duplicate key value is (A-1).",
    ],
    [
      515,
      16,
      "Cannot insert the value NULL into column 'total', table 'd.dbo.t'; column does not allow nulls. INSERT fails.",
    ],
    [229, 14, "The INSERT permission was denied on the object 't', database 'd', schema 'dbo'."],
    [245, 16, "Conversion failed when converting the varchar value 'x' to data type int."],
    [50000, 16, 'The month is closed'],
    [33557097, 16, 'invalid input syntax for type integer: "deadlock detected"'],
  ] as const) {
    it(`${number} is the server's no, in its own words`, () => {
      const error = rejectionOf(serverError(number, severity, message));
      expect(error && reasonOf(error)).to.equal(message.endsWith('.') ? message : `${message}.`);
    });
  }

  for (const [what, error, words] of [
    ['a deadlock', serverError(1205, 13, 'deadlock'), 'gave the work up in favour of another transaction'],
    ['a conflict of snapshots', serverError(3960, 16, 'conflict'), 'gave the work up in favour of another transaction'],
    [
      'a conflict of a table in memory',
      serverError(41302, 16, 'The current transaction attempted to update a record that has been updated'),
      'gave the work up in favour of another transaction',
    ],
    [
      'a lock that was not granted',
      serverError(1222, 16, 'lock'),
      'has that row or table locked by another transaction, which did not release it in time',
    ],
    [
      'a lock that a trigger was not granted, and which it tells in an error of its own',
      serverError(
        50000,
        16,
        'Error 1222, Level 16, State 51, Procedure t, Line 3, Message: Lock request time out period exceeded.',
      ),
      'has that row or table locked by another transaction, which did not release it in time',
    ],
    [
      'a lock that was not granted by a PostgreSQL that speaks TDS',
      serverError(33557097, 16, 'canceling statement due to lock timeout'),
      'has that row or table locked by another transaction, which did not release it in time',
    ],
    [
      'a deadlock that a procedure rethrows',
      serverError(
        51000,
        16,
        'Transaction (Process ID 52) was deadlocked on lock resources with another process. Rerun the transaction.',
      ),
      'gave the work up in favour of another transaction',
    ],
    [
      'a conflict of transactions in a PostgreSQL that speaks TDS',
      serverError(33557097, 16, 'could not serialize access due to concurrent update'),
      'gave the work up in favour of another transaction',
    ],
    [
      'a standby of a PostgreSQL that speaks TDS',
      serverError(33557097, 16, 'cannot execute INSERT in a read-only transaction'),
      'is read-only at present',
    ],
    ['a database that is read-only', serverError(3906, 16, 'ro'), 'is read-only at present'],
    ['a full disk', serverError(1105, 17, 'full'), 'has no room for the work at present'],
    ['a session that was ended', serverError(596, 21, 'kill'), 'ended the session'],
    ['a server that is stopping', serverError(6005, 10, 'shutdown'), 'is not taking work at present'],
    ['a failover', serverError(40613, 17, 'Azure'), 'is not taking work at present'],
    ['a wrong password', driverError('ELOGIN', "Login failed for user 'sa'."), 'did not accept its user or password'],
    [
      'an unknown database',
      Object.assign(driverError('ELOGIN', 'Cannot open database "x" requested by the login.'), {
        number: 4060,
        class: 11,
      }),
      'has no database of that name, or does not open it to its user',
    ],
    [
      'a database that a PostgreSQL that speaks TDS does not have',
      Object.assign(driverError('ELOGIN', 'database "x" does not exist'), { number: 911, class: 16 }),
      'has no database of that name, or does not open it to its user',
    ],
    [
      'a token that was not given',
      new AggregateError([
        driverError('EFEDAUTH', 'Security token'),
        new Error('AADSTS7000215: Invalid client secret of app hush.'),
      ]),
      'got no token for its login from Microsoft Entra ID (AADSTS7000215)',
    ],
    [
      'a connect that took too long',
      driverError('ETIMEOUT', 'Failed to connect to h:1 in 1ms'),
      'did not answer in time',
    ],
    [
      'a certificate',
      driverError('ESOCKET', 'Failed to connect to h:1 - self-signed certificate'),
      'has a certificate that is not trusted: caFile= in its address names the file of an authority of your own, trustServerCertificate=true takes any certificate',
    ],
    [
      'a port that is closed',
      driverError('ESOCKET', 'Failed to connect', driverError('ECONNREFUSED', 'x')),
      'could not be reached',
    ],
    [
      'sessions that are all in use',
      Object.assign(new Error('Failed to acquire a connection from the pool: timed out'), { name: 'TimeoutError' }),
      'has no free session at present',
    ],
  ] as const) {
    it(`is an outage and not the caller's error: ${what}`, () => {
      expect(rejectionOf(error)).to.equal(null);
      expect(outage(error)).to.equal(words);
      const told = unavailable(aConnection('mssql://u:hush@h/d'), outage(error));
      expect(told).to.include({ kind: 'unavailable', message: `The connection "ledger" ${words}.` });
      expect(told.cause).to.equal(undefined);
    });
  }

  it('of several is the one that tells why', () => {
    const why = serverError(50000, 16, 'The month is closed');
    const several = new AggregateError([serverError(3609, 16, 'The transaction ended in the trigger.'), why]);
    expect(rejectionOf(several)).to.equal(why);
    expect(outageCode(several)).to.equal('50000');
    expect(rejectionOf(new AggregateError([why, serverError(596, 21, 'kill')]))).to.equal(null);
  });
});

describe('a session of SQL Server', () => {
  const rolledBack = Buffer.from([0xe3, 11, 0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]);
  const information = Buffer.from([0xab, 20, 0, 1, 0, 0, 0, 0, 1, 3, 0, 0x68, 0, 0x75, 0, 0x68, 0, 0, 0, 1, 0, 0, 0]);
  const cancelled = Buffer.from([0xfd, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

  it('takes a rollback while it is cancelled for what it is', async () => {
    const session = new tedious.Connection({
      server: '127.0.0.1',
      authentication: { type: 'default', options: {} },
      options: { encrypt: false },
    });
    guardParser(session);
    session.inTransaction = true;
    session.transactionDescriptors.push(Buffer.alloc(8, 1));
    const handler = new handlers.AttentionTokenHandler(session as never, new tedious.Request('', () => {}));
    const message = new PassThrough();
    const parser = session.createTokenStreamParser(message as never, handler as never);
    message.end(Buffer.concat([rolledBack, information, cancelled]));
    await once(parser, 'end');
    expect(handler.attentionReceived).to.equal(true);
    expect(session.inTransaction).to.equal(false);
    expect(session.transactionDescriptors).to.have.length(1);
  });
});

const answering = async (
  serve: (socket: Socket) => void,
): Promise<{ readonly port: number; readonly server: Server; close(): void }> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serve(socket);
  });
  const port = await listening(server);
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port, server, close };
};

describe('SQL Server that cannot be reached', () => {
  const caps = { schemas: null, maxRows: 10, maxBytes: 1000, timeoutSeconds: 1 };
  const entity = 'dbo.t';
  const operations: readonly (readonly [string, (connector: Connector, signal: AbortSignal) => Promise<unknown>])[] = [
    ['tables', (connector, signal) => connector.tables(signal)],
    ['schema', (connector, signal) => connector.schema(null, signal)],
    ['records', (connector, signal) => connector.records({ entity, filter: null, limit: 1, offset: 0 }, signal)],
    [
      'rows',
      (connector, signal) =>
        connector.rows(
          { schema: 'dbo', name: 't', orderBy: null, direction: 'asc', after: null, limit: 1, offset: 0 },
          signal,
        ),
    ],
    ['a query', (connector, signal) => connector.query('select 1', { ...caps, timeoutSeconds: 30 }, signal)],
    ['an insert', async (connector, signal) => connector.writer?.insert(entity, { a: 1 }, signal)],
    [
      'an update',
      async (connector, signal) => connector.writer?.update(entity, { column: 'id', value: 1 }, { a: 1 }, signal),
    ],
    [
      'a delivery',
      (connector, signal) => connector.deliver({ entity, documentIdColumn: 'id', documentId: 'x', values: {} }, signal),
    ],
  ];

  let systems: ReturnType<typeof connectors>;
  const family = (connection: Connection) => systems.open(connection);
  let hole: Awaited<ReturnType<typeof answering>>;
  let hangup: Awaited<ReturnType<typeof answering>>;
  const at = (port: number) => family(aConnection(`mssql://user:hush-hush@127.0.0.1:${port}/d`, 'far'));

  before(async () => {
    systems = connectors({ sealer, log: quiet, timeoutSeconds: 1, poolSize: 2 });
    hole = await answering(() => {});
    hangup = await answering((socket) => socket.once('data', () => socket.end('no TDS here')));
  });
  after(async () => {
    await systems.close();
    hole.close();
    hangup.close();
  });

  for (const [what, operation] of operations) {
    it(`is unavailable, by name and without its address: ${what}, where nothing listens`, async () => {
      const error = await refusal(operation(at(1), never));
      expect(error.kind).to.equal('unavailable');
      expect(error.message).to.equal('The connection "far" could not be reached.');
      expect(error.cause).to.equal(undefined);
    });

    it(`is unavailable in time: ${what}, where nothing answers`, async () => {
      const error = await refusal(operation(at(hole.port), never));
      expect(error.message).to.equal('The connection "far" did not answer in time.');
    });

    it(`rejects with the reason of an abort: ${what}`, async () => {
      const reason = new Error('stopped');
      const told = (signal: AbortSignal) => operation(at(hole.port), signal).catch((thrown: unknown) => thrown);
      expect(await told(AbortSignal.abort(reason))).to.equal(reason);
      const controller = new AbortController();
      const under = told(controller.signal);
      setTimeout(() => controller.abort(reason), 20);
      expect(await under).to.equal(reason);
    });
  }

  it('is unavailable where something else answers', async () => {
    const error = await refusal(at(hangup.port).tables(never));
    expect(error.kind).to.equal('unavailable');
    expect(error.message)
      .to.match(/^The connection "far" /)
      .and.not.match(/127\.0\.0\.1|hush|user"/);
  });

  it('is unavailable where its name has no address', async () => {
    const error = await refusal(family(aConnection('mssql://u:hush@nowhere.invalid/d', 'far')).tables(never));
    expect(error.message).to.equal('The connection "far" could not be reached.');
  });

  it('refuses an address that is none, without telling it', async () => {
    for (const address of ['not an address', 'postgres://u:hush@h/d', 'mssql://u:hush@h/d?encrypt=maybe']) {
      const error = await refusal(family(aConnection(address)).tables(never));
      expect(error.kind).to.equal('unavailable');
      expect(error.message)
        .to.match(/^The connection "ledger" has an address that cannot be used: it .+\.$/)
        .and.not.include('hush');
    }
  });

  it('refuses a query that is not read-only before it asks the server', async () => {
    const error = await refusal(at(hole.port).query('drop table x', caps, never));
    expect(error.kind).to.equal('invalid');
    expect(error.message).to.match(/DROP/);
  });

  it('keeps no more waiting than it can count', async () => {
    const connector = at(hole.port);
    const all = await Promise.all(Array.from({ length: 250 }, () => refusal(connector.tables(never))));
    const words = new Set(all.map(({ message }) => message));
    expect([...words].sort()).to.deep.equal([
      'The connection "far" did not answer in time.',
      'The connection "far" has no free session for you at present: try again in 5 seconds.',
    ]);
  });

  it('is examined hop by hop, up to the first that fails', async () => {
    const found = async (url: string) =>
      (await family(aConnection(url)).examine(never)).map(({ name, status }) => `${name} ${status}`);
    const rest = ['permissions skipped', 'sample read skipped', 'read only skipped'];
    expect(await found('mssql://u:p@nowhere.invalid/d')).to.deep.equal([
      'name fail',
      'tcp skipped',
      'tls skipped',
      'login skipped',
      ...rest,
    ]);
    expect(await found('mssql://u:p@localhost:1/d')).to.deep.equal([
      'name ok',
      'tcp fail',
      'tls skipped',
      'login skipped',
      ...rest,
    ]);
    expect(await found(`mssql://u:p@127.0.0.1:${hole.port}/d`)).to.deep.equal([
      'name skipped',
      'tcp ok',
      'tls fail',
      'login skipped',
      ...rest,
    ]);
  });

  it('has details that tell no password', async () => {
    for (const url of [
      'mssql://u:hush@127.0.0.1:1/d',
      `mssql://u:hush@127.0.0.1:${hole.port}/d`,
      `mssql://u:hush@127.0.0.1:${hangup.port}/d`,
      'x:hush',
    ]) {
      const hops = await family(aConnection(url)).examine(never);
      expect(JSON.stringify(hops)).to.not.include('hush');
      expect(hops.filter(({ status }) => status === 'fail')).to.have.length(1);
    }
  });

  it('takes nothing more once it is closed', async () => {
    const own = connectors({ sealer, log: quiet, timeoutSeconds: 1, poolSize: 1 });
    const connector = own.open(aConnection(`mssql://u:p@127.0.0.1:${hole.port}/d`));
    const under = refusal(connector.tables(never));
    await own.close();
    expect((await under).kind).to.equal('unavailable');
    expect((await refusal(connector.tables(never))).message).to.equal('The server is stopping.');
  });

  it('takes nothing more once all connectors are closed, also where none of its type had been used before', async () => {
    const settings = { sealer, log: quiet, timeoutSeconds: 1, poolSize: 1 };
    const connection = aConnection(`mssql://u:p@127.0.0.1:${hole.port}/d`);
    const unused = connectors(settings);
    const early = unused.open(connection);
    await unused.close();
    for (const connector of [early, unused.open(connection)]) {
      expect((await refusal(connector.tables(never))).message).to.equal('The server is stopping.');
    }
    const used = connectors(settings);
    const under = refusal(used.open(connection).tables(never));
    await used.close();
    expect((await under).message).to.not.equal('The server is stopping.');
    expect((await refusal(used.open(connection).tables(never))).message).to.equal('The server is stopping.');
  });
});
