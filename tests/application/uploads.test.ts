import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { fileBlobs } from '../../src/adapters/files/store.ts';
import { agentRepository } from '../../src/adapters/postgres/repositories/agent-repository.ts';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import { storedObjects } from '../../src/adapters/postgres/repositories/stored-objects.ts';
import { uploadRepository } from '../../src/adapters/postgres/repositories/upload-repository.ts';
import { inProcessLimiter } from '../../src/adapters/rate-limiter/in-process.ts';
import { s3Blobs } from '../../src/adapters/s3/store.ts';
import { uuidIds } from '../../src/adapters/system/runtime.ts';
import { agentService } from '../../src/application/agents/agents.ts';
import { type BlobStore, besideKey } from '../../src/application/ports/blobs.ts';
import type { RunChanges } from '../../src/application/ports/queue.ts';
import { runService } from '../../src/application/runs/runs.ts';
import { type UploadUrl, uploadService } from '../../src/application/runs/uploads.ts';
import { storageService } from '../../src/application/storage/storage.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { containerS3, makeBucket, s3At } from '../support/backends.ts';
import { aUser, aWorkspace, storeUser } from '../support/builders.ts';
import { quiet } from '../support/log.ts';
import { usePostgres } from '../support/postgres.ts';

interface Store {
  readonly blobs: BlobStore;
  put(to: UploadUrl, bytes: number): Promise<void>;
}

const MAX_BYTES = 1000;
const thrown = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error as { code?: string; message: string; kind?: string },
  );

const uploadsOn = (storeOf: () => Store) => {
  const postgres = usePostgres();
  beforeEach(() => postgres.database.pool.query('truncate uploads, stored_bytes'));

  const made = async ({ bytes = 1_000_000, urls = 1000 } = {}) => {
    const { blobs: store, put } = storeOf();
    let weighed = 0;
    const blobs: BlobStore = {
      ...store,
      weigh(key) {
        weighed += 1;
        return store.weigh(key);
      },
    };
    const { database } = postgres;
    const { user, agent } = await aWorkspace(database);
    const limits = { maxUploadBytes: MAX_BYTES, workspaceStoredBytes: bytes, workspaceUploadUrls: urls };
    const repository = uploadRepository(database);
    const agents = agentService({ agents: agentRepository(database) });
    const storage = storageService({ objects: storedObjects(database), blobs, limits });
    const uploads = uploadService({ agents, uploads: repository, storage, blobs, ids: uuidIds, limits });
    const changes: RunChanges = { subscribe: () => () => undefined };
    const runLimits = { rateLimitRuns: 1_000_000, rateLimitWindowSeconds: 60, runDeadlineSeconds: 60 };
    const limiter = inProcessLimiter(performance);
    const runs = runService({
      runs: runRepository(database),
      agents,
      uploads,
      changes,
      ids: uuidIds,
      limiter,
      limits: runLimits,
    });
    const who = { userId: user.id, workspaceId: user.workspaceId, email: user.email, role: 'admin' as const };
    const caller: Caller = {
      ...who,
      credential: { id: 'k', kind: 'api_key' },
      door: 'api_key',
      signedInAt: null,
      scopes: null,
      boundToAgent: null,
    };
    const about = {
      agentId: agent.id,
      processTogether: false,
      userMessage: null,
      traceId: null,
      idempotency: null,
      counted: true,
    };
    return {
      removeUnused: uploads.removeUnused,
      measure: storage.measure,
      storage,
      blobs,
      put,
      issue: (count = 1, sizeBytes?: number, by = caller) =>
        uploads.createUrls(
          by,
          agent.id,
          Array.from({ length: count }, (_, index) => ({
            fileName: `${index}.txt`,
            contentType: 'text/plain',
            sizeBytes,
          })),
        ),
      async colleague(): Promise<Caller> {
        const other = aUser({ workspaceId: user.workspaceId });
        await storeUser(database, other);
        return { ...caller, userId: other.id, email: other.email };
      },
      pages: async () =>
        (
          await database.pool.query<{ bytes: string }>(
            `select sum(bytes) as bytes from stored_bytes where workspace_id = $1 and kind = 'pages'`,
            [user.workspaceId],
          )
        ).rows[0]?.bytes,
      start: (...files: readonly UploadUrl[]) =>
        runs.start(caller, {
          ...about,
          files: files.map(({ fileKey, fileName, contentType }) => ({ fileKey, fileName, contentType })),
        }),
      age: (hours: number) =>
        database.pool.query(
          `update uploads set created_at = created_at - $1 * interval '1 hour', expired_at = expired_at - $1 * interval '1 hour',
             url_ends_at = url_ends_at - $1 * interval '1 hour', due_at = due_at - $1 * interval '1 hour'`,
          [hours],
        ),
      weighed: () => weighed,
      rows: async () =>
        (await database.pool.query<{ count: number }>('select count(*)::int from uploads where taken_at is null'))
          .rows[0]?.count,
    };
  };

  const one = <T>([first]: readonly T[]): T => {
    if (first === undefined) throw new Error('there is none');
    return first;
  };

  it('removes what no run took within a day, and nothing that one took', async () => {
    const { issue, put, start, age, removeUnused, blobs, rows } = await made();
    const [taken, unused, never] = (await issue(3)) as [UploadUrl, UploadUrl, UploadUrl];
    for (const each of [taken, unused]) await put(each, 5);
    await start(taken);
    await age(23);
    expect(await removeUnused()).to.equal(0);
    await age(2);
    expect(await removeUnused()).to.equal(2);
    expect(await blobs.head(taken.fileKey)).to.include({ size: 5 });
    expect(await blobs.head(unused.fileKey)).to.equal(null);
    const refusal = await thrown(start(unused));
    expect(refusal?.message).to.match(/files\[0\]\.file_key names a file that has not been uploaded/);
    await age(2);
    await removeUnused();
    expect(await rows()).to.equal(0);
    expect(await blobs.head(never.fileKey)).to.equal(null);
    await start(taken);
  });

  it('removes what arrives for a snapshot that was removed, as long as an upload of one may take', async () => {
    const { storage, colleague, age, removeUnused, blobs, rows } = await made();
    const { workspaceId, userId } = await colleague();
    const key = `snapshots/${workspaceId}/${randomUUID()}/${randomUUID()}`;
    const granted = { workspaceId, userId, kind: 'snapshot', seconds: 3600, objects: [{ key, bytes: 5 }] } as const;
    await storage.grant(granted);
    await postgres.database.pool.query('update uploads set expired_at = now() where key = $1', [key]);
    await age(23);
    await removeUnused();
    await blobs.write(key, new Uint8Array(5), 'application/octet-stream');
    await age(3);
    await removeUnused();
    expect(await blobs.head(key)).to.equal(null);
    expect(await rows()).to.equal(0);
  });

  it('removes what arrives for a file after a run took it', async () => {
    const { issue, put, start, age, measure, blobs, rows } = await made();
    const file = one(await issue());
    await put(file, 5);
    await start(file);
    await thrown(put(file, 900));
    await age(3);
    await measure();
    expect(await blobs.weigh(file.fileKey)).to.deep.equal({ own: 5, beside: 0 });
    expect(await rows()).to.equal(0);
    await start(file);
  });

  it('removes what arrives again for an erased file, also by a PUT that ends after its URL', async () => {
    const { issue, put, start, age, removeUnused, blobs } = await made();
    const file = one(await issue());
    await put(file, 5);
    await start(file);
    await postgres.database.pool.query('update uploads set expired_at = now(), due_at = null');
    await blobs.purge(file.fileKey);
    await put(file, 5);
    expect((await thrown(start(file)))?.message).to.match(/names a file that is removed/);
    await age(1.5);
    await removeUnused();
    await put(file, 5).catch(() => {});
    await age(1.5);
    await removeUnused();
    expect(await blobs.weigh(file.fileKey)).to.deep.equal({ own: 0, beside: 0 });
    expect((await thrown(start(file)))?.message).to.match(/names a file that has not been uploaded/);
  });

  it('refuses a file that is larger than it may be, and keeps nothing of it', async () => {
    const { issue, put, start, blobs } = await made();
    const file = one(await issue());
    // Not every store looks at the size when the bytes arrive.
    const refused = await thrown(put(file, MAX_BYTES + 1));
    const { message = '' } = (await thrown(start(file))) ?? {};
    expect(message).to.match(refused ? /has not been uploaded/ : /names a file over 1000 bytes/);
    expect(await blobs.weigh(file.fileKey)).to.deep.equal({ own: 0, beside: 0 });
    await put(file, MAX_BYTES);
    await start(file);
  });

  it('refuses the run whose file is removed while it is started, and says which file it is', async () => {
    const { issue, put, start } = await made();
    const [kept, removed] = (await issue(2)) as [UploadUrl, UploadUrl];
    for (const each of [kept, removed]) await put(each, 5);
    const cleanup = await postgres.database.pool.connect();
    await cleanup.query('begin');
    await cleanup.query('update uploads set expired_at = now() where key = $1', [removed.fileKey]);
    const starting = thrown(start(kept, removed));
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await postgres.database.pool.query(waiting)).rowCount === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await cleanup.query('commit');
    cleanup.release();
    expect((await starting)?.message).to.match(
      /^files\[1\]\.file_key names a file that is removed, because no run took it within 24 hours/,
    );
    await start(kept);
  });

  it('never removes a file that a run takes at the same moment, with several processes', async () => {
    const { issue, put, start, age, removeUnused, blobs } = await made({ urls: 100_000 });
    const files = await issue(30);
    await Promise.all(files.map((file) => put(file, 3)));
    await age(25);
    const starts = files.map(async (file) => ({ file, refusal: await thrown(start(file)) }));
    await Promise.all([removeUnused(), removeUnused(), ...starts]);
    for (const { file, refusal } of await Promise.all(starts)) {
      if (refusal) expect(refusal.kind, refusal.message).to.equal('invalid');
      else expect(await blobs.head(file.fileKey), file.fileKey).to.include({ size: 3 });
    }
  });

  it('counts what a URL may bring while it works, and then what it brought', async () => {
    const { issue, put, start, age, measure } = await made({ bytes: 5000 });
    const [first, second] = (await issue(2)) as [UploadUrl, UploadUrl];
    expect(await thrown(issue()), 'half of it is 2500').to.include({ code: 'upload_quota_exceeded', kind: 'invalid' });
    for (const each of [first, second]) await put(each, 800);
    await age(1);
    await measure();
    const { message = '' } = (await thrown(issue())) ?? {};
    expect(message).to.match(
      /^Uploads of 1000 bytes, with the 1\.5 KiB of yours that are open or that no run took, are more than the 2\.4 KiB that you may have/,
    );
    expect(message).to.match(
      /has 0 bytes in files of runs, 1\.5 KiB in uploads that no run took, 0 bytes in snapshots, 0 bytes in images/,
    );
    await start(first);
    await measure();
    await issue();
    expect((await thrown(issue()))?.message).to.match(
      /has 800 bytes in files of runs, 800 bytes in uploads that no run took/,
    );
  });

  it('counts what was uploaded again over a file that was measured', async () => {
    const { issue, put, age, measure } = await made({ bytes: 3000 });
    const file = one(await issue());
    await put(file, 1);
    await measure();
    const refused = await thrown(put(file, 900));
    await age(1);
    await measure();
    // A store that keeps the first bytes has no more of them.
    if (refused) expect(await thrown(issue())).to.equal(null);
    else expect(await thrown(issue())).to.include({ code: 'upload_quota_exceeded' });
  });

  it('refuses more URLs at once than a user may have, whoever asks together', async () => {
    const { issue, age, removeUnused, start, put } = await made({ urls: 20 });
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => thrown(issue(4))));
    expect(outcomes.filter((outcome) => outcome === null)).to.have.length(2);
    for (const outcome of outcomes) if (outcome) expect(outcome).to.include({ code: 'upload_quota_exceeded' });
    const last = await issue(2);
    const { message = '' } = (await thrown(issue())) ?? {};
    expect(message).to.match(
      /^1 more upload URLs, with the 10 of yours that are open, are more than the 10 that you may have/,
    );
    await put(one(last), 1);
    await start(one(last));
    await issue();
    await age(25);
    await removeUnused();
    await issue(10);
  });

  it('forgets URLs that were not used when they end', async () => {
    const { issue, age } = await made({ urls: 20 });
    await issue(10);
    expect(await thrown(issue())).to.include({ code: 'upload_quota_exceeded' });
    await age(1);
    await issue(10);
  });

  it('leaves half of what is left to the others of the workspace', async () => {
    const { issue, colleague } = await made({ urls: 20, bytes: 12_000 });
    const other = await colleague();
    await issue(6);
    expect(await thrown(issue()), 'half of 12000 bytes').to.include({ code: 'upload_quota_exceeded' });
    await issue(3, undefined, other);
    expect(await thrown(issue(1, undefined, other)), 'half of 6000 bytes').to.include({
      code: 'upload_quota_exceeded',
    });
    await issue(4, 0, other);
    expect(await thrown(issue(1, 0, other)), 'half of 14 URLs').to.include({ code: 'upload_quota_exceeded' });
  });

  it('counts a size that is said, and takes no other', async () => {
    const { issue, put, start } = await made({ bytes: 3000 });
    expect((await thrown(issue(1, MAX_BYTES + 1)))?.message).to.equal('files[0].size_bytes must be at most 1000');
    const files = await issue(15, 100);
    expect(await thrown(issue(1, 1))).to.include({ code: 'upload_quota_exceeded' });
    const file = one(files);
    for (const bytes of [99, 101]) expect(await thrown(put(file, bytes)), `${bytes} bytes`).not.to.equal(null);
    await put(file, 100);
    await start(file);
    await issue(1, 1);
  });

  it('removes what is larger than it may be when it is weighed', async () => {
    const { issue, put, measure, blobs } = await made();
    const file = one(await issue());
    await thrown(put(file, MAX_BYTES + 1));
    await measure();
    expect(await blobs.weigh(file.fileKey)).to.deep.equal({ own: 0, beside: 0 });
  });

  it('counts what is kept of pages, and keeps no more of them without room', async () => {
    const { issue, put, start, age, measure, blobs, storage, pages } = await made({ bytes: 5000 });
    const file = one(await issue());
    await put(file, 500);
    await start(file);
    expect(await storage.hasRoom(file.fileKey)).to.equal(true);
    await blobs.write(besideKey(file.fileKey, 'page-1-64.png'), new Uint8Array(900), 'image/png');
    await age(1);
    await measure();
    expect(await pages()).to.equal('900');
    for (let page = 2; page < 7; page++)
      await blobs.write(besideKey(file.fileKey, `page-${page}-64.png`), new Uint8Array(900), 'image/png');
    expect(await storage.hasRoom(file.fileKey)).to.equal(true);
    await age(1);
    await measure();
    expect(await pages()).to.equal('5400');
    expect(await storage.hasRoom(file.fileKey)).to.equal(false);
    expect((await thrown(issue()))?.message).to.match(/500 bytes in files of runs, .* 5\.2 KiB in images of pages/);
  });

  it('is weighed by one of several processes, and soon again if that one ends', async () => {
    const { issue, measure, weighed, age } = await made();
    await issue(6);
    await Promise.all([measure(), measure(), measure()]);
    expect(weighed()).to.equal(6);
    await issue(1);
    const { rows } = await postgres.database.pool.query(
      `update uploads set due_at = now() + interval '1 minute' where due_at <= now() returning key`,
    );
    await measure();
    expect([rows.length, weighed()], 'another process has it').to.deep.equal([1, 6]);
    await age(1);
    await measure();
    expect(weighed()).to.equal(13);
  });

  it('does not look again at what can no longer change', async () => {
    const { issue, put, age, blobs, measure } = await made({ bytes: 3000 });
    const file = one(await issue());
    await put(file, 600);
    await age(3);
    await measure();
    expect(await thrown(issue())).to.include({ code: 'upload_quota_exceeded' });
    await blobs.remove(file.fileKey);
    await age(1);
    await measure();
    expect(await thrown(issue())).to.include({ code: 'upload_quota_exceeded' });
  });

  it('asks the store for nothing while URLs are made', async () => {
    const { issue, measure, weighed } = await made();
    await issue(3);
    await issue(3);
    expect(weighed()).to.equal(0);
    await measure();
    expect(weighed()).to.equal(6);
  });
};

describe('uploads', () => {
  describe('to files', () => {
    let folder: string;
    let store: Store;
    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'portico-uploads-'));
      const clock = { now: () => new Date() };
      const blobs = fileBlobs({
        folder,
        baseUrl: 'http://x.example',
        signingKey: new Uint8Array(32),
        maxBytes: MAX_BYTES,
        clock,
      });
      const put = ({ uploadUrl, contentType }: UploadUrl, bytes: number) => {
        const target = uploadUrl.replace('http://x.example', '');
        return blobs.accept({
          target,
          contentType,
          contentLength: bytes,
          body: Readable.from([new Uint8Array(bytes)]),
        });
      };
      store = { blobs, put };
    });
    after(() => rm(folder, { recursive: true, force: true }));
    uploadsOn(() => store);
  });

  describe(`to S3, on ${containerS3.name}`, () => {
    let blobs: ReturnType<typeof s3Blobs>;
    before(async function () {
      const url = await containerS3.url();
      if (url === null) return this.skip();
      const bucket = `portico-uploads-${randomUUID()}`;
      await makeBucket(url, bucket);
      blobs = s3Blobs({ ...s3At(url), bucket, maxBytes: MAX_BYTES, log: quiet });
    });
    after(() => blobs?.close());
    const put = async ({ uploadUrl, headers }: UploadUrl, bytes: number) => {
      const { status } = await fetch(uploadUrl, { method: 'PUT', headers, body: new Uint8Array(bytes) });
      expect(status).to.equal(200);
    };
    uploadsOn(() => ({ blobs, put }));
  });
});
