import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntitySchema } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import { type Database, openDatabase } from '../../src/adapters/postgres/connection/database.ts';
import { migrationNames, migrationText } from '../../src/adapters/postgres/connection/migrations.ts';
import { migrate, pending } from '../../src/adapters/postgres/connection/migrator.ts';
import { entities } from '../../src/adapters/postgres/tables/entities.ts';
import { containerPostgres, embeddedPostgres } from '../support/backends.ts';
import { quiet } from '../support/log.ts';
import { emptyDatabase } from '../support/postgres.ts';

const root = path.resolve(import.meta.dirname, '../..');
const program = path.join(root, 'tests/support/migrate-program.ts');
const names = await migrationNames();

/** What databases were migrated with. A migration is added to this list, and never changed in it. */
const digests: Readonly<Record<string, string>> = {
  '0001-initial': '88d3be21dabedb6208c2f33efc5f193b41f0a0efcdad849af82a4fdfb07d0e09',
  '0002-e-invoices': '2a0d80649360d062f13619ff149b663cce84765c90cba5c7d424a54223757963',
  '0003-trash': '34fe4387cb8718ad0bb0846a81be305b517e143b95749db165b0d60350db1f55',
  '0004-e-invoice-map': 'e63701592305ea3d28fd4e796b3d27e85433b8155468617b26bc37bda394b3a2',
  '0006-approvals': '5b9c0ada80435e37827982f0651d55da503eaf01e7d62f8a9f8a1c55f8bcb64b',
  '0007-queue-indexes': 'dcf78a6fe19329367ffb10c1144e885dc09757c5622000afe9e6fc18d60a5ca9',
  '0008-list-columns': 'bcb0acfb92e8b7bf71e0fd3c7c96658375b18d5f4906231c888a8d4c0f86b005',
  '0009-posting': '876d04165ad3292ebdece529e77dba40d3f13c03d3957d37a261e9f9fa101f52',
  '0010-reread': 'a23964aca57ff6b9988ca8d672558adac71e5e4fdc185d0f3bb4f9390e937e3b',
  '0010-work-list': '9f487493e50d6d472de79f14b6c7da1b11a59a2889cec5de5a26af7ea8dd6ef5',
  '0011-approvals-in-conversations': 'a90dc06103dd86b80872e72b59bf19d14205dcb216bffb379a458835ec133597',
  '0011-approvals-over-mcp': 'e5894fe117d6e643c5fdd02c33ae20e60e2ae8aea55f47a97b9b66be2afd3dc4',
  '0012-people': '680e4b6e8af8626d67d8f81cbe3217d60c0f175ce8264c0ec2a5f0dca25e5f9e',
  '0013-audit': '35427fb178eb66b26f8bdb64ccc2442f798cbb7e7c0b684000e8d0b5a17da4f7',
  '0014-run-leases': '8765e80d827aa60e024ff87d73e515397df4e40cd17191e5fd9998146cdfc5a4',
  '0015-usage': 'dca8c064dce1922a4c658b04c68112a6929b2d3b20ebeb9988a821abf2b8d0c9',
  '0018-trials': '8f35a643950b1802e070836b8cb3f5fa39dedf3ce0bbe9f1d8cd48178732a237',
  '0020-sign-ins': 'a8e52430c88a14f71be5c85e8851607dacd7af26c2348691ce914e74c05fedd6',
  '0022-budgets': '2c5f3261595052f2238bb2d5ebc4d252fbd7f66f733f2c015fb7750f54d159cd',
  '0022-reservations': 'b2059ab5f6c1b601a1bea1602fdcd8d038c510ba4f8202b253e6bb98bf71e6b3',
  '0023-erasures': 'ac299f862b80d3ac3c467303119eb632670a19a50d6e59139bfc765bae70c981',
  '0023-holds': 'abbce48d0e62b01a2affdb495e0e706b850df23655d7f7da4d185951751f7b22',
  '0024-queue-since': '77d358b55f357507a0fba9828429c74d4be03b4e227ede12696e28d6c587ce5c',
  '0023-retention': '62c179dd5eb84e9d8f2fd3a7dcd8d30c7e7812c7496088e7cfd1e5086132157b',
  '0025-sources': '24daeeb0127aae0ac42f2fe621e43050370ee9a5798d0e2f089c01f7f405e7f1',
  '0024-queue-times': '0cf5eba8c69d9c5d7c0d48859bc9abb254a6dce88641db4c85c3e835b95103c1',
  '0026-routing': 'a2fad28c799f5ab497098498a9ed4f7aadfc899c3a397f6572d3e4aeecded791',
  '0027-source-tokens': 'e6838a144907e64ad5422ae98bc2079c21e9c349b77499111a2f7a634f08c045',
  '0028-run-count-slots': '2ced52fc2370ef13113e8ae09910f92e702ddf9a1249b644983877065a4dff50',
  '0029-reopened': '074e05d0b46a9062daa4078ffbb8f416063e4e8dd83cdce2148ce0c133f13212',
  '0030-retention-passes': '7b1b482049f8bfb459bd6550660c239bedd2bda206325a55fd711395fd97c146',
  '0030-source-runs': '09bfcb3f785e3f00b1439382aa001cfdf29a30ebcba028045958432bfe7b12aa',
  '0031-key-backfills': '42c03d179168d8d5d42407439ba1b959e7dadf1563fa29dde91b89029b7c3c16',
  '0031-key-successors': '9830f2d5c963e1e2d64258dabf1b67e731bb05fad9d230fbb920498edb8fd068',
  '0032-posted-documents': '933556e757a84f1deff650d3e5eb2f3a3243d8ec17580139ac82bc082017464a',
  '0033-words-of-long-documents': '84c9f14b9d75b18bd8be300d4550386a80cdedd732c73aff5ca730296af5c156',
};

/** The program in another folder, where a test may change it. */
const copyOfSource = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'portico-later-'));
  for (const place of ['package.json', 'src/adapters/postgres', 'src/application', 'src/domain', 'tests/support'])
    await cp(path.join(root, place), path.join(folder, place), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
};

describe('migrations', () => {
  it('are never edited: a change is one more of them', async () => {
    const texts = await Promise.all(names.map(migrationText));
    const found = texts.map((text) => createHash('sha256').update(text).digest('hex'));
    expect(Object.fromEntries(names.map((name, index) => [name, found[index]]))).to.deep.equal(digests);
  });
});

for (const backend of [embeddedPostgres, containerPostgres]) {
  describe(`migrations on ${backend.name}`, () => {
    let empty: Awaited<ReturnType<typeof emptyDatabase>> | undefined;
    let database: Database;

    beforeEach(async function () {
      const server = await backend.url();
      if (server === null) return this.skip();
      empty = await emptyDatabase(server);
      database = await openDatabase({ url: empty.url, poolSize: 3, log: quiet });
    });
    afterEach(async () => {
      if (!empty) return;
      await database.close();
      await empty.drop();
    });

    it('bring an empty database up to date, once', async () => {
      expect(await pending(database)).to.deep.equal(names);
      expect(await migrate(database)).to.deep.equal(names);
      expect(await pending(database)).to.deep.equal([]);
      expect(await migrate(database)).to.deep.equal([]);
    });

    it('are run once by three processes that start at once', async () => {
      const children = await Promise.all(
        [1, 2, 3].map(async () => {
          const child = fork(program, [(empty as { url: string }).url]);
          await once(child, 'message');
          return child;
        }),
      );
      const outcomes = children.map(async (child) => {
        child.send('go');
        const [[outcome]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
        return outcome;
      });
      const done = await Promise.all(outcomes);
      expect(done.map(({ error }) => error)).to.deep.equal([undefined, undefined, undefined]);
      expect(done.flatMap((outcome) => outcome.done)).to.deep.equal(names);
    });

    it('wait for one that is under way, longer than any other statement may take', async () => {
      const url = (empty as { url: string }).url;
      const hasty = await openDatabase({ url, poolSize: 2, statementTimeoutSeconds: 1, log: quiet });
      const client = await database.pool.connect();
      await client.query('begin; select pg_advisory_xact_lock(7000001)');
      const waiting = migrate(hasty);
      // Both the server and the driver would have given up on another statement by now.
      await sleep(7_000);
      await client.query('commit');
      client.release();
      expect(await waiting).to.deep.equal(names);
      await hasty.close();
    });

    it('refuse a database that a newer program has migrated', async () => {
      await migrate(database);
      await database.pool.query(`insert into schema_migrations (name) values ('9999-tomorrow')`);
      for (const attempt of [pending(database), migrate(database)]) {
        const outcome = await attempt.catch((error: Error) => error.message);
        expect(outcome).to.match(/^The database is newer than this Portico: it has 9999-tomorrow\./);
      }
    });

    it('go on with one that a later version adds', async () => {
      await migrate(database);
      const later = await copyOfSource();
      const added = path.join(later, 'src/adapters/postgres/migrations/0002-colours');
      await mkdir(added);
      await writeFile(path.join(added, '01-table.sql'), 'create table colours (id int primary key);');
      await writeFile(path.join(added, '02-rows.sql'), 'insert into colours values (1), (2);');
      const child = fork(path.join(later, 'tests/support/migrate-program.ts'), [(empty as { url: string }).url]);
      await once(child, 'message');
      child.send('go');
      const [[outcome]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
      await rm(later, { recursive: true });
      expect(outcome).to.deep.equal({ done: ['0002-colours'] });
      expect((await database.pool.query('select id from colours')).rows).to.deep.equal([{ id: 1 }, { id: 2 }]);
    });

    it('make what the entities map', async () => {
      await migrate(database);
      const em = (await database.orm()).em.fork();
      for (const entity of entities.filter(({ meta }) => !meta.embeddable)) {
        expect(await em.find(entity as EntitySchema<object>, {})).to.deep.equal([]);
      }
    });
  });
}
