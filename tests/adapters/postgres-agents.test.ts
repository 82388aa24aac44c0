import { agentRepository } from '../../src/adapters/postgres/agents.ts';
import { type AgentHarness, agentRepositoryContract } from '../contracts/agent-repository.ts';
import { anId, aUser, storeAgent, storeUser } from '../support/builders.ts';
import { onEveryPostgres } from '../support/postgres.ts';

describe('agents in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    const harness = (): AgentHarness => ({
      agents: agentRepository(postgres.database),
      async arrange() {
        const workspaceId = anId();
        await postgres.database.pool.query('insert into workspaces (id, name) values ($1, $2)', [workspaceId, workspaceId]);
        const [ada, bob] = [aUser({ workspaceId }), aUser({ workspaceId })];
        for (const user of [ada, bob]) await storeUser(postgres.database, user);
        return { ada: { userId: ada.id, workspaceId }, bob: { userId: bob.id, workspaceId } };
      },
      store: (agent) => storeAgent(postgres.database, agent),
      remove: async (id) => void (await postgres.database.pool.query('update agents set removed_at = now() where id = $1', [id])),
    });
    agentRepositoryContract(harness);
  });
});
