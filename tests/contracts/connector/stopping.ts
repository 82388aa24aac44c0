import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { RowStream } from '../../../src/application/ports/connectors.ts';
import { eventually } from '../../support/until.ts';
import { unlessLacking } from './lacking.ts';
import { closeNetworks, proxyTo } from './network.ts';
import { plenty, unbounded } from './query.ts';
import { never, refusal, rowsOf, type Suite, steadily } from './suite.ts';

const taken = (stream: RowStream) => stream.chunks[Symbol.asyncIterator]();

export const stoppingContract = ({ dialect, harness, open, connector, numbered }: Suite) => {
  const idle = () => eventually(async () => (await harness().busy()) === 0);
  const works = async () =>
    expect(await rowsOf(connector().query(dialect.series(1), plenty, never))).to.deep.equal([{ n: 1 }]);
  const reason = new Error('gone');
  const outcome = (work: Promise<unknown>) => work.catch((error: unknown) => error);

  afterEach(closeNetworks);
  afterEach(() => unlessLacking(idle));

  it('an abort before anything rejects with its reason', async () => {
    const aborted = AbortSignal.abort(reason);
    const table = await numbered(1);
    const [own, window] = [connector(), { limit: 1, offset: 0 }];
    const order = { orderBy: null, direction: 'asc' as const, after: null };
    for (const work of [
      () => own.tables(aborted),
      () => own.schema(null, aborted),
      () => own.records({ entity: table.entity, filter: null, ...window }, aborted),
      () => own.rows({ schema: table.schema, name: table.name, ...order, ...window }, aborted),
      () => own.query(dialect.series(1), plenty, aborted),
      () => own.examine(aborted),
    ])
      expect(await outcome(work())).to.equal(reason);
  });

  it('an abort of a query that still works cancels it on the server', async () => {
    const controller = new AbortController();
    const running = outcome(connector().query(dialect.slow(60), plenty, controller.signal));
    await steadily(async () => (await harness().busy()) === 1);
    controller.abort(reason);
    expect(await running).to.equal(reason);
    await idle();
    await works();
  });

  it('an abort in the middle of the rows cancels on the server, and the rest is the reason', async () => {
    const controller = new AbortController();
    const chunks = taken(await connector().query(dialect.endless(), unbounded, controller.signal));
    expect((await chunks.next()).done).to.equal(false);
    expect(await harness().busy()).to.equal(1);
    controller.abort(reason);
    expect(await outcome(chunks.next())).to.equal(reason);
    await idle();
    await works();
  });

  it('an abort of records that wait for a lock cancels on the server', async () => {
    const table = await numbered(1);
    const release = await harness().block(table.quoted);
    const controller = new AbortController();
    const query = { entity: table.entity, filter: null, limit: 1, offset: 0 };
    const waiting = outcome(connector().records(query, controller.signal));
    await steadily(async () => (await harness().busy()) === 1);
    controller.abort(reason);
    expect(await waiting).to.equal(reason);
    await idle();
    await release();
    expect(await rowsOf(connector().records(query, never))).to.have.length(1);
  });

  it('at any moment, an abort leaves nothing running', async () => {
    for (let moment = 0; moment < 20; moment += 1) {
      const controller = new AbortController();
      const read = connector().query(dialect.endless(), unbounded, controller.signal).then(rowsOf);
      const ended = outcome(read);
      await sleep(moment * 2);
      controller.abort(reason);
      expect(await ended).to.equal(reason);
    }
    await idle();
    await works();
  });

  it('whoever takes no more gives the session back', async () => {
    for await (const chunk of (await connector().query(dialect.endless(), unbounded, never)).chunks) {
      expect(chunk.length).to.be.above(0);
      break;
    }
    await idle();
    await works();
  });

  it('gives back sessions again and again, however reading ended', async () => {
    const own = open({ poolSize: 1 }).open(harness().connection);
    for (let round = 0; round < 6; round += 1) {
      for await (const _ of (await own.query(dialect.endless(), unbounded, never)).chunks) break;
      await refusal(own.query(dialect.faulty.sql, plenty, never));
      const controller = new AbortController();
      const stream = await own.query(dialect.endless(), unbounded, controller.signal);
      controller.abort(reason);
      expect(await outcome(rowsOf(stream))).to.equal(reason);
      expect(await rowsOf(own.query(dialect.series(2), { ...plenty, maxRows: 1 }, never))).to.have.length(1);
    }
    await idle();
    expect(await rowsOf(own.query(dialect.series(1), plenty, never))).to.deep.equal([{ n: 1 }]);
  });

  it('rows that nobody takes are given up when the time is up', async () => {
    const chunks = taken(await connector().query(dialect.endless(), { ...unbounded, timeoutSeconds: 1 }, never));
    await idle();
    const error = await refusal(
      (async () => {
        for (;;) if ((await chunks.next()).done) return;
      })(),
    );
    expect(error.kind).to.equal('invalid');
    expect(error.message).to.match(/longer than 1 second/);
    await works();
  });

  it('a reader that is slow slows the server down, and fills no memory', async () => {
    const network = await proxyTo(harness().address);
    const chunks = taken(await open().open(harness().via(network.port)).query(dialect.endless(), unbounded, never));
    await chunks.next();
    let [before, now] = [-1, network.received()];
    while (before !== now) {
      await sleep(200);
      [before, now] = [now, network.received()];
    }
    expect(now).to.be.below(32 * 1024 * 1024);
    for (let more = 0; more < 300; more += 1) await chunks.next();
    expect(network.received()).to.be.above(now);
    await chunks.return?.();
  });
};
