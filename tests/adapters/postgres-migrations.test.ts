import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntitySchema } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import { type Database, openDatabase } from '../../src/adapters/postgres/database.ts';
import { entities } from '../../src/adapters/postgres/entities.ts';
import { migrations } from '../../src/adapters/postgres/migrations/index.ts';
import { migrate, pending } from '../../src/adapters/postgres/migrator.ts';
import { containerPostgres, embeddedPostgres } from '../support/backends.ts';
import { anId } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { emptyDatabase } from '../support/postgres.ts';

const program = path.resolve(import.meta.dirname, '../support/migrate-program.ts');
const names = migrations.map(({ name }) => name);

for (const backend of [embeddedPostgres, containerPostgres]) {
  describe(`migrations on ${backend.name}`, function () {
    this.timeout(60_000);
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

    it('make the definition of each agent its first version, and number what the version before goes on writing', async () => {
      const { pool } = database;
      await (await database.orm()).migrator.up({ to: '0011-connection-changes' });
      const [workspace, user, agent, first, second] = [anId(), anId(), anId(), anId(), anId()];
      await pool.query('insert into workspaces (id, name) values ($1::uuid, $1::text)', [workspace]);
      await pool.query(
        `insert into users (id, workspace_id, email, name, role) values ($1, $2, 'ada@example.com', 'Ada', 'admin')`,
        [...[user, workspace]],
      );
      const addAgent = (id: string) =>
        pool.query(
          `insert into agents (id, workspace_id, name, description, workflow_type, model, instructions) values ($1::uuid, $2, $1::text, '', 'assistant', 'offline', 'Be kind.')`,
          [id, workspace],
        );
      const addRun = (id: string, of: string) =>
        pool.query(
          `insert into runs (id, workspace_id, agent_id, user_id, origin, workflow_type, status, process_together, files, trace_id, deadline_at)
           values ($1, $2, $3, $4, 'api', 'assistant', 'queued', false, '[]', '', now())`,
          [id, workspace, of, user],
        );
      await addAgent(agent);
      await addRun(first, agent);
      await migrate(database);
      await pool.query(`update agents set instructions = 'Be brief.' where id = $1`, [agent]);
      await addRun(second, agent);
      const added = anId();
      await addAgent(added);
      await addRun(anId(), added);
      const { rows } = await pool.query(
        `select r.agent_version, v.instructions from runs r join agent_versions v on v.agent_id = r.agent_id and v.version = r.agent_version order by r.id`,
      );
      expect(rows).to.deep.equal([
        { agent_version: 1, instructions: 'Be kind.' },
        { agent_version: 2, instructions: 'Be brief.' },
        { agent_version: 1, instructions: 'Be kind.' },
      ]);
      const changed = await pool
        .query(`update agent_versions set model = 'other'`)
        .catch((error: Error) => error.message);
      expect(changed).to.equal('The definition of a version never changes.');
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
