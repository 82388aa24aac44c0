import { expect } from 'chai';
import { v4 } from 'uuid';
import { migrationText } from '../../src/adapters/postgres/connection/migrations.ts';
import { documentLists } from '../../src/adapters/postgres/repositories/document-list.ts';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import { aNewRun, aWorkspace } from '../support/builders.ts';
import { usePostgres } from '../support/postgres.ts';

/** More than there are values in the index. */
const LINES = 3000;

describe('the words of a document with thousands of values', () => {
  const postgres = usePostgres();

  it('are found behind the values that are listed, also in a document that was stored before', async () => {
    const { database } = postgres;
    const { user, agent } = await aWorkspace(database);
    const run = aNewRun(agent, user);
    await runRepository(database).create(run, null);
    const conversation = v4();
    await database.pool.query(
      `insert into conversations (id, workspace_id, agent_id, run_id, user_id, status) values ($1, $2, $3, $4, $5, 'idle')`,
      [conversation, user.workspaceId, agent.id, run.id, user.id],
    );
    const lines = Array.from({ length: LINES }, (_, n) => ({ text: `item${n}`, amount: n }));
    const store = (name: string) =>
      database.pool.query(
        `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, revision)
         values (gen_random_uuid(), $1, $2, $3, $4, $5, 'ready', $6, 1)`,
        [user.workspaceId, run.id, agent.id, conversation, name, JSON.stringify({ lines })],
      );
    const viewer = { workspaceId: user.workspaceId, userId: user.id };
    const all = { q: null, where: null, agentId: null, runId: null, status: null, review: null };
    const lists = documentLists({ read: database.query, search: database.query });
    const found = async (q: string) => {
      const { documents } = await lists.listVisible(viewer, { ...all, q }, { limit: 20, after: null });
      return documents.map(({ name }) => name).sort();
    };

    const [first] = /create function document_words.*?\nend;/s.exec(await migrationText('0001-initial')) ?? [''];
    await database.pool.query(first.replace('create', 'create or replace'));
    await store('before.txt');
    expect(await found(`item${LINES - 1}`)).to.deep.equal([]);
    await database.pool.query(await migrationText('0033-words-of-long-documents'));
    await store('after.txt');
    for (const q of ['item0', `item${LINES - 1}`, `after item${LINES - 1}`])
      expect(await found(q), q).to.deep.equal(q.startsWith('after') ? ['after.txt'] : ['after.txt', 'before.txt']);
    expect(await found(`item${LINES}`)).to.deep.equal([]);
  });
});
