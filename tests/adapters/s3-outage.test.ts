import { randomBytes, randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import type { StartedTestContainer } from 'testcontainers';
import { s3Blobs } from '../../src/adapters/s3/store.ts';
import { controlOf, s3At, startS3 } from '../support/backends.ts';
import { quiet } from '../support/log.ts';

describe('files in S3, in a container that is paused', function () {
  this.timeout(90_000);
  const bucket = `portico-test-${randomUUID()}`;
  let container: StartedTestContainer;
  let docker: Awaited<ReturnType<typeof controlOf>>;
  let store: ReturnType<typeof s3Blobs>;

  before(async function () {
    const started = await startS3();
    if (!started) return this.skip();
    container = started.container;
    docker = await controlOf(container);
    const target = s3At(started.url);
    const admin = new S3Client({ ...target, forcePathStyle: true });
    await admin.send(new CreateBucketCommand({ Bucket: bucket }));
    admin.destroy();
    store = s3Blobs({ ...target, bucket, maxBytes: 5_000_000, log: quiet, timeouts: { answerMs: 1_500, silenceMs: 3_000 } });
  });
  after(async () => {
    await docker?.unpause();
    await store?.close();
    await container?.stop();
  });

  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof Error && 'kind' in error ? String(error.kind) : String(error)),
    );

  it('gives up what it asks for while the store is silent, signs URLs meanwhile, and goes on afterwards', async () => {
    const data = randomBytes(2_000_000);
    await store.write('kept', data, 'text/plain');
    await docker.pause();
    const asked = [store.head('kept'), store.read('kept'), store.write('other', data, 'text/plain'), store.remove('none')].map(outcome);
    const to = await store.presignPut('uploaded', { contentType: 'text/plain', size: null, expiresInSeconds: 600 });
    expect(await Promise.all(asked)).to.deep.equal(['unavailable', 'unavailable', 'unavailable', 'unavailable']);
    await docker.unpause();
    expect(Buffer.from((await store.read('kept')) ?? []).equals(data)).to.equal(true);
    expect((await fetch(to.url, { method: 'PUT', body: 'abc', headers: to.headers })).status).to.equal(200);
    expect(await store.head('uploaded')).to.deep.equal({ size: 3, contentType: 'text/plain' });
  });

  it('reads on where the store falls silent in the middle of a file for a moment', async () => {
    const data = randomBytes(4_000_000);
    await store.write('long', data, 'text/plain');
    const reading = store.read('long');
    await docker.pause();
    await docker.unpause();
    expect(Buffer.from((await reading) ?? []).equals(data)).to.equal(true);
  });
});
