import { randomBytes, randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { s3Blobs } from '../../src/adapters/s3/store.ts';
import { besideKey, type Presigned } from '../../src/application/ports/blobs.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { blobStoreContract } from '../contracts/blob-store.ts';
import { containerS3, s3At } from '../support/backends.ts';
import { listen } from '../support/listen.ts';
import { quiet } from '../support/log.ts';

type Options = Parameters<typeof s3Blobs>[0];
type Store = ReturnType<typeof s3Blobs>;

const SECRET = 'not-to-be-seen';
const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const using = (options: Partial<Options>): Store => {
  const store = s3Blobs({ bucket: 'none', endpoint: null, region: null, maxBytes: 1_000_000, log: quiet, ...options });
  closers.push(() => store.close());
  return store;
};

const thrownBy = async (work: Promise<unknown>): Promise<Error> => {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Error)) throw new Error('nothing was thrown');
  return thrown;
};

/** A web server of one's own: its address. */
const serving = async (listener: RequestListener): Promise<string> => {
  const { baseUrl, stop } = await listen(listener);
  closers.push(stop);
  return baseUrl;
};

const upload = (to: Presigned, body: Uint8Array | string, headers: Readonly<Record<string, string>> = to.headers) =>
  fetch(to.url, { method: 'PUT', body: typeof body === 'string' ? body : new Uint8Array(body), headers }).then(
    ({ status }) => status,
  );

const wrongSettings = { accessKeyId: 'nobody', secretAccessKey: SECRET };

describe(`files in S3, on ${containerS3.name}`, () => {
  let target: ReturnType<typeof s3At>;
  let admin: S3Client;
  const bucket = `portico-test-${randomUUID()}`;

  before(async function () {
    const url = await containerS3.url();
    if (url === null) return this.skip();
    target = s3At(url);
    admin = new S3Client({ ...target, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });
    await admin.send(new CreateBucketCommand({ Bucket: bucket }));
  });
  after(() => admin?.destroy());

  const aStore = (options: Partial<Options> = {}) => using({ ...target, bucket, ...options });
  const aKey = () => `test/${randomUUID()}`;

  describe('as a port', () => {
    let store: Store;
    after(() => store?.close());
    blobStoreContract(async () => {
      store = s3Blobs({ ...target, bucket, maxBytes: 1_000_000, log: quiet });
      return { store, pass: (milliseconds) => setTimeout(milliseconds), enforcesMaxBytes: null };
    });
  });

  describe('in a bucket that keeps versions', () => {
    const versioned = `portico-versions-${randomUUID()}`;
    const locked = `portico-locked-${randomUUID()}`;
    before(async () => {
      await admin.send(new CreateBucketCommand({ Bucket: versioned }));
      const VersioningConfiguration = { Status: 'Enabled' } as const;
      await admin.send(new PutBucketVersioningCommand({ Bucket: versioned, VersioningConfiguration }));
      await admin.send(new CreateBucketCommand({ Bucket: locked, ObjectLockEnabledForBucket: true }));
    });

    const versions = async (Bucket: string, Prefix: string) => {
      const { Versions = [], DeleteMarkers = [] } = await admin.send(new ListObjectVersionsCommand({ Bucket, Prefix }));
      return { versions: Versions.map(({ Key }) => Key), marks: DeleteMarkers.map(({ Key }) => Key) };
    };
    const bytes = new TextEncoder().encode('a word');

    it('purges every version of an object and of what is beside it, with the marks of deletions, and nothing else', async () => {
      const store = aStore({ bucket: versioned });
      const [key, other] = [aKey(), aKey()];
      for (const each of [key, `${key}2`, other, besideKey(key, 'text.txt'), besideKey(`${key}2`, 'text.txt')])
        await store.write(each, bytes, 'text/plain');
      await store.write(key, new TextEncoder().encode('another word'), 'text/plain');
      expect(
        await upload(
          await store.presignPut(key, { contentType: 'text/plain', size: null, expiresInSeconds: 60, once: true }),
          'x',
        ),
      ).to.equal(200);
      await store.remove(key);
      await store.write(key, bytes, 'text/plain');
      const before = await versions(versioned, key);
      expect([before.versions.length, before.marks.length]).to.deep.equal([7, 3]);
      expect(await store.purge(key)).to.deep.equal({ removed: 8, isCertain: true });
      const left = [`${key}2`, besideKey(`${key}2`, 'text.txt')];
      expect(await versions(versioned, key)).to.deep.equal({ versions: left, marks: [] });
      expect((await versions(versioned, other)).versions).to.deep.equal([other]);
      expect(await store.purge(key)).to.deep.equal({ removed: 0, isCertain: true });
    });

    it('purges an object of which only a mark of deletion is shown, and more versions than one list has', async () => {
      const store = aStore({ bucket: versioned });
      const key = aKey();
      for (let done = 0; done < 1010; done += 101)
        await Promise.all(
          Array.from({ length: 101 }, () =>
            admin.send(new PutObjectCommand({ Bucket: versioned, Key: key, Body: 'x' })),
          ),
        );
      await admin.send(new DeleteObjectCommand({ Bucket: versioned, Key: key }));
      expect(await store.head(key)).to.equal(null);
      expect(await store.purge(key)).to.deep.equal({ removed: 1011, isCertain: true });
      expect(await versions(versioned, key)).to.deep.equal({ versions: [], marks: [] });
    });

    it('says that a version is left which the store keeps for its time', async () => {
      const store = aStore({ bucket: locked });
      const key = aKey();
      await store.write(key, bytes, 'text/plain');
      const ObjectLockRetainUntilDate = new Date(Date.now() + 86_400_000);
      const lock = { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate } as const;
      await admin.send(new PutObjectCommand({ Bucket: locked, Key: key, Body: 'x', ...lock }));
      expect(await store.purge(key)).to.deep.equal({ removed: 1, isCertain: false });
      expect((await versions(locked, key)).versions).to.deep.equal([key]);
    });
  });

  it('signs the content type and the size into the URL, and nothing the client cannot know', async () => {
    const to = await aStore().presignPut(aKey(), { contentType: 'text/plain', size: 3, expiresInSeconds: 60 });
    const query = new URL(to.url).searchParams;
    expect(query.get('X-Amz-SignedHeaders')).to.equal('content-length;content-type;host');
    expect(to.url)
      .not.to.match(/checksum|crc32/i)
      .and.not.to.contain(target.credentials.secretAccessKey);
  });

  it('returns exactly when a URL expires', async () => {
    const store = aStore();
    const signed = [
      await store.presignPut(aKey(), { contentType: 'text/plain', size: null, expiresInSeconds: 3600 }),
      await store.presignGet(aKey(), { expiresInSeconds: 77 }),
    ];
    for (const { url, expiresAt } of signed) {
      const query = new URL(url).searchParams;
      const begin = (query.get('X-Amz-Date') ?? '').replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
      expect(expiresAt.getTime()).to.equal(Date.parse(begin) + Number(query.get('X-Amz-Expires')) * 1000);
    }
  });

  it('signs URLs for the address that clients reach, and asks at its own', async () => {
    const publicEndpoint = target.endpoint.replace('127.0.0.1', 'localhost');
    expect(publicEndpoint).not.to.equal(target.endpoint);
    const store = aStore({ publicEndpoint });
    const [key, content] = [aKey(), randomBytes(100)];
    const to = await store.presignPut(key, { contentType: 'text/plain', size: 100, expiresInSeconds: 60 });
    expect(new URL(to.url).origin).to.equal(publicEndpoint);
    expect(await upload(to, content)).to.equal(200);
    expect(Buffer.from((await store.read(key)) ?? []).equals(content)).to.equal(true);
    const { url } = await store.presignGet(key, { expiresInSeconds: 60 });
    expect(new URL(url).origin).to.equal(publicEndpoint);
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(content)).to.equal(true);
    const elsewhere = url.replace(publicEndpoint, target.endpoint);
    expect((await fetch(elsewhere)).status, 'it is signed for that address alone').to.equal(403);
  });

  it('returns that a URL expires with the credentials that signed it', async () => {
    const expiration = new Date(Date.now() + 900_000);
    const store = aStore({ credentials: async () => ({ ...target.credentials, expiration }) });
    expect((await store.presignGet(aKey(), { expiresInSeconds: 3600 })).expiresAt).to.deep.equal(expiration);
    expect((await store.presignGet(aKey(), { expiresInSeconds: 60 })).expiresAt).to.be.below(expiration);
  });

  it('signs by the store’s clock where this machine’s is wrong', async () => {
    const real = Date;
    const store = aStore();
    const ahead = 20 * 60_000;
    globalThis.Date = class extends real {
      constructor(...args: [] | [number | string | Date]) {
        super(args.length === 0 ? real.now() + ahead : args[0]);
      }
      static override now() {
        return real.now() + ahead;
      }
    } as DateConstructor;
    try {
      await store.check();
      const key = aKey();
      const to = await store.presignPut(key, { contentType: 'text/plain', size: null, expiresInSeconds: 60 });
      expect(to.expiresAt.getTime()).to.be.below(real.now() + 61_000);
      expect(await upload(to, 'abc')).to.equal(200);
    } finally {
      globalThis.Date = real;
    }
  });

  it('keeps an upload of no bytes to no bytes', async () => {
    const store = aStore();
    const key = aKey();
    const to = await store.presignPut(key, { contentType: 'text/plain', size: 0, expiresInSeconds: 60 });
    expect(await upload(to, 'a')).to.equal(403);
    expect(await upload(to, '')).to.equal(200);
    expect(await store.head(key)).to.include({ size: 0, contentType: 'text/plain' });
  });

  it('signs a hundred URLs without blocking other work', async () => {
    const store = aStore();
    await store.presignGet(aKey(), { expiresInSeconds: 60 });
    let turns = 0;
    let done = false;
    const other = (async () => {
      for (; !done; turns++) await new Promise((resolve) => setImmediate(resolve));
    })();
    await Promise.all(Array.from({ length: 100 }, () => store.presignGet(aKey(), { expiresInSeconds: 60 })));
    done = true;
    await other;
    expect(turns).to.be.at.least(100);
  });

  it('neither reads nor writes more than it may', async () => {
    const store = aStore({ maxBytes: 1000 });
    const key = aKey();
    await admin.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: randomBytes(1001) }));
    const refused = [store.read(key), store.write(key, randomBytes(1001), 'text/plain')];
    for (const thrown of await Promise.all(refused.map(thrownBy)))
      expect(thrown).to.include({ kind: 'too_large', code: 'file_too_large' });
    expect(await store.head(key)).to.include({ size: 1001 });
    await store.write(key, randomBytes(1000), 'text/plain');
    expect(await store.read(key)).to.have.length(1000);
  });

  it('refuses a content type that could be more than one header', async () => {
    const store = aStore();
    for (const contentType of ['', 'text/plain\r\nX-Other: 1', 'ä', 'a'.repeat(256)]) {
      const attempts = [
        store.write(aKey(), new Uint8Array(), contentType),
        store.presignPut(aKey(), { contentType, size: null, expiresInSeconds: 60 }),
      ];
      for (const thrown of await Promise.all(attempts.map(thrownBy)))
        expect(thrown).to.include({ kind: 'invalid', code: 'invalid_content_type' });
    }
  });

  it('rejects with the reason of the signal that aborts the read', async () => {
    const store = aStore();
    const key = aKey();
    await store.write(key, randomBytes(500_000), 'text/plain');
    const stop = new AbortController();
    const reading = thrownBy(store.read(key, stop.signal));
    const reason = new Error('no longer wanted');
    stop.abort(reason);
    expect(await reading).to.equal(reason);
  });

  it('is content with a bucket that is there', () => aStore().check());

  const wrong: Readonly<Record<string, readonly [() => Partial<Options>, RegExp]>> = {
    'a bucket that is not there': [
      () => ({ bucket: 'no-such-bucket' }),
      /^S3_BUCKET: there is no bucket "no-such-bucket" at [\w.:]+\.$/,
    ],
    'an unknown access key': [
      () => ({ credentials: wrongSettings }),
      /^S3_BUCKET: the bucket "[\w-]+" at [\w.:]+ does not know the access key \(S3_ACCESS_KEY_ID\)\.$/,
    ],
    'a wrong secret key': [
      () => ({ credentials: { accessKeyId: target.credentials.accessKeyId, secretAccessKey: SECRET } }),
      /^S3_BUCKET: the bucket "[\w-]+" at [\w.:]+ refuses the secret key \(S3_SECRET_ACCESS_KEY\)\.$/,
    ],
    'an endpoint without a server': [
      () => ({ endpoint: 'http://127.0.0.1:9' }),
      /^S3_ENDPOINT: 127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\)\.$/,
    ],
    'an endpoint that has no address': [
      () => ({ endpoint: 'http://s3.invalid' }),
      /^S3_ENDPOINT: s3\.invalid cannot be reached \(E[A-Z_]+\)\.$/,
    ],
  };
  for (const [what, [options, expected]] of Object.entries(wrong)) {
    it(`refuses to start with ${what}, in one line without a secret`, async () => {
      const { message, stack, cause } = await thrownBy(aStore(options()).check());
      expect(message).to.match(expected);
      expect(`${message}${stack}${cause}`)
        .not.to.contain(SECRET)
        .and.not.to.contain(target.credentials.secretAccessKey);
    });
  }

  it('does not mistake a bucket that is gone for a file that is', async () => {
    const thrown = await thrownBy(aStore({ bucket: 'no-such-bucket' }).read(aKey()));
    expect(thrown).not.to.be.instanceOf(DomainError);
    expect(thrown.message).to.equal('the file store: 404 NoSuchBucket');
  });
});

describe('files in an S3 store that is out of order', () => {
  const credentials = { accessKeyId: 'key', secretAccessKey: SECRET };

  it('does not start with a web server that is no S3 store', async () => {
    const endpoint = await serving((_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Hello</html>'),
    );
    const { message } = await thrownBy(using({ endpoint, credentials, timeouts: { answerMs: 300 } }).check());
    expect(message).to.match(/^S3_ENDPOINT: 127\.0\.0\.1:\d+ does not answer as an S3 store does\.$/);
  });

  it('does not start with a bucket of another region, and names it', async () => {
    const body = '<Error><Code>PermanentRedirect</Code><Message>elsewhere</Message></Error>';
    const endpoint = await serving((_, response) =>
      response.writeHead(301, { 'x-amz-bucket-region': 'eu-west-1' }).end(body),
    );
    const { message } = await thrownBy(using({ endpoint, credentials, bucket: 'ours' }).check());
    expect(message).to.match(/^S3_REGION: the bucket "ours" at 127\.0\.0\.1:\d+ is in eu-west-1\.$/);
  });

  it('gives up the start with a store that is silent', async () => {
    const endpoint = await serving(() => {});
    const { message } = await thrownBy(using({ endpoint, credentials, timeouts: { answerMs: 300 } }).check());
    expect(message).to.match(/^S3_ENDPOINT: 127\.0\.0\.1:\d+ cannot be reached \(no answer in time\)\.$/);
  });

  it('gives up the start where looking for credentials takes for ever', async () => {
    const endpoint = await serving(() => {});
    const { message } = await thrownBy(
      using({ endpoint, credentials: () => new Promise(() => {}), timeouts: { checkMs: 500 } }).check(),
    );
    expect(message).to.match(/cannot be reached \(no answer in time\)\.$/);
  });

  it('reports only that the store cannot be reached', async () => {
    const down = using({ endpoint: 'http://127.0.0.1:9', credentials });
    const failing = using({ endpoint: await serving((_, response) => response.writeHead(503).end()), credentials });
    for (const store of [down, failing]) {
      const work = [
        store.head('a'),
        store.read('a'),
        store.write('a', new Uint8Array(3), 'text/plain'),
        store.remove('a'),
      ];
      for (const thrown of await Promise.all(work.map(thrownBy))) {
        expect(thrown).to.include({ kind: 'unavailable', code: 'upstream_unavailable' });
        expect(thrown.message).to.equal('The file store cannot be reached at the moment. Please try again.');
        expect(String(thrown.cause)).to.match(/^Error: the file store: (ECONNREFUSED|503 \w+)$/);
      }
    }
  });

  it('signs URLs all the same', async () => {
    const to = await using({ endpoint: 'http://127.0.0.1:9', credentials }).presignGet('a/b', { expiresInSeconds: 60 });
    expect(to.url).to.match(/^http:\/\/127\.0\.0\.1:9\/none\/a\/b\?/);
  });

  it('keeps a refusal for the log: it is not the caller’s error, and not an outage', async () => {
    const body = '<Error><Code>AccessDenied</Code><Message>not for you</Message></Error>';
    const store = using({ endpoint: await serving((_, response) => response.writeHead(403).end(body)), credentials });
    const thrown = await thrownBy(store.read('a'));
    expect(thrown).not.to.be.instanceOf(DomainError);
    expect(thrown.message).to.equal('the file store: 403 AccessDenied');
  });

  it('asks again where an answer was refused or broke off in the middle', async () => {
    let asked = 0;
    const endpoint = await serving((_, response) => {
      asked += 1;
      if (asked === 1) return response.writeHead(500).end();
      response.writeHead(200, { 'Content-Length': 6 });
      if (asked === 2) return response.write('abc', () => response.destroy());
      return response.end('abcdef');
    });
    expect(Buffer.from((await using({ endpoint, credentials }).read('a')) ?? []).toString()).to.equal('abcdef');
    expect(asked).to.equal(3);
  });

  it('never takes half an object for one', async () => {
    const endpoint = await serving((_, response) => {
      response.writeHead(200, { 'Content-Length': 6 });
      response.write('abc', () => response.destroy());
    });
    expect(await thrownBy(using({ endpoint, credentials }).read('a'))).to.include({ kind: 'unavailable' });
  });

  it('needs a region at AWS', async () => {
    const saved = { ...process.env };
    for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
    process.env.AWS_CONFIG_FILE = '/nowhere';
    process.env.AWS_SHARED_CREDENTIALS_FILE = '/nowhere';
    try {
      expect((await thrownBy(using({ credentials }).check())).message).to.match(/^S3_REGION is not set/);
    } finally {
      process.env = saved;
    }
  });
});
