import { expect } from 'chai';
import type { Database } from '../../src/adapters/postgres/connection/database.ts';
import { type Listener, openListener, type Subscriber } from '../../src/adapters/postgres/connection/listener.ts';
import { agentRepository, cachedAgents } from '../../src/adapters/postgres/repositories/agent-repository.ts';
import type { AgentRepository } from '../../src/application/ports/storage.ts';
import { type AgentHarness, agentRepositoryContract } from '../contracts/agent-repository.ts';
import { anAgent, anId, aUser, storeAgent, storeUser } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { onEveryPostgres, type TestPostgres } from '../support/postgres.ts';

/** Long enough that nothing expires within a test. */
const LONG_MS = 600_000;

const harnessOf = (postgres: TestPostgres, agents: () => AgentRepository) => (): AgentHarness => ({
  agents: agents(),
  async arrange() {
    const workspaceId = anId();
    await postgres.database.pool.query('insert into workspaces (id, name) values ($1, $2)', [workspaceId, workspaceId]);
    const [ada, bob] = [aUser({ workspaceId }), aUser({ workspaceId })];
    for (const user of [ada, bob]) await storeUser(postgres.database, user);
    return { ada: { userId: ada.id, workspaceId }, bob: { userId: bob.id, workspaceId } };
  },
  store: (agent) => storeAgent(postgres.database, agent),
  remove: async (id) =>
    void (await postgres.database.pool.query('update agents set removed_at = now() where id = $1', [id])),
});

describe('agents in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    agentRepositoryContract(harnessOf(postgres, () => agentRepository(postgres.database)));
  });
});

describe('agents that are cached', () => {
  onEveryPostgres((postgres) => {
    let listener: Listener | undefined;
    let agents: AgentRepository;
    let reads = 0;
    const harness = harnessOf(postgres, () => agents);

    const counted = (): Pick<Database, 'read'> => ({
      read: (statement, values) => {
        reads += 1;
        return postgres.database.read(statement, values);
      },
    });

    before(async () => {
      const opened = openListener(postgres.database, quiet);
      listener = opened;
      await new Promise<void>((resolve) => opened.listen('portico_agents', { message() {}, gap: resolve }));
      agents = cachedAgents(agentRepository(counted()), opened, LONG_MS);
    });
    after(() => listener?.close());

    agentRepositoryContract(harness);

    const arrange = async () => {
      const { ada } = await harness().arrange();
      const agent = anAgent({ workspaceId: ada.workspaceId, name: 'before' });
      await harness().store(agent);
      return { ada, agent };
    };

    it('asks the database once for what is looked up often, even at once', async () => {
      const { ada, agent } = await arrange();
      // The notification of the new agent has arrived once a later one of another connection has.
      await new Promise<void>((resolve) => {
        listener?.listen('portico_agents_test', { message: () => resolve(), gap() {} });
        void postgres.database.pool
          .query('select pg_sleep(0.05)')
          .then(() => postgres.database.pool.query(`notify portico_agents_test`));
      });
      reads = 0;
      await Promise.all(Array.from({ length: 20 }, () => agents.findVisible(ada, agent.id)));
      await Promise.all(Array.from({ length: 20 }, () => agents.listVisible(ada)));
      for (let i = 0; i < 5; i += 1) await agents.findVisible(ada, agent.id);
      for (let i = 0; i < 5; i += 1) await agents.listVisible(ada);
      expect(reads).to.equal(2);
    });

    it('sees what another process changes', async () => {
      const { ada, agent } = await arrange();
      await agents.findVisible(ada, agent.id);
      await agents.listVisible(ada);
      await postgres.database.pool.query(`update agents set name = 'after' where id = $1`, [agent.id]);
      while ((await agents.findVisible(ada, agent.id))?.name !== 'after') await new Promise(setImmediate);
      while ((await agents.listVisible(ada))[0]?.name !== 'after') await new Promise(setImmediate);
      await harness().remove(agent.id);
      while (await agents.findVisible(ada, agent.id)) await new Promise(setImmediate);
    });

    it('keeps no answer that was on its way while something changed, and shares it with no later call', async () => {
      const { ada, agent } = await arrange();
      const subscribers: Subscriber[] = [];
      const gate = Promise.withResolvers<void>();
      let asked = 0;
      const slow: AgentRepository = {
        ...agentRepository(postgres.database),
        async findVisible(viewer, id) {
          asked += 1;
          const found = await agentRepository(postgres.database).findVisible(viewer, id);
          if (asked === 1) await gate.promise;
          return found;
        },
      };
      const listen: Listener['listen'] = (_, subscriber) => {
        subscribers.push(subscriber);
        return () => {};
      };
      const here = cachedAgents(slow, { listen, isListening: () => true, close: async () => {} }, LONG_MS);
      const early = here.findVisible(ada, agent.id);
      while (asked === 0) await new Promise(setImmediate);
      await postgres.database.pool.query(`update agents set name = 'after' where id = $1`, [agent.id]);
      for (const subscriber of subscribers) subscriber.message('');
      expect((await here.findVisible(ada, agent.id))?.name).to.equal('after');
      gate.resolve();
      await early;
      expect((await here.findVisible(ada, agent.id))?.name).to.equal('after');
      expect(asked).to.equal(2);
    });

    it('asks again in the end, even if no notification of a change ever comes', async () => {
      const { ada, agent } = await arrange();
      const deaf = { listen: () => () => {}, isListening: () => true, close: async () => {} };
      const here = cachedAgents(agentRepository(postgres.database), deaf, 50);
      await here.findVisible(ada, agent.id);
      await harness().remove(agent.id);
      while (await here.findVisible(ada, agent.id)) await new Promise((resolve) => setTimeout(resolve, 10));
    });
  });
});
