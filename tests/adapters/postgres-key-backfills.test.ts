import { expect } from 'chai';
import { statements } from '../../src/adapters/postgres/connection/database.ts';
import { openListener } from '../../src/adapters/postgres/connection/listener.ts';
import { keyBackfills, keyBackfillWakeups } from '../../src/adapters/postgres/repositories/key-backfills.ts';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import { begin } from '../../src/adapters/postgres/statements/key-backfill-statements.ts';
import type { KeyBatch } from '../../src/application/ports/key-backfills.ts';
import { aNewRun, aWorkspace } from '../support/builders.ts';
import { aDocument, storeDocument } from '../support/documents.ts';
import { quiet } from '../support/log.ts';
import { usePostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const POSTED = 250;

describe('documents that were posted before their agent had its duplicate key', () => {
  const postgres = usePostgres();
  let workspaceId: string;
  let agentId: string;
  beforeEach(async () => {
    const { pool } = postgres.database;
    const cast = await aWorkspace(postgres.database);
    ({ id: agentId, workspaceId } = cast.agent);
    const run = aNewRun(cast.agent, cast.user);
    await runRepository(postgres.database).create(run, null);
    const document = aDocument({ workspaceId, agentId, runId: run.id, status: 'ready' });
    await storeDocument(postgres, document, cast.user.id);
    await beginWith('[]');
    // Some are made at the same moment, so that their ids tell them apart.
    await pool.query(
      `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, attempted_revision, document_data, created_at)
       select gen_random_uuid(), d.workspace_id, d.run_id, d.agent_id, d.conversation_id, 'a.pdf',
         case when n > ${POSTED} then 'ready' when n = 1 then 'ready' when n = 2 then 'processing' else 'processed' end, case when n = 1 then 1 end,
         json_build_object('number', n), date_trunc('milliseconds', now()) - make_interval(mins => n / 7)
       from documents d, generate_series(1, ${POSTED + 30}) n where d.id = $1`,
      [document.id],
    );
  });
  const backfills = () => keyBackfills(postgres.database);
  const beginWith = async (key: string) => {
    const { pool } = postgres.database;
    await pool.query('update agents set duplicate_key = $2 where id = $1', [agentId, key]);
    await pool.query(begin, [workspaceId]);
  };
  const next = async (): Promise<KeyBatch> => {
    const batch = await backfills().next();
    if (batch === null) throw new Error('There is nothing to do.');
    return batch;
  };
  const keysOf = ({ documents }: KeyBatch, prefix = 'key') =>
    documents.map(({ documentData }) => `${prefix} ${String(documentData?.number)}`);
  const keys = async () =>
    (
      await postgres.database.pool.query<{ number: number; key: string }>(
        `select (document_data ->> 'number')::int as number, later_key as key from documents where agent_id = $1 and later_key is not null`,
        [agentId],
      )
    ).rows;
  const work = async (prefix?: string) => {
    const batches: KeyBatch[] = [];
    while (await backfills().isUnderWay(agentId)) {
      const batch = await next();
      batches.push(batch);
      await backfills().store(batch, keysOf(batch, prefix));
    }
    return batches;
  };

  it('get it newest first, in batches, each of them once', async () => {
    expect(await backfills().isUnderWay(agentId)).to.equal(false);
    await beginWith('["/number"]');
    const batches = await work();
    expect(batches.map(({ documents, isLast }) => [documents.length, isLast])).to.deep.equal([
      [100, false],
      [100, false],
      [50, true],
    ]);
    const times = batches.flatMap(({ documents }) => documents.map(({ createdAt }) => createdAt.getTime()));
    expect(times).to.deep.equal(times.toSorted((a, b) => b - a));
    const found = await keys();
    expect(found).to.have.length(POSTED);
    for (const { number, key } of found) expect(key).to.equal(`key ${number}`);
    expect(Math.max(...found.map(({ number }) => number))).to.equal(POSTED);
    await postgres.database.pool.query(begin, [workspaceId]);
    expect(await backfills().isUnderWay(agentId), 'the key is the same').to.equal(false);
  });

  it('get it as soon as their agent has another one', async () => {
    const listener = openListener(postgres.database, quiet);
    let woken = 0;
    keyBackfillWakeups(listener).subscribe(() => {
      woken += 1;
    });
    try {
      await until('it listens', () => woken > 0);
      const before = woken;
      await beginWith('["/number"]');
      await until('it is woken', () => woken > before, 5_000);
      await work();
    } finally {
      await listener.close();
    }
  });

  it('do not get what another process, or an older key, would give them late', async () => {
    await beginWith('["/number"]');
    const first = await next();
    await backfills().store(first, keysOf(first));
    await backfills().store(first, keysOf(first, 'late'));
    expect((await keys()).filter(({ key }) => key.startsWith('late'))).to.deep.equal([]);
    expect((await next()).before).to.equal(first.documents.at(-1)?.id);
    await beginWith('["/number", "/total"]');
    const again = await next();
    await backfills().store({ ...again, pointers: ['/number'] }, keysOf(again, 'late'));
    expect((await keys()).filter(({ key }) => key.startsWith('late'))).to.deep.equal([]);
    await work('both');
    expect((await keys()).every(({ key }) => key.startsWith('both'))).to.equal(true);
    await beginWith('[]');
    expect(await backfills().isUnderWay(agentId)).to.equal(false);
  });

  it('of one agent do not wait until all of another one have it', async () => {
    const other = await aWorkspace(postgres.database);
    await postgres.database.pool.query(
      `insert into key_backfills (agent_id, duplicate_key, created_at, document_id)
       values ($1, '["/number"]', 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff')`,
      [other.agent.id],
    );
    await beginWith('["/number"]');
    const batches = await Promise.all(Array.from({ length: 200 }, next));
    await postgres.database.pool.query('delete from key_backfills where agent_id = $1', [other.agent.id]);
    expect(new Set(batches.map((batch) => batch.agentId))).to.deep.equal(new Set([agentId, other.agent.id]));
  });

  it('are found by an index of their own, among many that are not posted', async () => {
    const { pool } = postgres.database;
    await pool.query(
      `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, created_at)
       select gen_random_uuid(), d.workspace_id, d.run_id, d.agent_id, d.conversation_id, 'a.pdf', 'ready', '{}', d.created_at
       from (select * from documents where agent_id = $1 limit 1) d, generate_series(1, 4000)`,
      [agentId],
    );
    await pool.query('vacuum analyze documents');
    await beginWith('["/number"]');
    const text = statements.get('key_backfills_documents')?.text ?? '';
    const { rows } = await pool.query<{ 'QUERY PLAN': unknown }>(
      `explain (format json) ${text.replaceAll('$1', `'${agentId}'`)}`,
    );
    expect(JSON.stringify(rows[0]?.['QUERY PLAN'])).to.include('documents_posted').and.not.include('Seq Scan');
  });
});
