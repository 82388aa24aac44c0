import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { fileBlobs } from '../../src/adapters/files/store.ts';
import { agentRepository } from '../../src/adapters/postgres/agents.ts';
import { runRepository } from '../../src/adapters/postgres/runs.ts';
import { uploadRepository } from '../../src/adapters/postgres/uploads.ts';
import { inProcessLimiter } from '../../src/adapters/rate-limiter/in-process.ts';
import { s3Blobs } from '../../src/adapters/s3/store.ts';
import { uuidIds } from '../../src/adapters/system/runtime.ts';
import type { Caller } from '../../src/application/access/caller.ts';
import { agentService } from '../../src/application/agents/agents.ts';
import type { BlobStore } from '../../src/application/ports/blobs.ts';
import type { RunChanges } from '../../src/application/ports/queue.ts';
import { runService } from '../../src/application/runs/runs.ts';
import { type UploadUrl, uploadService } from '../../src/application/runs/uploads.ts';
import { containerS3, makeBucket, s3At } from '../support/backends.ts';
import { aWorkspace } from '../support/builders.ts';
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
  beforeEach(() => postgres.database.pool.query('delete from uploads'));

  const made = async ({ bytes = 10_000, urls = 1000 } = {}) => {
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
    const limits = { maxUploadBytes: MAX_BYTES, workspaceUploadBytes: bytes, workspaceUploadUrls: urls };
    const repository = uploadRepository(database);
    const agents = agentService({ agents: agentRepository(database) });
    const uploads = uploadService({ agents, uploads: repository, blobs, ids: uuidIds, limits });
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
    const about = { agentId: agent.id, processTogether: false, userMessage: null, traceId: null, idempotency: null, counted: true };
    return {
      removeUnused: uploads.removeUnused,
      measure: uploads.measure,
      blobs,
      put,
      issue: (count = 1) =>
        uploads.createUrls(
          caller,
          agent.id,
          Array.from({ length: count }, (_, index) => ({ fileName: `${index}.txt`, contentType: 'text/plain' })),
        ),
      start: (...files: readonly UploadUrl[]) =>
        runs.start(caller, { ...about, files: files.map(({ fileKey, fileName, contentType }) => ({ fileKey, fileName, contentType })) }),
      age: (hours: number) =>
        database.pool.query(
          `update uploads set created_at = created_at - $1 * interval '1 hour', expired_at = expired_at - $1 * interval '1 hour',
             measured_at = measured_at - $1 * interval '1 hour'`,
          [hours],
        ),
      weighed: () => weighed,
      rows: async () => (await database.pool.query<{ count: number }>('select count(*)::int from uploads')).rows[0]?.count,
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
    expect(refusal?.message).to.match(/files\[0\]\.fileKey names a file that has not been uploaded/);
    await age(2);
    await removeUnused();
    expect(await rows()).to.equal(0);
    expect(await blobs.head(never.fileKey)).to.equal(null);
    await start(taken);
  });

  it('removes what arrives for a file after a run took it', async () => {
    const { issue, put, start, age, removeUnused, blobs, rows } = await made();
    const file = one(await issue());
    await put(file, 5);
    await start(file);
    await thrown(put(file, 900));
    await age(3);
    await removeUnused();
    expect(await blobs.weigh(file.fileKey)).to.deep.equal({ own: 5, beside: 0 });
    expect(await rows()).to.equal(0);
    await start(file);
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
    while ((await postgres.database.pool.query(waiting)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await cleanup.query('commit');
    cleanup.release();
    expect((await starting)?.message).to.match(/^files\[1\]\.fileKey names a file that is removed, because no run took it within 24 hours/);
    await start(kept);
  });

  it('never removes a file that a run takes at the same moment, with several processes', async () => {
    const { issue, put, start, age, removeUnused, blobs } = await made({ urls: 100_000, bytes: 1_000_000 });
    const files = await issue(60);
    await Promise.all(files.map((file) => put(file, 3)));
    await age(25);
    const starts = files.map(async (file) => ({ file, refusal: await thrown(start(file)) }));
    await Promise.all([removeUnused(), removeUnused(), ...starts]);
    for (const { file, refusal } of await Promise.all(starts)) {
      if (refusal) expect(refusal.kind, refusal.message).to.equal('invalid');
      else expect(await blobs.head(file.fileKey), file.fileKey).to.include({ size: 3 });
    }
  });

  it('refuses further URLs while a workspace has uploaded as much as it may and not used it', async () => {
    const { issue, put, start, age, measure } = await made({ bytes: 1500 });
    const [first, second] = (await issue(2)) as [UploadUrl, UploadUrl];
    await put(first, 800);
    await measure();
    await issue();
    await put(second, 800);
    await age(1);
    await measure();
    const refusal = await thrown(issue());
    expect(refusal).to.include({ code: 'upload_quota_exceeded', kind: 'invalid' });
    expect(refusal?.message).to.match(/^The workspace may have at most files of 1500 bytes that no run took\./);
    await start(first);
    await issue();
  });

  it('counts what was uploaded again over a file that was measured', async () => {
    const { issue, put, age, measure } = await made({ bytes: 500 });
    const file = one(await issue());
    await put(file, 1);
    await measure();
    const refused = await thrown(put(file, 900));
    await measure();
    await issue();
    await age(1);
    await measure();
    // A store that keeps the first bytes has no more of them.
    if (refused) expect(await thrown(issue())).to.equal(null);
    else expect(await thrown(issue())).to.include({ code: 'upload_quota_exceeded' });
  });

  it('refuses more URLs at once than a workspace may have, whoever asks together', async () => {
    const { issue, age, removeUnused, start, put } = await made({ urls: 10 });
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => thrown(issue(4))));
    expect(outcomes.filter((outcome) => outcome === null)).to.have.length(2);
    for (const outcome of outcomes) if (outcome) expect(outcome).to.include({ code: 'upload_quota_exceeded' });
    const last = await issue(2);
    expect(await thrown(issue())).to.include({ code: 'upload_quota_exceeded' });
    await put(one(last), 1);
    await start(one(last));
    await issue();
    await age(25);
    await removeUnused();
    await issue(10);
  });

  it('does not look again at what can no longer change', async () => {
    const { issue, put, age, blobs, measure } = await made({ bytes: 500 });
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
      const blobs = fileBlobs({ folder, baseUrl: 'http://x.example', signingKey: new Uint8Array(32), maxBytes: MAX_BYTES, clock });
      const put = ({ uploadUrl, contentType }: UploadUrl, bytes: number) => {
        const target = uploadUrl.replace('http://x.example', '');
        return blobs.accept({ target, contentType, contentLength: bytes, body: Readable.from([new Uint8Array(bytes)]) });
      };
      store = { blobs, put };
    });
    after(() => rm(folder, { recursive: true, force: true }));
    uploadsOn(() => store);
  });

  describe(`to S3, on ${containerS3.name}`, () => {
    let blobs: ReturnType<typeof s3Blobs>;
    before(async function () {
      this.timeout(120_000);
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
