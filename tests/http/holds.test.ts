import { expect } from 'chai';
import { SnapshotService } from '../../src/composition/modules/conversations.ts';
import { OperatedHolds } from '../../src/composition/modules/documents.ts';
import { DocumentRepository } from '../../src/composition/modules/postgres.ts';
import { openReadingWorld, type ReadingWorld, type ShownDocument } from './files-read.ts';

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { number: { type: string } } }
`;

describe('a document that is held', () => {
  let world: ReadingWorld;
  let ada: string;
  let bob: string;
  before(async () => {
    world = await openReadingWorld(workspace);
    [ada, bob] = [world.ada, await world.key({ email: 'bob@example.com' })];
  });
  after(() => world.stop());

  const call = <Data = ShownDocument>(path: string, request: Parameters<ReadingWorld['call']>[1] = {}, key = ada) =>
    world.call<Data>(path, request, key);
  const shown = async (id: string) => (await call(`/documents/${id}`)).body.data;
  const trashed = async (id: string) => {
    const path = `/documents?status=trashed&limit=100`;
    return (await call<{ documents: readonly ShownDocument[] }>(path)).body.data.documents.some(
      (each) => each.id === id,
    );
  };
  const read = async (trial = false) =>
    (await world.run(await world.upload({ 'a.txt': 'Number: 4711' }), { trial })).documents[0]?.id ?? '';
  const hold = (id: string, reason = 'A lawsuit.', key = ada) =>
    call(`/documents/${id}/hold`, { method: 'PUT', body: { reason } }, key);
  const codeOf = ({ status, body }: Awaited<ReturnType<typeof call>>) => [status, body.code];

  it('says why, by whom and since when, also in lists, and a second hold takes the place of the first', async () => {
    const id = await read();
    const before = await shown(id);
    expect(before.hold).to.equal(null);
    const { status, body } = await hold(id);
    expect(status).to.equal(200);
    expect(body.data.hold).to.deep.include({ reason: 'A lawsuit.', by: { name: 'Ada', email: 'ada@example.com' } });
    expect(await shown(id)).to.deep.equal(body.data);
    const again = (await hold(id, 'Another lawsuit.')).body.data.hold;
    expect(again?.reason).to.equal('Another lawsuit.');
    const { documents } = (await call<{ documents: readonly ShownDocument[] }>('/documents')).body.data;
    expect(documents.find((each) => each.id === id)?.hold).to.deep.equal(again);
    const released = await call(`/documents/${id}/hold`, { method: 'DELETE' });
    expect([released.status, released.body.data.hold]).to.deep.equal([200, null]);
    expect((await call(`/documents/${id}/hold`, { method: 'DELETE' })).body.data).to.deep.equal(released.body.data);
    const actions = async () =>
      (
        await call<{ entries: readonly { action: string; details: object }[] }>(`/audit?subject=${id}`)
      ).body.data.entries.map(({ action, details }) => [action, details]);
    expect(await actions()).to.deep.equal([
      ['document.held', { revision: 1 }],
      ['document.held', { revision: 1 }],
      ['document.released', { revision: 1 }],
    ]);
  });

  it('is held and let go by the operator, who sees those of all workspaces', async () => {
    const id = await read();
    const holds = world.composition.container.get(OperatedHolds);
    await holds.set(id, 'By order.');
    expect((await shown(id)).hold).to.deep.include({ reason: 'By order.', by: { name: 'the operator', email: '' } });
    const [listed] = await holds.list(1);
    expect(listed).to.deep.include({ id, workspace: 'acme', name: 'a.txt', reason: 'By order.' });
    await holds.release(id);
    expect((await shown(id)).hold).to.equal(null);
    expect((await holds.list(100)).map((each) => each.id)).to.not.include(id);
    const { entries } = (
      await call<{ entries: readonly { action: string; actor: { type: string } }[] }>(`/audit?subject=${id}`)
    ).body.data;
    expect(entries.map(({ action, actor }) => [action, actor.type])).to.deep.equal([
      ['document.held', 'operator'],
      ['document.released', 'operator'],
    ]);
    await call(`/documents/${id}`, { method: 'DELETE' });
    expect(await holds.set(id, 'Late.').catch((error: { code: string }) => error.code)).to.equal('not_found');
  });

  it('needs an administrator and a reason, and a document that is there', async () => {
    const id = await read();
    expect(codeOf(await hold(id, 'So.', bob))).to.deep.equal([403, 'admin_only']);
    expect(codeOf(await call(`/documents/${id}/hold`, { method: 'DELETE' }, bob))).to.deep.equal([403, 'admin_only']);
    expect((await shown(id)).hold).to.equal(null);
    for (const body of [{}, { reason: '' }, { reason: ' \n' }, { reason: 'x'.repeat(1001) }, { reason: null }]) {
      const refused = await call(`/documents/${id}/hold`, { method: 'PUT', body });
      expect([refused.status, refused.body.errors?.[0]?.path], JSON.stringify(body)).to.deep.equal([
        400,
        'body.reason',
      ]);
    }
    await call(`/documents/${id}`, { method: 'DELETE' });
    expect((await hold(id)).status).to.equal(404);
  });

  it('is not deleted by people, one by one or many at once, and is once the hold is lifted', async () => {
    const id = await read();
    await hold(id);
    expect(codeOf(await call(`/documents/${id}`, { method: 'DELETE' }, bob))).to.deep.equal([409, 'held']);
    expect(codeOf(await call(`/documents/${id}`, { method: 'DELETE' }))).to.deep.equal([409, 'held']);
    const items = [{ id, revision: 1 }];
    const { results } = (
      await call<{ results: readonly { error: { code: string } }[] }>('/documents/batch', {
        body: { action: 'trash', items },
      })
    ).body.data;
    expect(results[0]?.error.code).to.equal('held');
    expect((await shown(id)).status).to.equal('ready');
    await call(`/documents/${id}/hold`, { method: 'DELETE' });
    expect((await call(`/documents/${id}`, { method: 'DELETE' })).status).to.equal(200);
    expect(await trashed(id)).to.equal(true);
  });

  it('is not read again, and stays where the hold comes while it is', async () => {
    const id = await read();
    await hold(id);
    expect(codeOf(await call(`/documents/${id}/reread`, { body: {} }))).to.deep.equal([409, 'held']);
    await call(`/documents/${id}/hold`, { method: 'DELETE' });
    await world.working(false);
    const { body } = await call(`/documents/${id}/reread`, { body: {} });
    await hold(id);
    await world.working(true);
    const run = await world.ended(body.data.id);
    expect(run.documents.map(({ status }) => status)).to.deep.equal(['ready']);
    expect((await shown(id)).status).to.equal('ready');
  });

  it('stays when upkeep takes away what was only tried, and replaced snapshots of its conversation', async () => {
    const { container } = world.composition;
    const [held, free] = [await read(true), await read(true)];
    await hold(held);
    const removeUnused = () => container.get(SnapshotService).removeUnused();
    const snapshotOf = async (id: string, content: string) => {
      const { conversation_id: conversationId } = await shown(id);
      const { upload_url, headers } = (
        await call<{ upload_url: string; headers: Record<string, string> }>('/sandbox-snapshots', {
          body: { conversationId, sizeBytes: content.length },
        })
      ).body.data;
      expect((await fetch(upload_url, { method: 'PUT', headers, body: content })).ok).to.equal(true);
      await call(`/sandbox-snapshots?conversation_id=${conversationId}`);
    };
    for (const id of [held, free]) for (const content of ['one', 'second']) await snapshotOf(id, content);
    await world.query(`update sandbox_snapshots set superseded_at = superseded_at - interval '1 day'`);
    expect(await removeUnused()).to.equal(1);
    await world.query(`update runs set created_at = now() - interval '1 day' where trial`);
    expect(await container.get(DocumentRepository).trashTried()).to.equal(1);
    expect([await trashed(held), await trashed(free)]).to.deep.equal([false, true]);
    await call(`/documents/${held}/hold`, { method: 'DELETE' });
    expect(await removeUnused()).to.equal(1);
  });
});
