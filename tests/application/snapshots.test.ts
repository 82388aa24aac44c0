import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { fileBlobs } from '../../src/adapters/files/store.ts';
import { conversationRepository } from '../../src/adapters/postgres/conversations.ts';
import { snapshotRepository } from '../../src/adapters/postgres/snapshots.ts';
import { uuidIds } from '../../src/adapters/system/ids.ts';
import type { Caller } from '../../src/application/caller.ts';
import { MAX_SNAPSHOT_BYTES, type SnapshotUpload, snapshotService } from '../../src/application/snapshots.ts';
import { aConversation, anId } from '../support/builders.ts';
import { usePostgres } from '../support/postgres.ts';

const nothing = { downloadUrl: null, sizeBytes: null, createdAt: null, expiresAt: null };

describe('sandbox snapshots', () => {
  const postgres = usePostgres();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portico-snapshots-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const made = async () => {
    const store = fileBlobs({
      folder,
      baseUrl: 'http://x.example',
      signingKey: new Uint8Array(32),
      maxBytes: 100,
      clock: { now: () => new Date() },
    });
    const { database } = postgres;
    const conversations = conversationRepository(database);
    const service = snapshotService({ conversations, snapshots: snapshotRepository(database), blobs: store, ids: uuidIds });
    const { id, user } = await aConversation(database);
    const who = { userId: user.id, workspaceId: user.workspaceId, email: user.email, role: 'admin' as const };
    const caller: Caller = { ...who, credential: { id: 'k', kind: 'api_key' }, scopes: null, boundToAgent: null };
    const upload = ({ uploadUrl, headers }: SnapshotUpload, size: number) =>
      store.accept({
        target: uploadUrl.replace('http://x.example', ''),
        contentType: headers['Content-Type'] ?? null,
        contentLength: size,
        body: Readable.from([new Uint8Array(size)]),
      });
    return { service, id, caller, upload };
  };

  it('are served from the newest whose upload is there', async () => {
    const { service, id, caller, upload } = await made();
    expect(await service.newest(caller, id)).to.deep.equal(nothing);
    const first = await service.create(caller, id, 7);
    expect(await service.newest(caller, id)).to.deep.equal(nothing);
    await upload(first, 7);
    expect(await service.newest(caller, id)).to.deep.include({ sizeBytes: 7, createdAt: first.createdAt });
    const second = await service.create(caller, id, 0);
    expect(await service.newest(caller, id)).to.include({ sizeBytes: 7 });
    await upload(second, 0);
    const newest = await service.newest(caller, id);
    expect(newest).to.deep.include({ sizeBytes: 0, createdAt: second.createdAt });
    expect(newest.downloadUrl).to.include(second.id);
  });

  it('take exactly the size that was said, also beyond what other uploads may have', async () => {
    const { service, id, caller, upload } = await made();
    const large = await service.create(caller, id, 5000);
    for (const wrong of [4999, 5001, 0]) {
      expect(await upload(large, wrong).catch((error: unknown) => error), `${wrong}`).to.have.property('kind');
      expect(await service.newest(caller, id)).to.deep.equal(nothing);
    }
    await upload(large, 5000);
    expect(await service.newest(caller, id)).to.include({ sizeBytes: 5000 });
    expect((await service.create(caller, id, MAX_SNAPSHOT_BYTES)).sizeBytes).to.equal(MAX_SNAPSHOT_BYTES);
  });

  it('are nothing to those who do not see the conversation, and not to be made by them or by viewers', async () => {
    const { service, id, caller, upload } = await made();
    await upload(await service.create(caller, id, 1), 1);
    const stranger = { ...caller, workspaceId: anId() };
    for (const [who, which] of [
      [stranger, id],
      [caller, anId()],
      [caller, 'no id'],
    ] as const) {
      expect(await service.newest(who, which)).to.deep.equal(nothing);
      expect(await service.create(who, which, 1).catch((error: unknown) => error)).to.include({ kind: 'not_found' });
    }
    const viewer = { ...caller, role: 'viewer' as const };
    expect(await service.newest(viewer, id)).to.include({ sizeBytes: 1 });
    expect(await service.create(viewer, id, 1).catch((error: unknown) => error)).to.include({ kind: 'forbidden' });
  });
});
