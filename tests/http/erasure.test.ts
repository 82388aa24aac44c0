import { expect } from 'chai';
import { BlobStore, ErasureLedger } from '../../src/composition/modules/blobs.ts';
import { Erasures } from '../../src/composition/modules/worker.ts';
import { anId } from '../support/builders.ts';
import { eventually } from '../support/until.ts';
import { keptLog, nowhere, type Receipt, spread, wordsOf, workspace } from './erased-words.ts';
import { type Ended, openReadingWorld, type ReadingWorld, type ShownDocument } from './files-read.ts';

describe('erasure', () => {
  let world: ReadingWorld;
  let bob: string;
  let words: ReturnType<typeof wordsOf>;
  const logged = keptLog();
  before(async () => {
    world = await openReadingWorld(workspace, { log: logged.log });
    bob = await world.key({ email: 'bob@example.com' });
    await world.query('create table public.bills (document_id uuid unique, supplier text)');
    words = wordsOf(world, logged.lines);
  });
  after(() => world.stop());

  const counts = ({ stores }: Receipt) =>
    Object.fromEntries(stores.map(({ store, removed, kept }) => [store, [removed > 0, kept]]));

  it('leaves no word in the database, the file store and the log, wherever it has been', async () => {
    const word = `Wortmarke${Date.now()}`;
    const { run, document, talk } = await spread(world, words, word);
    expect(await words.inDatabase(word)).to.include.members([
      'approvals',
      'document_revisions',
      'documents',
      'events',
      'messages',
      'runs',
      'webhook_deliveries',
    ]);
    expect((await words.inFiles(word)).length).to.be.above(1);
    const { status: erased, body } = await words.erase({ document_id: document.id });
    expect([erased, body.data.document_id]).to.deep.equal([200, document.id]);
    expect(await words.everywhere(word)).to.deep.equal(nowhere);
    const counted = counts(body.data);
    expect(Object.keys(counted)).to.deep.equal([
      'database',
      'files',
      'events',
      'webhooks',
      'system_of_record',
      'audit',
    ]);
    expect(counted).to.deep.include({
      database: [true, 0],
      files: [true, 0],
      events: [true, 0],
      system_of_record: [false, 1],
    });
    expect(counted.webhooks?.[0]).to.equal(true);
    expect(counted.audit?.[1]).to.be.above(0);
    for (const { kept, why } of body.data.stores) expect(why === null).to.equal(kept === 0);
    for (const gone of [`/documents/${document.id}`, `/runs/${run.id}`, `/threads/${document.conversation_id}`])
      expect(await words.status(gone), gone).to.equal(404);
    expect((await words.erase({ document_id: document.id })).status).to.equal(404);
    const { messages } = (await world.call<{ messages: readonly object[] }>(`/threads/${talk}`)).body.data;
    expect(messages, 'what was said before').to.have.length(4);
    expect((await words.say(talk, 'Hello again')).length).to.be.above(0);
    expect(await words.sql('select supplier from bills where document_id = $1', [document.id])).to.deep.equal([
      { supplier: `${word} Inc` },
    ]);
    const acts = await world.call<{ entries: readonly { action: string; details: object }[] }>(
      `/audit?subject=${document.id}`,
    );
    expect(acts.body.data.entries.at(-1)).to.deep.include({
      action: 'erasure.requested',
      details: { erasure_id: body.data.id },
    });
    const { erasures } = (await world.call<{ erasures: readonly Receipt[] }>('/erasures')).body.data;
    expect(erasures[0]).to.deep.equal(body.data);
  });

  // A table that is added is erased from, or has nothing of a document: somebody has to say which.
  it('knows every table that there is', async () => {
    const erased = [
      'documents',
      'document_revisions',
      'document_files',
      'runs',
      'run_units',
      'run_files',
      'run_leases',
      'run_parts',
      'run_sheets',
      'source_items',
      'source_files',
      'conversations',
      'messages',
      'approvals',
      'sandbox_snapshots',
      'events',
      'webhook_deliveries',
      'webhook_attempts',
      'idempotency_keys',
      'idempotent_requests',
    ];
    const withoutContent = [
      'workspaces',
      'users',
      'identities',
      'sign_ins',
      'invitations',
      'api_keys',
      'oauth_grants',
      'oauth_records',
      'connections',
      'databases',
      'agents',
      'agent_versions',
      'webhooks',
      'budgets',
      'budget_events',
      'budget_reservations',
      'sources',
      'erasures',
      'upkeep_turns',
      'key_backfills',
      'uploads',
      'stored_bytes',
      'run_counts',
      'run_totals',
      'usage_entries',
      'usage_days',
      'audit_acts',
      'audit_entries',
      'audit_heads',
      'schema_migrations',
    ];
    const tables = await words.sql<{ name: string }>(
      `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition and c.relname <> all ($1)`,
      [[...erased, ...withoutContent, 'bills', 'entries']],
    );
    expect(tables.map(({ name }) => name)).to.deep.equal([]);
  });

  const read = async (content = 'Number: 4711', files?: readonly object[]) => {
    const uploaded = files ?? (await world.upload({ 'a.txt': content }));
    const run = await world.run(uploaded);
    const [document] = run.documents as readonly [ShownDocument];
    return { files: uploaded, run, document };
  };
  const codeOf = ({ status: answered, body }: { status: number; body: { code?: string } }) => [answered, body.code];

  it('needs an administrator, a reason and exactly one id of something that is there', async () => {
    const { document, run } = await read();
    expect(codeOf(await words.erase({ document_id: document.id }, bob))).to.deep.equal([403, 'admin_only']);
    expect((await world.call('/erasures', {}, bob)).status).to.equal(403);
    for (const body of [
      {},
      { document_id: document.id, run_id: run.id },
      { document_id: document.id, reason: ' ' },
      { document_id: 'x' },
    ])
      expect(codeOf(await words.erase(body)), JSON.stringify(body)).to.deep.equal([400, 'invalid_request']);
    for (const name of ['document_id', 'run_id', 'thread_id'])
      expect(codeOf(await words.erase({ [name]: anId() })), name).to.deep.equal([404, 'not_found']);
    expect(await words.status(`/documents/${document.id}`)).to.equal(200);
  });

  it('refuses what is held, with all that belongs to it, and what is not at rest', async () => {
    const { document, run } = await read();
    await world.call(`/documents/${document.id}/hold`, { method: 'PUT', body: { reason: 'So.' } });
    for (const body of [{ document_id: document.id }, { run_id: run.id }, { thread_id: document.conversation_id }])
      expect(codeOf(await words.erase(body)), JSON.stringify(body)).to.deep.equal([409, 'held']);
    await world.call(`/documents/${document.id}/hold`, { method: 'DELETE' });
    const states = [
      `update runs set completed_at = null where id = '${run.id}'`,
      `update documents set status = 'processing', lease_expires_at = now() + interval '1 hour' where id = '${document.id}'`,
      `update conversations set status = 'responding' where id = '${document.conversation_id}'`,
    ];
    const rest = [
      `update runs set completed_at = now() where id = '${run.id}'`,
      `update documents set status = 'ready', lease_expires_at = null where id = '${document.id}'`,
      `update conversations set status = 'idle' where id = '${document.conversation_id}'`,
    ];
    for (const [index, state] of states.entries()) {
      await words.sql(state);
      expect(codeOf(await words.erase({ document_id: document.id })), state).to.deep.equal([409, 'conflict']);
      await words.sql(rest[index] ?? '');
    }
    expect((await words.erase({ document_id: document.id })).status).to.equal(200);
  });

  it('waits for a run that takes its file meanwhile, and is refused until that has ended', async () => {
    const { document, run } = await read();
    await world.working(false);
    const client = await world.composition.database.pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query<{ id: string }>(
        `insert into runs (id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, files, trace_id, deadline_at)
          select gen_random_uuid(), workspace_id, agent_id, agent_version, user_id, origin, workflow_type, 'queued', false, files, trace_id, now() + interval '1 hour'
          from runs where id = $1 returning id`,
        [run.id],
      );
      await client.query(
        `insert into run_units (run_id, index, file_indexes, status) values ($1, 0, '{0}', 'queued')`,
        [rows[0]?.id],
      );
      const erasing = words.erase({ document_id: document.id });
      const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually(async () => (await words.sql(waits)).length > 0);
      await client.query('commit');
      expect(codeOf(await erasing)).to.deep.equal([409, 'conflict']);
      await world.working(true);
      const second = await world.ended(rows[0]?.id ?? '');
      expect((await words.erase({ document_id: document.id })).status).to.equal(200);
      for (const { id } of [run, second]) expect(await words.status(`/runs/${id}`)).to.equal(404);
    } finally {
      client.release();
      await world.working(true);
    }
  });

  it('leaves the other documents of a run, without what told of the one', async () => {
    const both = ['Ersteswort', 'Zweiteswort'].map((word) => word + Date.now()) as [string, string];
    const files = await world.upload(Object.fromEntries(both.map((word) => [`${word}.txt`, `Supplier: ${word}`])));
    const run = await world.run(files);
    const first = run.documents.find(({ name }) => name.includes(both[0]));
    expect((await words.erase({ document_id: first?.id })).status).to.equal(200);
    expect(await words.everywhere(both[0])).to.deep.equal(nowhere);
    const left = (await world.call<Ended>(`/runs/${run.id}`)).body.data;
    expect(left.documents.map(({ name }) => name)).to.deep.equal([`${both[1]}.txt`]);
    expect(left.conversations).to.have.length(1);
    const [document] = left.documents;
    const shown = (await world.call<ShownDocument & { document_data: object }>(`/documents/${document?.id}`)).body.data;
    expect(shown.document_data).to.include({ supplier: both[1] });
    expect((await world.call<readonly object[]>(`/documents/${document?.id}/files`)).status).to.equal(200);
  });

  it('takes a document along that was read from the same file, and what came by its conversation or its run', async () => {
    const { files, document } = await read();
    const again = await read('', files);
    expect((await words.erase({ thread_id: document.conversation_id })).status).to.equal(200);
    for (const gone of [document, again.document]) expect(await words.status(`/documents/${gone.id}`)).to.equal(404);
    const talk = await world.run([], { message: 'Hello', agent: 'Clerk' });
    const { body } = await words.erase({ run_id: talk.id });
    expect([body.data.run_id, body.data.document_id]).to.deep.equal([talk.id, null]);
    expect(await words.status(`/threads/${talk.conversations[0]?.id}`)).to.equal(404);
    const pages: string[] = [];
    let after = '';
    do {
      const page = (
        await world.call<{ erasures: readonly Receipt[]; next: string | null }>(`/erasures?limit=1${after}`)
      ).body.data;
      pages.push(...page.erasures.map(({ id }) => id));
      after = page.next === null ? '' : `&after=${encodeURIComponent(page.next)}`;
    } while (after !== '');
    expect(new Set(pages).size)
      .to.equal(pages.length)
      .and.equal((await words.sql('select from erasures')).length);
  });

  it('goes on by itself where the store is away, or its process has died', async () => {
    const { container } = world.composition;
    const [blobs, ledger] = [container.get(BlobStore), container.get(ErasureLedger)];
    const word = `Wegwort${Date.now()}`;
    const { document } = await read(`Supplier: ${word}`);
    const { write } = ledger;
    const away = async () => {
      throw new Error('The store is away.');
    };
    Object.assign(ledger, { write: away });
    const answer = await words.erase({ document_id: document.id });
    Object.assign(ledger, { write });
    expect([answer.status, answer.body.data.completed_at]).to.deep.equal([202, null]);
    expect(await words.status(`/documents/${document.id}`)).to.equal(404);
    expect(await words.inFiles(word)).to.not.deep.equal([]);
    const erasures = container.get(Erasures);
    expect(await erasures.resume(), 'another process is at it').to.equal(0);
    await words.sql(`update erasures set due_at = now() - interval '1 second'`);
    const { purge } = blobs;
    Object.assign(blobs, { purge: away });
    expect(await erasures.resume()).to.equal(0);
    Object.assign(blobs, { purge });
    await words.sql(`update erasures set due_at = now() - interval '1 second'`);
    expect(await erasures.resume(), logged.lines.at(-1)).to.equal(1);
    expect(await words.everywhere(word)).to.deep.equal({ ...nowhere, log: [] });
    const [receipt] = (await world.call<{ erasures: readonly Receipt[] }>('/erasures')).body.data.erasures;
    expect(receipt?.completed_at).to.be.a('string');
    expect(counts(receipt as Receipt)).to.deep.include({ files: [true, 0], events: [true, 0] });
  });

  it('counts all that went, also where its process ends before it can note it', async () => {
    const { document } = await read(`Supplier: Zählwort${Date.now()}`);
    const [before] = await words.sql<{ events: number }>(
      'select count(*)::int as events from events where document_id = $1 or run_id = (select run_id from documents where id = $1)',
      [document.id],
    );
    await words.sql(
      `create function ends() returns trigger language plpgsql as $$ begin raise 'the process ends'; end $$`,
    );
    await words.sql('create trigger ends before update of stores on erasures for each row execute function ends()');
    expect((await words.erase({ document_id: document.id })).body.data.completed_at).to.equal(null);
    await words.sql('drop function ends() cascade');
    await words.sql(`update erasures set due_at = now() - interval '1 second'`);
    expect(await world.composition.container.get(Erasures).resume()).to.equal(1);
    const [receipt] = (await world.call<{ erasures: readonly Receipt[] }>('/erasures')).body.data.erasures;
    expect(receipt?.stores.find(({ store }) => store === 'events')?.removed).to.equal(before?.events);
  });

  it('is done again in a database that lacks it, which does not serve before', async () => {
    const erasures = world.composition.container.get(Erasures);
    const word = `Backupwort${Date.now()}`;
    const { document, run } = await read(`Supplier: ${word}`);
    const tables = [
      'runs',
      'run_units',
      'run_files',
      'conversations',
      'messages',
      'documents',
      'document_revisions',
      'events',
    ];
    const stored = tables.map((name) => (name === 'documents' ? `select * from documents` : `select * from ${name}`));
    await words.sql('create schema backup');
    for (const [index, name] of tables.entries()) await words.sql(`create table backup.${name} as ${stored[index]}`);
    await words.erase({ document_id: document.id });
    await erasures.mustBeDone();
    // As a backup from before brings it back.
    await words.sql('update uploads set expired_at = null');
    for (const name of tables.filter((each) => each !== 'events')) {
      const columns = await words.sql<{ name: string }>(
        `select column_name as name from information_schema.columns where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
        [name],
      );
      const list = columns.map((each) => each.name).join(', ');
      await words.sql(`insert into ${name} (${list}) select ${list} from backup.${name} on conflict do nothing`);
    }
    await words.sql('drop schema backup cascade');
    await words.sql(`delete from erasures where subject_id = $1`, [document.id]);
    expect(await words.inDatabase(word)).to.not.deep.equal([]);
    await world.query(`update documents set hold_reason = 'So.', held_by = '{}', held_at = now() where id = $1`, [
      document.id,
    ]);
    const refused = await erasures.mustBeDone().catch((error: Error) => error.message);
    expect(refused).to.match(/^An erasure of .*run "portico erase --replay" before the server starts\.$/);
    expect((await erasures.replay()).map(({ subject }) => subject.id)).to.deep.equal([document.id]);
    await erasures.mustBeDone();
    expect(await words.everywhere(word)).to.deep.equal(nowhere);
    expect(await words.status(`/runs/${run.id}`)).to.equal(404);
    expect(await erasures.replay()).to.deep.equal([]);
  });
});
