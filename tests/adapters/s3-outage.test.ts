import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { s3Blobs } from '../../src/adapters/s3/store.ts';
import { containerS3, makeBucket, s3At } from '../support/backends.ts';
import { quiet } from '../support/log.ts';
import { wayTo } from '../support/way.ts';

describe(`files in S3, on ${containerS3.name} that stalls`, () => {
  const bucket = `portico-test-${randomUUID()}`;
  let way: Awaited<ReturnType<typeof wayTo>>;
  let store: ReturnType<typeof s3Blobs>;

  before(async function () {
    const url = await containerS3.url();
    if (url === null) return this.skip();
    await makeBucket(url, bucket);
    way = await wayTo(url);
    const target = s3At(way.url);
    store = s3Blobs({
      ...target,
      bucket,
      maxBytes: 5_000_000,
      log: quiet,
      timeouts: { answerMs: 1_500, silenceMs: 3_000 },
    });
  });
  after(async () => {
    await store?.close();
    way?.close();
  });

  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof Error && 'kind' in error ? String(error.kind) : String(error)),
    );

  it('gives up what it asks for while the store is silent, signs URLs meanwhile, and goes on afterwards', async () => {
    const data = randomBytes(2_000_000);
    await store.write('kept', data, 'text/plain');
    way.stall();
    const asked = [
      store.head('kept'),
      store.read('kept'),
      store.write('other', data, 'text/plain'),
      store.remove('none'),
    ].map(outcome);
    const to = await store.presignPut('uploaded', { contentType: 'text/plain', size: null, expiresInSeconds: 600 });
    expect(await Promise.all(asked)).to.deep.equal(['unavailable', 'unavailable', 'unavailable', 'unavailable']);
    way.goOn();
    expect(Buffer.from((await store.read('kept')) ?? []).equals(data)).to.equal(true);
    expect((await fetch(to.url, { method: 'PUT', body: 'abc', headers: to.headers })).status).to.equal(200);
    expect(await store.head('uploaded')).to.include({ size: 3, contentType: 'text/plain' });
  });

  it('reads on where the store falls silent in the middle of a file for a moment', async () => {
    const data = randomBytes(4_000_000);
    await store.write('long', data, 'text/plain');
    const stalled = way.stallAfter(data.length / 2);
    const reading = store.read('long');
    await stalled;
    await sleep(1_000);
    way.goOn();
    expect(Buffer.from((await reading) ?? []).equals(data)).to.equal(true);
  });
});
