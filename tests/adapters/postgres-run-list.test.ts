import { expect } from 'chai';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import type { Position } from '../../src/application/ports/storage.ts';
import type { User } from '../../src/domain/access.ts';
import { anAgent, anId, aUser, aWorkspace, storeAgent, storeUser } from '../support/builders.ts';
import { usePostgres } from '../support/postgres.ts';

/** More than the list looks through before it asks each agent for its own. */
const NEWEST = 4_200;
const VISIBLE = 7;

const newRuns = `
insert into runs (id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, files, trace_id, deadline_at, created_at)
select gen_random_uuid(), a.workspace_id, a.id, 1, $2, case when n % 50 = 0 then 'tool' else 'api' end, 'assistant',
  case n % 3 when 0 then 'failed' else 'completed' end, false, '[]', 't', now(), now() - $4::interval - n / 2 * interval '1 second'
from agents a, generate_series(1, $3::int) n where a.id = $1`;

/** What a list of runs is, said as plainly as it can be. */
const plainly = `
select r.id, r.created_at as "createdAt" from runs r join agents a on a.id = r.agent_id
where r.workspace_id = $1 and r.origin = 'api' and a.removed_at is null and (a.visible_to is null or $2 = any (a.visible_to))
  and ($3::uuid is null or r.agent_id = $3) and ($4::text is null or r.status = $4)
order by r.created_at desc, r.id desc`;

describe('the list of runs', () => {
  const postgres = usePostgres();

  /** A workspace whose newest runs one user does not see, and so many more agents that it does not see either. */
  const arrange = async (hiddenAgents: number) => {
    const { database } = postgres;
    const { user: all, agent: first } = await aWorkspace(database);
    const few = aUser({ workspaceId: all.workspaceId });
    await storeUser(database, few);
    const agentOf = async (visibleTo: readonly string[] | null, runs: number, age: string) => {
      const agent = anAgent({ workspaceId: all.workspaceId, visibleTo });
      await storeAgent(database, agent);
      await database.pool.query(newRuns, [agent.id, all.id, runs, age]);
      return agent.id;
    };
    await agentOf([all.id], NEWEST, '0 seconds');
    for (let n = 0; n < VISIBLE; n += 1) await agentOf(n % 2 === 0 ? null : [all.id, few.id], 30, '1 day');
    for (let n = 0; n < hiddenAgents; n += 1)
      await storeAgent(database, anAgent({ workspaceId: all.workspaceId, visibleTo: [all.id] }));
    const removed = await agentOf(null, 40, '1 day');
    await database.pool.query('update agents set removed_at = now() where id = $1', [removed]);
    return { users: [all, few, aUser({ id: anId(), workspaceId: anId() })], agentIds: [first.id, removed] };
  };

  const mustBePlain = async (user: User, filter: { readonly agentId?: string; readonly status?: 'failed' }) => {
    const { pool } = postgres.database;
    const runs = runRepository(postgres.database);
    const viewer = { userId: user.id, workspaceId: user.workspaceId };
    const { rows } = await pool.query<Position>(plainly, [
      viewer.workspaceId,
      viewer.userId,
      filter.agentId ?? null,
      filter.status ?? null,
    ]);
    const ids = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id);
    for (const offset of [0, 95, 1_500]) {
      const page = await runs.listVisible(viewer, filter, { limit: 20, offset });
      expect(ids(page.items)).to.deep.equal(ids(rows.slice(offset, offset + 20)));
      expect(page.total).to.equal(rows.length);
    }
    for (const place of [20, rows.length - 21]) {
      const after = rows[place];
      if (after === undefined) continue;
      const page = await runs.listVisible(viewer, filter, { limit: 20, offset: 0, after });
      expect(ids(page.items)).to.deep.equal(ids(rows.slice(place + 1, place + 21)));
      expect(page.next === null).to.equal(place + 21 >= rows.length);
    }
  };

  for (const hiddenAgents of [0, 120]) {
    it(`is what a plain query finds, for those who see all and those who see few, with ${hiddenAgents + 1} agents that are not seen`, async () => {
      const { users, agentIds } = await arrange(hiddenAgents);
      for (const user of users) {
        for (const agentId of [undefined, ...agentIds]) {
          for (const status of [undefined, 'failed'] as const)
            await mustBePlain(user, { ...(agentId !== undefined && { agentId }), ...(status && { status }) });
        }
      }
    });
  }
});
