import { expect } from 'chai';
import { retentionBehind } from '../../src/adapters/postgres/repositories/retention-repository.ts';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { BlobStore } from '../../src/composition/modules/blobs.ts';
import { RetentionStore } from '../../src/composition/modules/postgres.ts';
import { Retention } from '../../src/composition/modules/worker.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { type Ended, openReadingWorld, type ReadingWorld } from './files-read.ts';

const file = (retention = '') => `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { number: { type: string } } }
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help. }
${retention}`;

const all = 'retention: { files: 90d, conversations: 1y, documents: 2y, runs: 3y }';
const nothing = { files: 0, conversations: 0, documents: 0, runs: 0 };

describe('retention', () => {
  let world: ReadingWorld;
  beforeEach(async () => {
    world = await openReadingWorld(file());
  });
  afterEach(() => world.stop());

  const apply = (text: string) =>
    world.composition.container
      .get(WorkspaceService)
      .apply(readWorkspaceFile(text, {}), { dryRun: false, prune: false });
  const retention = () => world.composition.container.get(Retention);
  const remove = async () => (await retention().removeAll())[0];
  const count = async () => (await retention().countAll())[0];
  const sql = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await world.composition.database.pool.query<Row>(text, [...values])).rows;
  const key = (files: readonly object[]) => (files[0] as { file_key: string }).file_key;
  const isThere = async (files: readonly object[]) =>
    (await world.composition.container.get(BlobStore).head(key(files))) !== null;
  const statusOf = async (path: string) => (await world.call(path)).status;
  const one = ({ documents, conversations }: Ended) => ({
    document: documents[0]?.id ?? '',
    conversation: conversations[0]?.id ?? '',
  });
  /** As if everything had happened so many days before. */
  const age = async (days: number) => {
    const earlier = (column: string) => `${column} = ${column} - interval '${days} days'`;
    await sql(`update uploads set ${earlier('taken_at')}`);
    await sql(`update documents set ${['created_at', 'updated_at'].map(earlier).join(', ')}`);
    await sql(`update conversations set ${['created_at', 'updated_at'].map(earlier).join(', ')}`);
    await sql(`update runs set ${['created_at', 'completed_at'].map(earlier).join(', ')}`);
  };
  const state = async (files: readonly object[], run: Ended) => {
    const { document, conversation } = one(run);
    return {
      file: await isThere(files),
      conversation: (await statusOf(`/threads/${conversation}`)) === 200,
      document: (await statusOf(`/documents/${document}`)) === 200,
      run: (await statusOf(`/runs/${run.id}`)) === 200,
    };
  };

  it('removes each kind when its time is over, and counts the same before', async () => {
    await apply(file(all));
    const files = await world.upload({ 'a.txt': 'Number: 4711' });
    const run = await world.run(files);
    expect(await remove()).to.deep.equal({ workspace: 'acme', ...nothing });
    const step = async (days: number, removed: object, left: object) => {
      await age(days);
      const expected = { workspace: 'acme', ...nothing, ...removed };
      expect(await count(), `${days} days more`).to.deep.equal(expected);
      expect(await state(files, run)).to.include({ run: true });
      expect(await remove()).to.deep.equal(expected);
      expect(await state(files, run)).to.deep.equal({
        file: false,
        conversation: false,
        document: false,
        run: false,
        ...left,
      });
      expect(await remove()).to.deep.equal({ workspace: 'acme', ...nothing });
    };
    await step(91, { files: 1 }, { conversation: true, document: true, run: true });
    await step(280, { conversations: 1 }, { document: true, run: true });
    const { conversations, documents } = (await world.call<Ended>(`/runs/${run.id}`)).body.data;
    expect([conversations, documents.length]).to.deep.equal([[], 1]);
    await step(365, { documents: 1 }, { run: true });
    await step(365, { runs: 1 }, {});
    for (const table of [
      'messages',
      'conversations',
      'documents',
      'document_revisions',
      'runs',
      'run_units',
      'run_files',
      'source_files',
    ])
      expect(await sql(`select * from ${table}`), table).to.deep.equal([]);
    expect((await world.call<{ total: number }>('/runs')).body.data.total).to.equal(0);
  });

  it('keeps for ever what is not named, and a run as long as its documents', async () => {
    await apply(file('retention: { runs: 1d }'));
    const files = await world.upload({ 'a.txt': 'Number: 4711' });
    const [run, talk] = [await world.run(files), await world.run([], { message: 'Hello', agent: 'Clerk' })];
    await age(9999);
    expect(await count()).to.deep.equal({ workspace: 'acme', ...nothing, runs: 1 });
    expect(await remove()).to.deep.equal({ workspace: 'acme', ...nothing, runs: 1 });
    expect(await state(files, run)).to.deep.equal({ file: true, conversation: true, document: true, run: true });
    expect(await statusOf(`/runs/${talk.id}`)).to.equal(404);
    expect(await statusOf(`/threads/${talk.conversations[0]?.id}`)).to.equal(404);
    await apply(file());
    expect(await retention().removeAll()).to.deep.equal([]);
  });

  it('empties the trash by the rule of documents', async () => {
    await apply(file(all));
    const run = await world.run(await world.upload({ 'a.txt': 'Number: 4711' }));
    await world.call(`/documents/${one(run).document}`, { method: 'DELETE' });
    await age(2 * 366);
    expect(await count()).to.include({ documents: 1 });
    expect(await remove()).to.include({ documents: 1 });
    expect(await sql('select id from documents')).to.deep.equal([]);
  });

  it('leaves what is held, waits for a decision, is read, or is posted, with its file, its conversation and its run', async () => {
    await apply(file('retention: { files: 1d, conversations: 1d, documents: 1d, runs: 1d }'));
    const states = {
      held: `hold_reason = 'So.', held_by = '{}', held_at = now()`,
      pending: `review_status = 'pending'`,
      extracting: `status = 'extracting'`,
      processing: `status = 'processing', lease_expires_at = now()`,
      'about to be posted': `post_at = now()`,
      'perhaps posted': 'attempted_revision = 1',
    };
    for (const [name, set] of Object.entries(states)) {
      const files = await world.upload({ 'a.txt': 'Number: 4711' });
      const run = await world.run(files);
      const { document } = one(run);
      await sql(`update documents set ${set} where id = $1`, [document]);
      await age(2);
      expect(await count(), name).to.deep.equal({ workspace: 'acme', ...nothing });
      expect(await remove(), name).to.deep.equal({ workspace: 'acme', ...nothing });
      expect(await state(files, run), name).to.deep.equal({
        file: true,
        conversation: true,
        document: true,
        run: true,
      });
      await sql(
        `update documents set status = 'ready', review_status = 'not_required', hold_reason = null, held_by = null, held_at = null,
          post_at = null, attempted_revision = null where id = $1`,
        [document],
      );
      expect(await remove(), name).to.deep.equal({
        workspace: 'acme',
        files: 1,
        conversations: 1,
        documents: 1,
        runs: 1,
      });
      expect(await state(files, run), name).to.deep.equal({
        file: false,
        conversation: false,
        document: false,
        run: false,
      });
    }
  });

  it('keeps a file that another run reads, and has none start with one that is gone', async () => {
    await apply(file('retention: { files: 1d }'));
    const files = await world.upload({ 'a.txt': 'Number: 4711' });
    await world.run(files);
    await age(2);
    await world.run(files);
    expect(await remove()).to.include({ files: 0 });
    await age(2);
    expect(await remove()).to.include({ files: 1 });
    const again = world.run(files);
    expect(await again.catch((error: Error) => error.message)).to.include('files[0].file_key');
  });

  it('goes on with the next ones where the oldest stay, and removes any number in small batches', async () => {
    await apply(file('retention: { documents: 1d }'));
    const run = await world.run(await world.upload({ 'a.txt': 'Number: 4711' }));
    const { document } = one(run);
    const copies = `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, review_status, created_at, updated_at)
      select gen_random_uuid(), workspace_id, run_id, agent_id, conversation_id, n::text, 'ready', case when n <= 250 then 'pending' else 'not_required' end,
        now() - interval '9 days' + n * interval '1 second', now() - interval '3 days' from documents, generate_series(1, 1000) n where id = $1`;
    await sql(copies, [document]);
    expect(await count()).to.include({ documents: 750 });
    expect(await remove()).to.include({ documents: 750 });
    expect(await sql('select count(*)::int from documents')).to.deep.equal([{ count: 251 }]);
  });

  it('is one process’s turn in a minute', async () => {
    const store = world.composition.container.get(RetentionStore);
    const turns = await Promise.all(Array.from({ length: 8 }, () => store.takeTurn()));
    expect(turns.filter((mine) => mine)).to.have.length(1);
    await sql(`update upkeep_turns set begun_at = begun_at - interval '1 minute'`);
    expect(await store.takeTurn()).to.equal(true);
  });

  it('is behind since it was done to its end last, and never where everything is kept', async () => {
    const behind = retentionBehind(world.composition.database);
    const store = world.composition.container.get(RetentionStore);
    await store.takeTurn();
    expect(await behind()).to.equal(null);
    await apply(file('retention: { runs: 1d }'));
    await sql(
      `update upkeep_turns set begun_at = begun_at - interval '1 hour', ended_at = ended_at - interval '1 hour'`,
    );
    expect(await store.takeTurn()).to.equal(true);
    expect(await behind()).to.be.above(3599);
    await remove();
    expect(await behind()).to.be.below(3000);
  });

  it('is in the audit log when it changes, and only then', async () => {
    const retain = { files: null, conversations: null, documents: null, runs: '7y' };
    for (const text of [file(), file('retention: { runs: 7y }'), file('retention: { runs: 7y }'), file()])
      await apply(text);
    const { entries } = (
      await world.call<{ entries: readonly { details: object }[] }>('/audit?action=retention.changed')
    ).body.data;
    expect(entries.map(({ details }) => details)).to.deep.equal([
      { from: null, to: retain },
      { from: retain, to: null },
    ]);
  });

  it('takes days, weeks, months and years, and nothing else', async () => {
    for (const duration of ['1d', '99999d', '12w', '9999m', '999y']) {
      await apply(file(`retention: { runs: ${duration} }`));
      expect(await remove(), duration).to.include(nothing);
      expect(await count(), duration).to.include(nothing);
    }
    for (const duration of ['0d', '90', '-1d', '1.5y', '1 y', '1000y', '1h', '90D'])
      expect(() => readWorkspaceFile(file(`retention: { runs: "${duration}" }`), {}), duration).to.throw(/retention/);
  });
});
