import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Connection as Session } from 'tedious';
import { streamRows } from '../../src/adapters/connectors/sqlserver/row-stream.ts';
import type { Request } from '../../src/adapters/connectors/sqlserver/session.ts';

const ID = { colName: 'id', type: { name: 'Int' }, dataLength: 4 };
const TEXT = { colName: 'filler', type: { name: 'NVarChar' }, dataLength: 65535 };

/** The seam to the driver: what it calls of a request, and in which order, with the driver's own requests and no server. */
const scripted = () => {
  const log: string[] = [];
  let request: Request | undefined;
  let paused = false;
  const under = () => {
    if (!request) throw new Error('Nothing is under way.');
    return request;
  };
  const session = {
    execSql(asked: Request) {
      request = asked;
      asked.on('cancel', () => log.push('cancel'));
      asked.on('pause', () => {
        paused = true;
      });
      asked.on('resume', () => {
        paused = false;
      });
    },
  } as unknown as Session;
  const done = (error?: Error) => (under() as unknown as { callback(error?: Error): void }).callback(error);
  return {
    log,
    session,
    isPaused: () => paused,
    columns: (...columns: readonly object[]) => under().emit('columnMetadata', columns as never),
    row: (...values: readonly unknown[]) =>
      under().emit(
        'row',
        values.map((value) => ({ value })),
      ),
    done,
    /** As the driver ends what was cancelled. */
    cancelled: () => done(Object.assign(new Error('Canceled.'), { code: 'ECANCEL' })),
  };
};

const settled = () => sleep(0);

const started = ({
  maxRows = 1000,
  maxBytes = Number.POSITIVE_INFINITY,
  signal = new AbortController().signal,
} = {}) => {
  const server = scripted();
  const coming = streamRows({
    session: server.session,
    statement: { text: 'select', parameters: [] },
    maxRows,
    maxBytes,
    signal,
    explain: (error) => new Error(`explained: ${error instanceof Error ? error.message : ''}`),
    async finish() {
      await settled();
      server.log.push('given back');
    },
  });
  coming.catch(() => {});
  return { server, coming };
};

const all = async (chunks: AsyncIterable<Uint8Array>) => {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
};

const failure = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('a stream of rows from SQL Server', () => {
  it('is the objects of an array, and gives the session back before it ends', async () => {
    const { server, coming } = started();
    server.columns(ID, TEXT);
    server.row(1, 'a"b');
    server.row(2, null);
    server.done();
    const stream = await coming;
    expect(stream.columns).to.deep.equal([
      { name: 'id', dataType: 'int' },
      { name: 'filler', dataType: 'nvarchar(max)' },
    ]);
    expect(server.log).to.deep.equal(['given back']);
    expect(await all(stream.chunks)).to.equal('{"id":1,"filler":"a\\"b"},{"id":2,"filler":null}');
    expect(stream.end()).to.deep.equal({ rowCount: 2, more: false });
  });

  it('of no rows is nothing, and of no columns is refused', async () => {
    const none = started();
    none.server.columns(ID);
    none.server.done();
    expect(await all((await none.coming).chunks)).to.equal('');
    const nothing = started();
    nothing.server.done();
    expect(String(await failure(nothing.coming))).to.match(/no columns/);
    expect(nothing.server.log).to.deep.equal(['given back']);
  });

  it('lets no more rows through than it may, and cancels the rest', async () => {
    const { server, coming } = started({ maxRows: 2 });
    server.columns(ID);
    for (const id of [1, 2, 3, 4]) server.row(id);
    expect(server.log).to.deep.equal(['cancel']);
    server.cancelled();
    const stream = await coming;
    expect(await all(stream.chunks)).to.equal('{"id":1},{"id":2}');
    expect(stream.end()).to.deep.equal({ rowCount: 2, more: true });
  });

  it('lets no more bytes through than it may, at the end of a row', async () => {
    const { server, coming } = started({ maxBytes: 20 });
    server.columns(ID);
    for (const id of [1, 2, 3]) server.row(id);
    server.cancelled();
    const stream = await coming;
    expect(await all(stream.chunks)).to.equal('{"id":1},{"id":2}');
    expect(stream.end()).to.deep.equal({ rowCount: 2, more: true });
  });

  it('takes no rows from the network while its reader does not take them', async () => {
    const { server, coming } = started({ maxRows: 1e9 });
    server.columns(TEXT);
    for (let rows = 0; rows < 200 && !server.isPaused(); rows += 1) server.row('x'.repeat(1024));
    expect(server.isPaused()).to.equal(true);
    const chunks = (await coming).chunks[Symbol.asyncIterator]();
    await chunks.next();
    expect(server.isPaused()).to.equal(false);
    await Promise.all([chunks.return?.(), settled().then(() => server.cancelled())]);
    expect(server.log).to.deep.equal(['cancel', 'given back']);
  });

  it('that is left early cancels, and ends when the session was given back', async () => {
    const { server, coming } = started({ maxRows: 1e9 });
    server.columns(TEXT);
    for (let rows = 0; rows < 70; rows += 1) server.row('x'.repeat(1024));
    const chunks = (await coming).chunks[Symbol.asyncIterator]();
    const left = chunks.return?.().then(() => server.log.push('left'));
    server.cancelled();
    await left;
    expect(server.log).to.deep.equal(['cancel', 'given back', 'left']);
    expect((await chunks.next()).done).to.equal(true);
  });

  it('that is left before anything was taken gives the session back, too', async () => {
    const { server, coming } = started();
    server.columns(ID);
    server.row(1);
    server.done();
    const chunks = (await coming).chunks[Symbol.asyncIterator]();
    expect((await chunks.return?.())?.done).to.equal(true);
    expect((await chunks.next()).done).to.equal(true);
  });

  it('rejects at once with what goes wrong before its first piece, as it is', async () => {
    const { server, coming } = started();
    server.columns(ID);
    server.row(1);
    const error = new Error('divide by zero');
    server.done(error);
    expect(await failure(coming)).to.equal(error);
    expect(server.log).to.deep.equal(['given back']);
  });

  it('that breaks in the middle rejects, and never looks like a whole one', async () => {
    const { server, coming } = started({ maxRows: 1e9 });
    server.columns(TEXT);
    for (let rows = 0; rows < 100; rows += 1) server.row('x'.repeat(1024));
    const stream = await coming;
    server.done(new Error('connection lost'));
    await settled();
    expect(String(await failure(all(stream.chunks)))).to.equal('Error: explained: connection lost');
    expect(server.log).to.deep.equal(['given back']);
  });

  it('is aborted with the reason, cancelled, and given back', async () => {
    const reason = new Error('gone');
    const controller = new AbortController();
    const { server, coming } = started({ maxRows: 1e9, signal: controller.signal });
    server.columns(TEXT);
    for (let rows = 0; rows < 100; rows += 1) server.row('x'.repeat(1024));
    const stream = await coming;
    controller.abort(reason);
    const told = failure(all(stream.chunks));
    server.row('late');
    server.cancelled();
    expect(await told).to.equal(reason);
    expect(server.log).to.deep.equal(['cancel', 'given back']);
  });

  it('is aborted before its first piece with the reason', async () => {
    const reason = new Error('gone');
    const controller = new AbortController();
    const { server, coming } = started({ signal: controller.signal });
    controller.abort(reason);
    server.cancelled();
    expect(await failure(coming)).to.equal(reason);
  });

  it('has FOR JSON as one value, and refuses more of it than it may answer', async () => {
    const JSON_COLUMN = { ...TEXT, colName: 'JSON_F52E2B61-18A1-11d1-B105-00805F49916B' };
    const whole = started({ maxRows: 1 });
    whole.server.columns(JSON_COLUMN);
    for (const piece of ['[{"a":', '1}', ']']) whole.server.row(piece);
    whole.server.done();
    const stream = await whole.coming;
    expect(JSON.parse(await all(stream.chunks))).to.deep.equal({ [JSON_COLUMN.colName]: '[{"a":1}]' });
    expect(stream.end()).to.deep.equal({ rowCount: 1, more: false });
    const large = started({ maxBytes: 100 });
    large.server.columns(JSON_COLUMN);
    for (let rows = 0; rows < 20; rows += 1) large.server.row('x'.repeat(20));
    large.server.cancelled();
    expect(String(await failure(large.coming))).to.match(/too large/);
  });

  it('refuses a second result', async () => {
    const { server, coming } = started();
    server.columns(ID);
    server.row(1);
    server.columns(ID);
    server.cancelled();
    expect(String(await failure(coming))).to.match(/more than one result/);
  });
});
