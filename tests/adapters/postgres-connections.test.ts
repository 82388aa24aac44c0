import { expect } from 'chai';
import type { Database } from '../../src/adapters/postgres/connection/database.ts';
import { type Listener, openListener } from '../../src/adapters/postgres/connection/listener.ts';
import {
  cachedConnections,
  connectionRepository,
} from '../../src/adapters/postgres/repositories/connection-repository.ts';
import { databaseRepository } from '../../src/adapters/postgres/repositories/database-repository.ts';
import { anId, aUser, storeUser } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { onEveryPostgres } from '../support/postgres.ts';

/** Long enough that nothing expires within a test. */
const LONG_MS = 600_000;

describe('connections and databases that are cached', () => {
  onEveryPostgres((postgres) => {
    let listener: Listener;
    let reads = 0;
    const counted = (): Pick<Database, 'read' | 'mapper'> => {
      const { read, mapper } = postgres.database;
      return {
        read: (statement, values) => {
          reads += 1;
          return read(statement, values);
        },
        mapper: {
          ...mapper,
          findById: (...asked) => {
            reads += 1;
            return mapper.findById(...asked);
          },
        },
      };
    };
    const stored = () => ({ connections: connectionRepository(counted()), databases: databaseRepository(counted()) });

    const heard = () =>
      new Promise<void>((resolve) => listener.listen('portico_connections', { message: () => resolve(), gap() {} }));

    before(async () => {
      listener = openListener(postgres.database, quiet);
      await new Promise<void>((resolve) => listener.listen('portico_connections', { message() {}, gap: resolve }));
    });
    after(() => listener?.close());

    const run = (sql: string, values: readonly unknown[]) => postgres.database.pool.query(sql, [...values]);

    const arrange = async () => {
      const [workspaceId, connectionId, databaseId] = [anId(), anId(), anId()];
      await run('insert into workspaces (id, name) values ($1, $2)', [workspaceId, workspaceId]);
      const [ada, bob] = [aUser({ workspaceId }), aUser({ workspaceId })];
      for (const user of [ada, bob]) await storeUser(postgres.database, user);
      const arrived = heard();
      // One statement, so that it sends one notification.
      const made = `with made as (insert into connections (id, workspace_id, name, type, sealed_url) values ($1, $2, 'erp', 'postgresql', 'x'))
        insert into databases (workspace_id, id, name, connection_id) values ($2, $3, 'Books', $1)`;
      await run(made, [connectionId, workspaceId, databaseId]);
      await arrived;
      const viewer = ({ id }: { readonly id: string }) => ({ workspaceId, userId: id });
      return { ada: viewer(ada), bob: viewer(bob), connectionId, databaseId };
    };

    it('are asked for once by each viewer, even at once', async () => {
      const { ada, bob, connectionId, databaseId } = await arrange();
      const { connections, databases } = cachedConnections(stored(), listener, LONG_MS);
      reads = 0;
      for (const viewer of [ada, bob]) {
        await Promise.all(Array.from({ length: 10 }, () => connections.findVisible(viewer, connectionId)));
        await Promise.all(Array.from({ length: 10 }, () => databases.findVisible(viewer, databaseId)));
        expect((await databases.findVisible(viewer, databaseId))?.connection.id).to.equal(connectionId);
      }
      expect(reads).to.equal(4);
    });

    it('are seen as another process leaves them: with a new address, for others, removed', async () => {
      const { ada, bob, connectionId, databaseId } = await arrange();
      const { connections, databases } = cachedConnections(stored(), listener, LONG_MS);
      const addresses = async () => [
        (await connections.findVisible(ada, connectionId))?.sealedUrl,
        (await databases.findVisible(ada, databaseId))?.connection.sealedUrl,
      ];
      const eventually = async (expected: readonly unknown[]) => {
        while (JSON.stringify(await addresses()) !== JSON.stringify(expected)) await new Promise(setImmediate);
      };
      expect(await addresses()).to.deep.equal(['x', 'x']);
      await run(`update connections set sealed_url = 'y' where id = $1`, [connectionId]);
      await eventually(['y', 'y']);
      await run(`update databases set visible_to = array[$2::uuid] where id = $1`, [databaseId, bob.userId]);
      await eventually(['y', undefined]);
      await run(`update connections set removed_at = now() where id = $1`, [connectionId]);
      await eventually([undefined, undefined]);
      expect(await databases.findVisible(bob, databaseId)).to.equal(null);
    });

    it('are asked for each time while no notification of a change can come', async () => {
      const { ada, databaseId } = await arrange();
      const deaf = { listen: () => () => {}, isListening: () => false, close: async () => {} };
      const { databases } = cachedConnections(stored(), deaf, LONG_MS);
      reads = 0;
      for (let round = 0; round < 3; round += 1) await databases.findVisible(ada, databaseId);
      expect(reads).to.equal(3);
    });
  });
});
