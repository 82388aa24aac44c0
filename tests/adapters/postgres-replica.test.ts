import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Database, openDatabase, prepared } from '../../src/adapters/postgres/connection/database.ts';
import { openReplica, type Replica } from '../../src/adapters/postgres/connection/replica.ts';
import { documentRepository } from '../../src/adapters/postgres/repositories/document-repository.ts';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import type { Log } from '../../src/application/ports/runtime.ts';
import type { Viewer } from '../../src/application/ports/storage.ts';
import { aNewRun, aWorkspace, type Cast } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { freshDatabase, type OwnDatabase } from '../support/postgres.ts';
import { type Pair, startPair } from '../support/replica.ts';

const failing = prepared('test_divides_by_zero')`select 1 / 0`;
const PAUSE_MS = 100;

const at = (url: string, { url: database }: OwnDatabase) =>
  Object.assign(new URL(url), { pathname: new URL(database).pathname }).href;

describe('lists from a replica', () => {
  let pair: Pair;
  let own: OwnDatabase;
  let primary: Database;
  let standby: Database;
  let replica: Replica;
  let cast: Cast;
  let viewer: Viewer;
  const told: string[] = [];
  const log: Log = {
    ...quiet,
    warn: (_, message) => void told.push(message),
    info: (_, message) => void told.push(message),
  };

  before(async () => {
    pair = await startPair();
    own = await freshDatabase(pair.primaryUrl);
    primary = await openDatabase({ url: own.url, poolSize: 4, log: quiet });
    cast = await aWorkspace(primary);
    viewer = { workspaceId: cast.user.workspaceId, userId: cast.user.id };
  });
  after(async () => {
    await primary?.close();
    await pair?.stop();
  });
  beforeEach(async () => {
    told.length = 0;
    await pair.caughtUp();
    standby = await openDatabase({ url: at(pair.replicaUrl, own), poolSize: 4, log: quiet });
    replica = openReplica({ primary, replica: standby, log, pauseMs: PAUSE_MS });
  });
  afterEach(() => standby.close());

  const runs = () => runRepository(primary, replica);
  const create = () => runRepository(primary).create(aNewRun(cast.agent, cast.user), null);
  const total = async () => (await runs().listVisible(viewer, {}, { limit: 1, offset: 0 })).total;
  /** Waits until the replica has answered a read again. */
  const served = async () => {
    const { replica: before } = { ...replica.reads() };
    for (let tries = 0; replica.reads().replica === before; tries += 1) {
      if (tries > 300) throw new Error(`the replica does not serve: ${JSON.stringify(await replica.examine())}`);
      await sleep(PAUSE_MS / 2);
      await total();
    }
  };

  it('are read there, and show what was written right before', async () => {
    const before = await total();
    for (let count = 1; count <= 30; count += 1) {
      await create();
      expect(await total()).to.equal(before + count);
    }
    expect(replica.reads().replica).to.be.greaterThan(20);
    expect(await replica.examine()).to.match(/^answers lists, searches and exports/);
  });

  it('are read from the primary while the replica stands still, and never go back in time', async () => {
    await served();
    let acknowledged = await total();
    await standby.pool.query('select pg_wal_replay_pause()');
    for (let count = 0; count < 5; count += 1) {
      await create();
      acknowledged += 1;
      expect(await total()).to.equal(acknowledged);
    }
    expect(told).to.deep.equal(['lists and exports are read from the primary for now']);
    expect(JSON.stringify(await replica.examine())).to.match(
      /KiB of the log behind: lists, searches and exports are read from the primary/,
    );
    await standby.pool.query('select pg_wal_replay_resume()');
    await served();
    expect(told.at(-1)).to.equal('lists and exports are read from the replica again');
    expect(await total()).to.equal(acknowledged);
  });

  it('show each client what it has written, while replay stops and goes on', async () => {
    let acknowledged = await total();
    let writing = true;
    const write = async () => {
      for (; writing; acknowledged += 1) await create();
    };
    const swing = async () => {
      for (let count = 0; count < 6; count += 1) {
        await standby.pool.query(count % 2 === 0 ? 'select pg_wal_replay_pause()' : 'select pg_wal_replay_resume()');
        await sleep(150);
      }
      writing = false;
    };
    const look = async () => {
      for (let shown = 0; writing; ) {
        const known = Math.max(acknowledged, shown);
        shown = await total();
        expect(shown).to.be.at.least(known);
      }
    };
    await Promise.all([write(), swing(), look(), look()]);
    await served();
    expect(replica.reads().replica).to.be.greaterThan(0);
    expect(replica.reads().primary).to.be.greaterThan(0);
  });

  describe('of documents', () => {
    const COUNT = 450;
    before(async () => {
      const run = aNewRun(cast.agent, cast.user);
      await runRepository(primary).create(run, null);
      await primary.pool.query(
        `insert into conversations (id, workspace_id, agent_id, run_id, user_id, status) values ($1, $2, $3, $1, $4, 'idle')`,
        [run.id, cast.user.workspaceId, cast.agent.id, cast.user.id],
      );
      await primary.pool.query(
        `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, revision)
         select gen_random_uuid(), $1, $2, $3, $2, 'invoice ' || n, 'ready', json_build_object('number', n), 1 from generate_series(1, $4::int) n`,
        [cast.user.workspaceId, run.id, cast.agent.id, COUNT],
      );
    });

    const filter = { agentId: null, runId: null, status: null, review: null, q: null, where: null } as const;

    it('are found by a search there', async () => {
      const page = await documentRepository(primary, replica).listVisible(
        viewer,
        { ...filter, q: 'invoice' },
        { limit: 20, after: null },
      );
      expect(page.documents).to.have.length(20);
      expect(replica.reads().replica).to.be.greaterThan(0);
    });

    it('are exported whole and once, though the replica dies in between', async () => {
      const found: string[] = [];
      for await (const page of documentRepository(primary, replica).readAll(viewer, filter)) {
        if (found.length === 0) await pair.kill();
        found.push(...page.map(({ id }) => id));
      }
      expect([found.length, new Set(found).size]).to.deep.equal([COUNT, COUNT]);
      expect(replica.reads().replica).to.equal(1);
      expect(told).to.deep.equal(['lists and exports are read from the primary for now']);
      await pair.start();
      await served();
    });
  });

  it('are read from the primary where the replica does not answer', async () => {
    await served();
    const { rows } = await standby.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = 'portico' and pid <> pg_backend_pid()`,
    );
    for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
    try {
      expect(await total()).to.be.greaterThan(0);
      expect(told).to.deep.equal(['lists and exports are read from the primary for now']);
    } finally {
      for (const { pid } of rows) process.kill(pid, 'SIGCONT');
    }
    await served();
  });

  it('that the caller has spoilt fail there, and are not asked for twice', async () => {
    await served();
    const before = { ...replica.reads() };
    const error = await replica.read(failing, []).catch((caught: Error) => caught);
    expect(String(error)).to.include('division by zero');
    expect([replica.reads(), told]).to.deep.equal([before, []]);
  });

  it('are read from the primary where the address leads to no replica of the database', async () => {
    const other = await freshDatabase(pair.primaryUrl);
    for (const [url, reason] of [
      [own.url, 'DATABASE_READ_URL leads to a server that is no replica'],
      [at(pair.replicaUrl, other), 'DATABASE_READ_URL leads to another database than DATABASE_URL'],
    ] as const) {
      await pair.caughtUp();
      const wrong = await openDatabase({ url, poolSize: 2, log: quiet });
      const lists = openReplica({ primary, replica: wrong, log, pauseMs: PAUSE_MS });
      const page = await runRepository(primary, lists).listVisible(viewer, {}, { limit: 1, offset: 0 });
      expect(page.total).to.be.greaterThan(0);
      expect(lists.reads()).to.deep.equal({ replica: 0, primary: 1 });
      expect(JSON.stringify(await lists.examine())).to.include(reason);
      await lists.close();
    }
    await other.drop();
  });
});
