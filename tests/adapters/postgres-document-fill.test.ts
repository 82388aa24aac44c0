import { expect } from 'chai';
import { v4 } from 'uuid';
import { documentLists } from '../../src/adapters/postgres/repositories/document-list.ts';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import { aNewRun, aWorkspace } from '../support/builders.ts';
import { usePostgres } from '../support/postgres.ts';

const DOCUMENTS = 5000;
/** Those that the statistics know. */
const KNOWN = 3;
const LIMIT = 20;

/** So many documents of one run, as a fill stores them. */
const fill = `
insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, revision, created_at)
select gen_random_uuid(), $1, $2, $3, $4, 'a' || n, 'ready', json_build_object('total', n), 1, now() - n * interval '1 second'
from generate_series(1, $5::int) n`;

describe('a page of documents that were stored since the statistics were made', () => {
  const postgres = usePostgres();

  it('reads as many of them as it shows', async () => {
    const { database } = postgres;
    const { user, agent } = await aWorkspace(database);
    const run = aNewRun(agent, user);
    await runRepository(database).create(run, null);
    const conversation = v4();
    await database.pool.query(
      `insert into conversations (id, workspace_id, agent_id, run_id, user_id, status) values ($1, $2, $3, $4, $5, 'idle')`,
      [conversation, user.workspaceId, agent.id, run.id, user.id],
    );
    const store = (count: number) =>
      database.pool.query(fill, [user.workspaceId, run.id, agent.id, conversation, count]);
    await database.pool.query('alter table documents set (autovacuum_enabled = off)');
    await store(KNOWN);
    await database.pool.query('vacuum analyze');
    await store(DOCUMENTS);

    const client = await database.pool.connect();
    const query: typeof database.query = async <Row extends object>(
      { text }: { readonly text: string },
      values: readonly unknown[],
    ) => (await client.query<Row>(text, [...values])).rows;
    const lists = documentLists({ read: query, search: query });
    const viewer = { workspaceId: user.workspaceId, userId: user.id };
    const all = { q: null, where: null, agentId: null, runId: null, status: null, review: null };
    const page = { limit: LIMIT, after: null };
    const rowsRead = async () => {
      const { rows } = await client.query<{ n: string }>(
        `select seq_tup_read + idx_tup_fetch as n from pg_stat_xact_user_tables where relname = 'documents'`,
      );
      return Number(rows[0]?.n);
    };
    try {
      await client.query('begin');
      for (const [form, list] of [
        ['listed', () => lists.listVisible(viewer, all, page)],
        ['printed', () => lists.printVisible(viewer, all, page)],
        ['of an agent', () => lists.printVisible(viewer, { ...all, agentId: agent.id }, page)],
      ] as const) {
        const before = await rowsRead();
        await list();
        expect((await rowsRead()) - before, form).to.be.within(LIMIT, 10 * LIMIT);
      }
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});
