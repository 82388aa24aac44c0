import { expect } from 'chai';
import { type Listener, openListener } from '../../src/adapters/postgres/connection/listener.ts';
import { documentChanges } from '../../src/adapters/postgres/repositories/changes.ts';
import { documentChangesContract } from '../contracts/document-changes.ts';
import { aConversation, anId } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { onEveryPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const cut = ({ database }: TestPostgres) =>
  database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen %'`,
  );

const turnOf = () => new Promise(setImmediate);

describe('notifications of PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    let listener: Listener;
    beforeEach(() => {
      listener = openListener(postgres.database, quiet);
    });
    afterEach(() => listener?.close());

    const listened = (channel: string) =>
      new Promise<void>((resolve) => listener.listen(channel, { message() {}, gap: resolve }));

    it('are known not to arrive from the moment the connection is gone until all is listened to again', async () => {
      expect(listener.isListening('one')).to.equal(false);
      await listened('one');
      expect([listener.isListening('one'), listener.isListening('two')]).to.deep.equal([true, false]);
      await listened('two');
      expect(listener.isListening('two')).to.equal(true);
      await cut(postgres);
      while (listener.isListening('one')) await turnOf();
      expect(listener.isListening('two')).to.equal(false);
      while (!listener.isListening('one') || !listener.isListening('two')) await turnOf();
      await listener.close();
      expect(listener.isListening('one')).to.equal(false);
    });

    for (const isThere of [true, false])
      it(`are ${isThere ? 'replaced by looks' : 'waited for'} where the address for listening leads nowhere, and the database ${isThere ? 'answers' : 'does not answer either'}`, async () => {
        await listener.close();
        const nowhere = { connectionString: 'postgres://127.0.0.1:9/none' };
        const { database } = postgres;
        let tries = 0;
        const log = { ...quiet, warn: () => void tries++ };
        listener = openListener(
          { connection: isThere ? database.connection : { ...nowhere }, listening: nowhere },
          log,
        );
        let looks = 0;
        listener.listen('one', { message() {}, gap: () => void looks++ });
        await until('it was tried again and again', () => tries > 4, 20_000);
        if (isThere) await until('a subscriber has looked again and again', () => looks > 2, 20_000);
        else expect(looks).to.equal(0);
        expect(listener.isListening('one')).to.equal(false);
      });
  });
});

describe('DocumentChanges', () => {
  onEveryPostgres((postgres) => {
    let listener: Listener;
    before(async () => {
      listener = openListener(postgres.database, quiet);
      documentChanges(listener, postgres.database, quiet).subscribe(anId(), () => {});
      while (!listener.isListening('portico_documents')) await turnOf();
    });
    after(() => listener?.close());

    const sql = (text: string, values: unknown[] = []) => postgres.database.pool.query(text, values);

    documentChangesContract(() => ({
      changes: documentChanges(listener, postgres.database, quiet),
      async aDocument() {
        const { id: conversationId, agent, user } = await aConversation(postgres.database);
        const [id, runId] = [anId(), anId()];
        await sql(
          `insert into runs (id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, files, trace_id, deadline_at)
           values ($1, $2, $3, 1, $4, 'api', 'document_extraction', 'running', false, '[]', $5, now())`,
          [runId, agent.workspaceId, agent.id, user.id, '0'.repeat(32)],
        );
        await sql(
          `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status) values ($1, $2, $3, $4, $5, 'a.pdf', 'ready')`,
          [id, agent.workspaceId, runId, agent.id, conversationId],
        );
        return id;
      },
      move: async (id, status) => void (await sql('update documents set status = $2 where id = $1', [id, status])),
      async deafenDuring(change) {
        await sql('alter table documents disable trigger documents_changed');
        await change();
        await cut(postgres);
        await sql('alter table documents enable trigger documents_changed');
      },
    }));
  });
});
