import { expect } from 'chai';
import type { Database } from '../../src/adapters/postgres/connection/database.ts';
import { type Listener, openListener, type Subscriber } from '../../src/adapters/postgres/connection/listener.ts';
import { keyRepository } from '../../src/adapters/postgres/repositories/key-repository.ts';
import type { Log } from '../../src/application/ports/runtime.ts';
import type { KeyRepository } from '../../src/application/ports/storage.ts';
import { operator } from '../../src/domain/audit.ts';
import { type KeyHarness, keyRepositoryContract } from '../contracts/key-repository.ts';
import { aKey, aUser, aWorkspace, storeUser } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { onEveryPostgres } from '../support/postgres.ts';

/** Long enough that nothing is forgotten by age within a test. */
const cacheMs = 600_000;

/** A listener, and when it begins to listen. */
const listening = async (database: Database) => {
  const listener = openListener(database, quiet);
  await new Promise<void>((resolve) => listener.listen('portico_access', { message() {}, gap: resolve }));
  return listener;
};

describe('keys in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    let listeners: Listener[] = [];
    let harness: KeyHarness;
    let reads = 0;

    before(async () => {
      const { database } = postgres;
      const { pool } = database;
      let time = new Date();
      const clock = { now: () => time };
      const counted: typeof database.read = (statement, values) => {
        reads += 1;
        return database.read(statement, values);
      };
      const watched = { ...database, read: counted };
      listeners = await Promise.all([listening(database), listening(database)]);
      const [here, there] = listeners as [Listener, Listener];
      harness = {
        keys: keyRepository({ database: watched, listener: here, clock, log: quiet, cacheMs }),
        elsewhere: keyRepository({ database, listener: there, clock, log: quiet, cacheMs }),
        set(now) {
          time = now;
        },
        async aUser(over) {
          const { user } = await aWorkspace(database);
          if (!over) return user;
          const other = aUser({ workspaceId: user.workspaceId, ...over });
          await storeUser(database, other);
          return other;
        },
        removeUser: async (id) => void (await pool.query('update users set removed_at = now() where id = $1', [id])),
        setRole: async (id, role) => void (await pool.query('update users set role = $2 where id = $1', [id, role])),
        async deafenDuring(change) {
          // The trigger is silent, so that the change becomes known by the gap or not at all.
          await pool.query('alter table users disable trigger users_changed');
          await change();
          await pool.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen %'`,
          );
          await pool.query('alter table users enable trigger users_changed');
        },
      };
    });
    after(() => Promise.all(listeners.map((listener) => listener.close())));

    keyRepositoryContract(() => harness);

    const issue = async (keys: KeyRepository = harness.keys) => {
      const user = await harness.aUser();
      const key = aKey({ userId: user.id, createdAt: new Date() });
      await keys.insert(key, null, operator);
      return key;
    };

    it('asks the database once for a key that is used often', async () => {
      const { hash } = await issue();
      await harness.keys.findCaller(hash);
      const before = reads;
      for (let i = 0; i < 20; i += 1) await harness.keys.findCaller(hash);
      expect(reads).to.equal(before);
    });

    it('asks again in the end, even if no notification of a change ever comes', async () => {
      const listener = { listen: () => () => {}, isListening: () => true, close: async () => {} };
      const { database } = postgres;
      const keys = keyRepository({ database, listener, clock: { now: () => new Date() }, log: quiet, cacheMs: 50 });
      const { hash, userId } = await issue(keys);
      await keys.findCaller(hash);
      await harness.removeUser(userId);
      while ((await keys.findCaller(hash)) !== null) await new Promise((resolve) => setTimeout(resolve, 10));
    });

    it('caches nothing while no notification of a change can arrive', async () => {
      let isListening = true;
      const subscribers: Subscriber[] = [];
      const listen: Listener['listen'] = (_, subscriber) => {
        subscribers.push(subscriber);
        return () => {};
      };
      const { database } = postgres;
      const listener = { listen, isListening: () => isListening, close: async () => {} };
      const keys = keyRepository({ database, listener, clock: { now: () => new Date() }, log: quiet, cacheMs });
      const { hash, userId } = await issue(keys);
      expect(await keys.findCaller(hash)).not.to.equal(null);
      isListening = false;
      const setRole = (role: string) => database.pool.query('update users set role = $2 where id = $1', [userId, role]);
      for (const role of ['viewer', 'member']) {
        await setRole(role);
        expect((await keys.findCaller(hash))?.role).to.equal(role);
      }
      await setRole('admin');
      isListening = true;
      for (const subscriber of subscribers) subscriber.gap();
      expect((await keys.findCaller(hash))?.role).to.equal('admin');
    });

    it('answers all the same where the use of a key cannot be noted, and logs that without the key', async () => {
      const { database } = postgres;
      const lines: unknown[] = [];
      const log: Log = { ...quiet, warn: (fields, message) => void lines.push({ ...fields, message }) };
      const query: Database['query'] = (statement, values) =>
        statement.name === 'api_keys_touch' ? Promise.reject(new Error('no')) : database.query(statement, values);
      const [listener] = listeners as [Listener];
      const broken = { ...database, query };
      const keys = keyRepository({ database: broken, listener, clock: { now: () => new Date() }, log });
      const { hash } = await issue(keys);
      expect(await keys.findCaller(hash)).not.to.equal(null);
      await new Promise(setImmediate);
      expect(lines).to.have.length(1);
      expect(JSON.stringify(lines)).not.to.include(hash);
    });
  });
});
