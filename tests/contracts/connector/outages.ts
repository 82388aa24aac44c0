import { expect } from 'chai';
import type { Connection } from '../../../src/domain/connection.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import { aSharer } from '../../support/builders.ts';
import { eventually } from '../../support/until.ts';
import { blackHole, closeNetworks, proxyTo } from './network.ts';
import { plenty, unbounded } from './query.ts';
import { never, refusal, rowsOf, type Suite, steadily } from './suite.ts';

export const outagesContract = ({ dialect, harness, open, connector, numbered }: Suite) => {
  const told = async (connection: Connection, settings = {}) => {
    const own = open(settings).open(connection);
    const query = { entity: 'a.b', filter: null, limit: 1, offset: 0 };
    const works = [
      () => own.tables(never),
      () => own.schema(null, never),
      () => own.records(query, never),
      () => own.query(dialect.series(1), plenty, never),
    ];
    const errors = await Promise.all(works.map((work) => refusal(work())));
    for (const error of errors) {
      expect(error.kind).to.equal('unavailable');
      expect(error.cause).to.equal(undefined);
      expect(error.message).to.include(`"${connection.name}"`);
      const { username, password, hostname, port } = new URL(connection.sealedUrl);
      for (const secret of [username && `"${username}"`, `'${username}'`, password, hostname, `:${port}`])
        if (secret && secret !== "''") expect(error.message).not.to.include(secret);
    }
    return errors.map(({ message }) => message).join('\n');
  };

  afterEach(closeNetworks);

  it('a system where nothing listens is unavailable, by name and without its address', async () => {
    await told(harness().unreachable);
  });

  it('a system whose name has no address is unavailable', async () => {
    await told(harness().unnamed);
  });

  it('a login that is refused is unavailable, and tells neither user nor password', async () => {
    expect(await told(harness().wrongPassword)).to.match(/user or password/);
  });

  it('a system that never says a word is unavailable in time, and slows no other down', async () => {
    const silent = await blackHole();
    const table = await numbered(1);
    const connectors = open({ timeoutSeconds: 1 });
    const slow = connectors.open(harness().via(silent.port));
    const query = { entity: table.entity, filter: null, limit: 1, offset: 0 };
    let over = false;
    const waiting = Promise.all(Array.from({ length: 12 }, () => refusal(slow.records(query, never)))).finally(() => {
      over = true;
    });
    for (let count = 0; count < 5; count += 1)
      expect(await rowsOf(connectors.open(harness().connection).records(query, never))).to.have.length(1);
    expect(over).to.equal(false);
    expect(new Set((await waiting).map(({ kind }) => kind))).to.deep.equal(new Set(['unavailable']));
  });

  it('a system that falls silent is unavailable in time, whatever is asked', async () => {
    const network = await proxyTo(harness().address);
    const table = await numbered(1);
    const own = open({ timeoutSeconds: 1, poolSize: 2 }).open(harness().via(network.port));
    const query = { entity: table.entity, filter: null, limit: 1, offset: 0 };
    expect(await rowsOf(own.records(query, never))).to.have.length(1);
    expect(await rowsOf(own.query(dialect.series(1), plenty, never))).to.have.length(1);
    network.stall();
    const works = [
      () => own.tables(never),
      () => own.records(query, never),
      () => own.query(dialect.series(1), plenty, never),
    ];
    for (const error of await Promise.all(works.map((work) => refusal(work())))) {
      expect(error.kind).to.equal('unavailable');
      expect(error.message).to.match(/in time|no free session/);
    }
  });

  it('a connection that breaks in the middle rejects, and never looks like an answer', async () => {
    const network = await proxyTo(harness().address);
    const own = open().open(harness().via(network.port));
    const stream = await own.query(dialect.endless(), unbounded, never);
    const chunks = stream.chunks[Symbol.asyncIterator]();
    await chunks.next();
    network.cut();
    const error = await refusal(
      (async () => {
        for (;;) if ((await chunks.next()).done) return;
      })(),
    );
    expect(error.kind).to.equal('unavailable');
    expect(error.message).to.include(harness().connection.name).and.not.include(String(network.port));
    expect(await rowsOf(own.query(dialect.series(1), plenty, never))).to.deep.equal([{ n: 1 }]);
  });

  it('is reached again at once when the system was restarted, though sessions from before are dead', async () => {
    const table = await numbered(2);
    const query = { entity: table.entity, filter: null, limit: 5, offset: 0 };
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 4 }, () => rowsOf(connector().records(query, never))));
      await harness().terminate();
      expect(await rowsOf(connector().records(query, never))).to.have.length(2);
      expect(await rowsOf(connector().query(dialect.series(1), plenty, never))).to.have.length(1);
    }
  });

  it('long queries keep no records waiting, and too many of them are refused', async () => {
    const table = await numbered(1);
    const own = open({ poolSize: 1, timeoutSeconds: 1 }).open(harness().connection);
    const controller = new AbortController();
    const long = own.query(dialect.slow(60), plenty, controller.signal).catch((error: unknown) => error);
    await steadily(async () => (await harness().busy()) === 1);
    expect(
      await rowsOf(own.records({ entity: table.entity, filter: null, limit: 1, offset: 0 }, never)),
    ).to.have.length(1);
    const error = await refusal(own.query(dialect.series(1), plenty, never));
    expect(error).to.include({ kind: 'rate_limited', retryAfterSeconds: 5 });
    expect(error.message).to.match(/no free session/);
    controller.abort(new Error('enough'));
    await long;
    await eventually(async () => (await harness().busy()) === 0);
    expect(await rowsOf(own.query(dialect.series(1), plenty, never))).to.have.length(1);
  });

  it('a read that a lock keeps waiting is a query that takes too long, and no outage', async () => {
    const table = await numbered(1);
    const own = open({ timeoutSeconds: 1 }).open(harness().connection);
    const query = { entity: table.entity, filter: null, limit: 1, offset: 0 };
    // To connect may take most of the second.
    expect(await rowsOf(own.records(query, never))).to.have.length(1);
    const release = await harness().block(table.quoted);
    const error = await refusal(own.records(query, never));
    expect(`${error.kind} ${error.code}: ${error.message}`).to.match(
      /^invalid query_timeout: .*"\w+" (?:took longer|has that row or table locked)/,
    );
    await release();
    expect(await rowsOf(own.records(query, never))).to.have.length(1);
  });

  it('one credential leaves a session to the next one, which is refused nothing', async () => {
    const table = await numbered(1);
    const connectors = open({ poolSize: 3 });
    const [greedy, modest] = ['a', 'b'].map((user) => connectors.open(harness().connection, aSharer(user)));
    if (!greedy || !modest) throw new Error('Two connectors were asked for.');
    const query = { entity: table.entity, filter: null, limit: 1, offset: 0 };
    const release = await harness().block(table.quoted);
    const controller = new AbortController();
    const ended = (work: Promise<unknown>) => work.catch((error: unknown) => error);
    const long = Array.from({ length: 5 }, () => ended(greedy.query(dialect.slow(60), plenty, controller.signal)));
    const blocked = Array.from({ length: 5 }, () => ended(greedy.records(query, controller.signal)));
    await steadily(async () => (await harness().busy()) === 4);
    expect(await rowsOf(modest.query(dialect.series(1), plenty, never))).to.deep.equal([{ n: 1 }]);
    expect(await modest.tables(never)).not.to.deep.equal([]);
    controller.abort(new Error('enough'));
    const refused = (await Promise.all([...long, ...blocked])).filter((error) => error instanceof DomainError);
    expect(new Set(refused.map(({ kind }) => kind))).to.deep.equal(
      refused.length > 0 ? new Set(['rate_limited']) : new Set(),
    );
    await release();
    await eventually(async () => (await harness().busy()) === 0);
    expect(await rowsOf(greedy.records(query, never))).to.have.length(1);
  });

  it('opens no more sessions than the pools may hold', async () => {
    const table = await numbered(1);
    const connectors = open({ poolSize: 2 });
    const own = connectors.open(harness().connection);
    const before = await harness().sessions();
    const query = { entity: table.entity, filter: null, limit: 1, offset: 0 };
    const works = Array.from({ length: 20 }, (_, index) =>
      index % 2 ? rowsOf(own.records(query, never)) : rowsOf(own.query(dialect.series(1), plenty, never)),
    );
    expect((await Promise.all(works)).flat()).to.have.length(20);
    expect(await harness().sessions()).to.be.at.most(before + 4);
  });

  it('goes to the new address of a connection that was changed', async () => {
    const connectors = open();
    const changed = { ...harness().connection, sealedUrl: harness().wrongPassword.sealedUrl };
    const series = (connection: Connection) => connectors.open(connection).query(dialect.series(1), plenty, never);
    expect(await rowsOf(series(harness().connection))).to.have.length(1);
    expect((await refusal(series(changed))).kind).to.equal('unavailable');
    expect(await rowsOf(series(harness().connection))).to.have.length(1);
  });

  it('leaves no session behind when it is closed, and opens none', async () => {
    const before = await harness().sessions();
    const connectors = open();
    const own = connectors.open(harness().connection);
    const under = rowsOf(own.query(dialect.series(3), plenty, never));
    await connectors.close();
    expect(await under).to.have.length(3);
    expect((await refusal(own.query(dialect.series(1), plenty, never))).kind).to.equal('unavailable');
    await eventually(async () => (await harness().sessions()) <= before);
  });
};
