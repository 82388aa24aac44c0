import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { fileBlobs } from '../../src/adapters/files/store.ts';
import { conversationRepository } from '../../src/adapters/postgres/repositories/conversation-repository.ts';
import { snapshotRepository } from '../../src/adapters/postgres/repositories/snapshot-repository.ts';
import { storedObjects } from '../../src/adapters/postgres/repositories/stored-objects.ts';
import { uuidIds } from '../../src/adapters/system/runtime.ts';
import {
  MAX_SNAPSHOT_BYTES,
  type SnapshotUpload,
  snapshotKey,
  snapshotService,
} from '../../src/application/snapshots/snapshots.ts';
import { type StorageService, storageService } from '../../src/application/storage/storage.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { DomainError } from '../../src/domain/errors.ts';
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
  beforeEach(() => postgres.database.pool.query('truncate sandbox_snapshots, uploads, stored_bytes'));

  const made = async (bytes = 1_000_000_000_000, over: Partial<StorageService> = {}) => {
    const store = fileBlobs({
      folder,
      baseUrl: 'http://x.example',
      signingKey: new Uint8Array(32),
      maxBytes: 100,
      clock: { now: () => new Date() },
    });
    const { database } = postgres;
    const conversations = conversationRepository(database);
    const snapshots = snapshotRepository(database);
    const limits = { maxUploadBytes: 100, workspaceStoredBytes: bytes, workspaceUploadUrls: 1000 };
    const storage = storageService({ objects: storedObjects(database), blobs: store, limits });
    const service = snapshotService({
      conversations,
      snapshots,
      storage: { ...storage, ...over },
      blobs: store,
      ids: uuidIds,
    });
    const { removeUnused } = service;
    const age = async (hours: number) => {
      await database.pool.query(
        `update uploads set url_ends_at = url_ends_at - $1 * interval '1 hour', due_at = due_at - $1 * interval '1 hour'`,
        [hours],
      );
      await database.pool.query(
        `update sandbox_snapshots set created_at = created_at - $1 * interval '1 hour', superseded_at = superseded_at - $1 * interval '1 hour'`,
        [hours],
      );
    };
    const { id, user } = await aConversation(database);
    const who = { userId: user.id, workspaceId: user.workspaceId, email: user.email, role: 'admin' as const };
    const caller: Caller = {
      ...who,
      credential: { id: 'k', kind: 'api_key' },
      door: 'api_key',
      signedInAt: null,
      scopes: null,
      boundToAgent: null,
    };
    const upload = ({ uploadUrl, headers }: SnapshotUpload, size: number) =>
      store.accept({
        target: uploadUrl.replace('http://x.example', ''),
        contentType: headers['Content-Type'] ?? null,
        contentLength: size,
        body: Readable.from([new Uint8Array(size)]),
      });
    const kept = async (created: SnapshotUpload) => (await store.head(snapshotKey(created))) !== null;
    return { service, id, caller, upload, removeUnused, age, kept, measure: storage.measure, grant: storage.grant };
  };

  it('leave nothing behind where the process ends once the room for one is granted', async () => {
    let granted = () => {};
    const isGranted = new Promise<void>((resolve) => {
      granted = resolve;
    });
    const { service, id, caller, age, removeUnused } = await made(1000, {
      grant: async (grant) => {
        await (await made(1000)).grant(grant);
        granted();
        // As far as a killed process comes.
        await new Promise(() => {});
      },
    });
    void service.create(caller, id, 7);
    await isGranted;
    await age(25);
    expect(await removeUnused()).to.equal(1);
    for (const table of ['uploads', 'sandbox_snapshots'])
      expect((await postgres.database.pool.query(`select from ${table}`)).rowCount, table).to.equal(0);
  });

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

  it('count in the quota of the workspace: while their URLs work, and once they are there', async () => {
    const { service, id, caller, upload, removeUnused, age, measure } = await made(1000);
    const refusal = (size: number) =>
      service.create(caller, id, size).then(
        () => null,
        (error: unknown) => error as DomainError,
      );
    const first = await service.create(caller, id, 400);
    expect(await refusal(101), 'half of 1000').to.include({ code: 'upload_quota_exceeded' });
    await upload(first, 400);
    await service.newest(caller, id);
    await measure();
    await age(1);
    expect(await refusal(301), 'half of 600').to.include({ code: 'upload_quota_exceeded' });
    expect((await refusal(301))?.message).to.match(/400 bytes in snapshots/);
    await service.create(caller, id, 300);
    expect(await refusal(1)).to.include({ code: 'upload_quota_exceeded' });
    await age(1);
    expect(await refusal(301), 'the second never came').to.include({ code: 'upload_quota_exceeded' });
    const third = await service.create(caller, id, 250);
    await upload(third, 250);
    await service.newest(caller, id);
    await age(3);
    await measure();
    await removeUnused();
    expect((await refusal(10_000))?.message, 'the first was replaced and removed').to.match(/250 bytes in snapshots/);
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

  it('are removed once they are replaced for longer than an address of theirs works, the newest never', async () => {
    const { service, id, caller, upload, removeUnused, age, kept } = await made();
    const first = await service.create(caller, id, 7);
    await upload(first, 7);
    await service.newest(caller, id);
    const second = await service.create(caller, id, 8);
    await upload(second, 8);
    await service.newest(caller, id);
    await age(1);
    expect(await removeUnused(), 'an address of the first may still work').to.equal(0);
    expect(await kept(first)).to.equal(true);
    await age(1.5);
    expect(await removeUnused()).to.equal(1);
    expect([await kept(first), await kept(second)]).to.deep.equal([false, true]);
    await age(1000);
    expect(await removeUnused()).to.equal(0);
    expect(await service.newest(caller, id)).to.include({ sizeBytes: 8 });
  });

  it('are forgotten where they were not uploaded within a day, and found where nobody asked for them', async () => {
    const { service, id, caller, upload, removeUnused, age, kept } = await made();
    const there = await service.create(caller, id, 7);
    const never = await service.create(caller, id, 8);
    await upload(there, 7);
    await age(23);
    expect(await removeUnused()).to.equal(0);
    await age(2);
    expect(await removeUnused()).to.equal(1);
    expect(await kept(there)).to.equal(true);
    expect(await service.newest(caller, id)).to.include({ sizeBytes: 7 });
    await upload(never, 8).catch(() => {});
    expect(await service.newest(caller, id)).to.include({ sizeBytes: 7 });
  });

  it('count no longer in the quota where their removal broke off, once it is done again', async () => {
    const breaksOff = () => Promise.reject(new Error('the process ends'));
    const { service, id, caller, upload, removeUnused, age, measure } = await made(1000, { remove: breaksOff });
    for (const size of [400, 100]) {
      await upload(await service.create(caller, id, size), size);
      await service.newest(caller, id);
    }
    await age(3);
    await measure();
    expect(await removeUnused().catch(({ message }: Error) => message)).to.equal('the process ends');
    const next = await made(1000);
    expect(await next.removeUnused()).to.equal(1);
    const refused = await service.create(caller, id, 10_000).catch((error: unknown) => error);
    expect((refused as DomainError).message).to.match(/100 bytes in snapshots/);
  });

  it('are removed some at a time, until none is left that can go', async () => {
    const { service, id, caller, removeUnused, age } = await made();
    for (let n = 0; n < 120; n += 1) await service.create(caller, id, 1);
    await age(25);
    const removed: number[] = [];
    for (;;) {
      const some = await removeUnused();
      if (some === 0) break;
      removed.push(some);
    }
    expect(Math.max(...removed)).to.be.lessThan(120);
    expect(removed.reduce((sum, some) => sum + some, 0)).to.equal(120);
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
