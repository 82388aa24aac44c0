import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type BlobStore, besideKey, type Presigned } from '../../src/application/ports/blobs.ts';
import { DomainError } from '../../src/domain/errors.ts';

export interface BlobStoreUnderTest {
  readonly store: BlobStore;
  /** Lets time pass for the store: at least this long. */
  pass(milliseconds: number): Promise<void>;
  /** The most bytes the store takes at a URL that names no size; null where it sets no bound of its own. */
  readonly enforcesMaxBytes: number | null;
}

interface Sent {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly disposition: string | undefined;
  readonly body: Buffer;
}

/** One request over HTTP, as little helped by a client library as can be. */
const send = (
  to: Presigned,
  headers: Readonly<Record<string, string>>,
  chunks: readonly Uint8Array[] = [],
  url = to.url,
): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const sending = request(url, { method: to.method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const { 'content-type': contentType, 'content-disposition': disposition } = response.headers;
        resolve({ status: response.statusCode ?? 0, contentType, disposition, body: Buffer.concat(parts) });
      });
    });
    sending.on('error', reject);
    for (const chunk of chunks) sending.write(chunk);
    sending.end();
  });

const put = (to: Presigned, data: Uint8Array, headers: Readonly<Record<string, string>> = to.headers) =>
  send(to, { ...headers, 'Content-Length': String(data.byteLength) }, data.byteLength === 0 ? [] : [data]);

const changed = (text: string, at: number) =>
  `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`;

const refusal = async (work: Promise<unknown>): Promise<DomainError> => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).to.be.instanceOf(DomainError);
  return thrown as DomainError;
};

/** Keys that would lead somewhere else, or nowhere, if a store took them for paths. */
const strangeKeys = [
  '',
  '.',
  '..',
  '../a',
  'a/../b',
  'a/..',
  './a',
  '/etc/passwd',
  'a//b',
  'a/',
  'a\0b',
  'a\\b',
  'C:\\a',
  'a b',
  'a?b',
  'a#b',
  'a%2e%2e',
  'ä',
  'a\nb',
  'a'.repeat(2000),
  'a.beside',
  'a.beside/B',
  'a.beside/b/c',
  'a.beside/b.beside/c',
];

/** Every BlobStore passes this, or it is not one. Its URLs are used over HTTP, as a client does. */
export const blobStoreContract = (make: () => Promise<BlobStoreUnderTest>) =>
  describe('BlobStore', () => {
    let store: BlobStore;
    let under: BlobStoreUnderTest;

    before(async () => {
      under = await make();
      store = under.store;
    });

    const aKey = () => `contract/${randomUUID()}/file.pdf`;
    const aPut = (key: string, terms: Partial<Parameters<BlobStore['presignPut']>[1]> = {}) =>
      store.presignPut(key, { contentType: 'application/pdf', size: null, expiresInSeconds: 3600, ...terms });

    it('keeps what was written: the bytes, their number, the content type', async () => {
      const key = aKey();
      const data = randomBytes(300_000);
      await store.write(key, data, 'application/pdf');
      expect(await store.head(key)).to.include({ size: 300_000, contentType: 'application/pdf' });
      expect(Buffer.from((await store.read(key)) ?? []).equals(data)).to.equal(true);
    });

    it('keeps what comes a chunk at a time, as often as it is read', async () => {
      const key = aKey();
      const data = randomBytes(900_000);
      async function* chunks() {
        for (let at = 0; at < data.length; at += 70_000) yield data.subarray(at, at + 70_000);
      }
      await store.write(key, { byteLength: data.byteLength, read: chunks }, 'application/pdf');
      expect(Buffer.from((await store.read(key)) ?? []).equals(data)).to.equal(true);
      expect(await store.head(key)).to.include({ size: data.byteLength, contentType: 'application/pdf' });
    });

    it('keeps an empty object', async () => {
      const key = aKey();
      await store.write(key, new Uint8Array(), 'text/plain');
      expect(await store.head(key)).to.include({ size: 0, contentType: 'text/plain' });
      expect(await store.read(key)).to.have.length(0);
    });

    it('knows nothing of a key that was never written', async () => {
      expect(await store.head(aKey())).to.equal(null);
      expect(await store.read(aKey())).to.equal(null);
      await store.remove(aKey());
      expect((await send(await store.presignGet(aKey(), { expiresInSeconds: 60 }), {})).status).to.equal(404);
    });

    it('removes an object', async () => {
      const key = aKey();
      await store.write(key, randomBytes(10), 'text/plain');
      await store.remove(key);
      expect(await store.head(key)).to.equal(null);
      expect(await store.read(key)).to.equal(null);
    });

    it('keeps objects beside another one, the earliest first, and removes them with it', async () => {
      const [key, other] = [aKey(), aKey()];
      await store.write(key, randomBytes(10), 'application/pdf');
      await store.write(other, randomBytes(10), 'application/pdf');
      expect(await store.beside(key)).to.deep.equal([]);
      const names = ['b.png', 'a.json', 'c-1.png'];
      for (const [index, name] of names.entries()) {
        // Stores keep the time to the second, and file systems to a few milliseconds.
        if (index > 0) await Promise.all([under.pass(1100), delay(20)]);
        await store.write(besideKey(key, name), Buffer.alloc(index + 1, index), 'image/png');
      }
      await store.write(besideKey(other, 'b.png'), Buffer.from('other'), 'image/png');
      expect(await store.beside(key)).to.deep.equal(names.map((name, index) => ({ name, size: index + 1 })));
      expect(Buffer.from((await store.read(besideKey(key, 'a.json'))) ?? [])).to.deep.equal(Buffer.from([1, 1]));
      await store.remove(besideKey(key, 'b.png'));
      expect((await store.beside(key)).map(({ name }) => name)).to.deep.equal(['a.json', 'c-1.png']);
      await store.remove(key);
      expect([await store.beside(key), await store.head(besideKey(key, 'a.json'))]).to.deep.equal([[], null]);
      expect(await store.head(besideKey(other, 'b.png'))).to.include({ size: 5 });
    });

    it('weighs an object with what is beside it and what arrived for it, and nothing else', async () => {
      const key = `contract/${randomUUID()}`;
      expect(await store.weigh(key)).to.deep.equal({ own: 0, beside: 0 });
      await put(await aPut(key, { once: true }), randomBytes(7));
      const { own, beside } = await store.weigh(key);
      expect(own + beside, 'before it is received').to.equal(7);
      await store.receive(key);
      await store.write(`${key}/other`, randomBytes(100), 'text/plain');
      await store.write(`${key}.other`, randomBytes(100), 'text/plain');
      expect(await store.weigh(key)).to.deep.equal({ own: 7, beside: 0 });
      for (const name of ['a.png', 'b.png']) await store.write(besideKey(key, name), randomBytes(20), 'image/png');
      expect(await store.weigh(key)).to.deep.equal({ own: 7, beside: 40 });
    });

    it('purges an object with what is beside it, and says how many there were', async () => {
      const key = aKey();
      await store.write(key, Buffer.from('a'), 'text/plain');
      await store.write(besideKey(key, 'b.png'), Buffer.from('b'), 'image/png');
      const { removed } = await store.purge(key);
      expect(removed).to.equal(2);
      expect([await store.head(key), await store.head(besideKey(key, 'b.png'))]).to.deep.equal([null, null]);
      expect((await store.purge(key)).removed).to.equal(0);
    });

    it('removes what is beside an object that is gone already', async () => {
      const key = aKey();
      await store.write(besideKey(key, 'a.png'), randomBytes(10), 'image/png');
      await store.remove(key);
      expect(await store.beside(key)).to.deep.equal([]);
    });

    it('has browsers save an object under the name that is asked for', async () => {
      const key = aKey();
      await store.write(key, Buffer.from('abc'), 'text/html');
      const fileName = 'Rechnung "Müller" 100% & Söhne; v1.html';
      const got = await send(await store.presignGet(key, { expiresInSeconds: 60, fileName }), {});
      const encoded = 'Rechnung%20%22M%C3%BCller%22%20100%25%20%26%20S%C3%B6hne%3B%20v1.html';
      expect(got).to.include({ status: 200, contentType: 'text/html' });
      expect(got.disposition).to.equal(
        `attachment; filename="Rechnung _M_ller_ 100_ & S_hne; v1.html"; filename*=UTF-8''${encoded}`,
      );
    });

    it('keeps keys apart that differ in case, or of which one begins the other', async () => {
      const key = `contract/${randomUUID()}`;
      const keys = [`${key}/a`, `${key}/A`, `${key}/a/b`, `${key}/a.b`];
      for (const each of keys) await store.write(each, Buffer.from(each), 'text/plain');
      for (const each of keys) expect(Buffer.from((await store.read(each)) ?? []).toString()).to.equal(each);
    });

    it('refuses a key that is none', async () => {
      for (const key of strangeKeys) {
        const attempts = [
          store.write(key, new Uint8Array(), 'text/plain'),
          store.read(key),
          store.head(key),
          store.remove(key),
          aPut(key),
        ];
        attempts.push(store.presignGet(key, { expiresInSeconds: 60 }));
        for (const attempt of attempts)
          expect(await refusal(attempt), JSON.stringify(key)).to.include({ kind: 'invalid', code: 'invalid_key' });
      }
    });

    it('stops reading when the signal aborts', async () => {
      const key = aKey();
      await store.write(key, randomBytes(10), 'text/plain');
      const reason = new Error('no longer wanted');
      const thrown = await store.read(key, AbortSignal.abort(reason)).catch((error: unknown) => error);
      expect(thrown).to.be.instanceOf(Error);
    });

    it('takes an upload at the URL it gave out, and gives it back at another', async () => {
      const key = aKey();
      const data = randomBytes(200_000);
      const to = await aPut(key);
      expect(to).to.include({ method: 'PUT' });
      expect(to.headers).to.deep.equal({ 'Content-Type': 'application/pdf' });
      expect(await store.head(key), 'before the upload').to.equal(null);
      expect((await put(to, data)).status).to.equal(200);
      expect(await store.head(key)).to.include({ size: 200_000, contentType: 'application/pdf' });
      const got = await send(await store.presignGet(key, { expiresInSeconds: 60 }), {});
      expect(got).to.include({ status: 200, contentType: 'application/pdf' });
      expect(got.body.equals(data)).to.equal(true);
    });

    it('returns when a URL expires, and refuses it from then on', async () => {
      const key = aKey();
      const put1 = await aPut(key, { expiresInSeconds: 1 });
      await store.write(`${key}.2`, randomBytes(5), 'text/plain');
      const get1 = await store.presignGet(`${key}.2`, { expiresInSeconds: 1 });
      expect(put1.expiresAt).to.be.instanceOf(Date);
      await under.pass(2100);
      expect((await put(put1, randomBytes(10))).status).to.equal(403);
      expect((await send(get1, {})).status).to.equal(403);
      expect(await store.head(key)).to.equal(null);
    });

    it('refuses a URL that was changed anywhere', async () => {
      const key = aKey();
      const to = await aPut(key, { size: 3 });
      const path = to.url.indexOf('contract/');
      for (let at = path; at < to.url.length; at += 3) {
        const { status } = await send(
          to,
          { ...to.headers, 'Content-Length': '3' },
          [Buffer.from('abc')],
          changed(to.url, at),
        );
        expect(status, changed(to.url, at)).to.be.within(400, 404);
      }
      expect(await store.head(key)).to.equal(null);
    });

    it('refuses a PUT at a URL for GET, and the reverse', async () => {
      const key = aKey();
      const get = await store.presignGet(key, { expiresInSeconds: 60 });
      const to = await aPut(key);
      expect(
        (
          await send({ ...get, method: 'PUT' }, { 'Content-Type': 'application/pdf', 'Content-Length': '1' }, [
            Buffer.from('a'),
          ])
        ).status,
      ).to.equal(403);
      await store.write(key, randomBytes(5), 'application/pdf');
      expect((await send({ ...to, method: 'GET' }, {})).status).to.equal(403);
    });

    it('refuses an upload of another content type, or of none', async () => {
      const key = aKey();
      const others: readonly Record<string, string>[] = [
        { 'Content-Type': 'text/html' },
        { 'Content-Type': 'application/pdf; x=1' },
        {},
      ];
      for (const headers of others) {
        expect((await put(await aPut(key), randomBytes(10), headers)).status, JSON.stringify(headers)).to.be.within(
          400,
          403,
        );
      }
      expect(await store.head(key)).to.equal(null);
    });

    it('takes content types with parameters', async () => {
      const key = aKey();
      const to = await aPut(key, { contentType: 'text/plain; charset="utf-8"' });
      expect((await put(to, Buffer.from('ä'))).status).to.equal(200);
      expect(await store.head(key)).to.include({ size: 2, contentType: 'text/plain; charset="utf-8"' });
    });

    it('takes exactly the size a URL was made for', async () => {
      const key = aKey();
      const to = await aPut(key, { size: 100 });
      expect((await put(to, randomBytes(101))).status, 'a byte more').to.be.within(400, 413);
      expect((await put(to, randomBytes(99))).status, 'a byte less').to.be.within(400, 413);
      expect(await store.head(key)).to.equal(null);
      expect((await put(to, randomBytes(100))).status).to.equal(200);
      expect(await store.head(key)).to.include({ size: 100 });
    });

    it('keeps nothing of an upload that breaks off', async () => {
      const key = aKey();
      const to = await aPut(key);
      await new Promise<void>((resolve) => {
        const sending = request(to.url, {
          method: 'PUT',
          headers: { ...to.headers, 'Content-Length': '200000' },
          agent: false,
        });
        sending.on('error', () => resolve());
        sending.write(randomBytes(100_000), () => setTimeout(() => sending.destroy(new Error('gone')), 50));
      });
      expect(await store.head(key)).to.equal(null);
      expect((await put(to, randomBytes(10))).status, 'the URL still works').to.equal(200);
    });

    const eightAtOnce = async (once: boolean) => {
      const key = aKey();
      const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(50_000 + index, index));
      const targets = await Promise.all(bodies.map((_, index) => aPut(key, { contentType: `text/x-${index}`, once })));
      const sent = await Promise.all(bodies.map((body, index) => put(targets[index] as Presigned, body)));
      if (once) await store.receive(key);
      const data = Buffer.from((await store.read(key)) ?? []);
      const winner = data[0] ?? 0;
      expect(data.equals(bodies[winner] ?? Buffer.alloc(0))).to.equal(true);
      expect(await store.head(key)).to.include({ size: 50_000 + winner, contentType: `text/x-${winner}` });
      return { statuses: sent.map(({ status }) => status), winner };
    };

    it('keeps one upload whole when several of one key arrive at once', async () => {
      expect((await eightAtOnce(false)).statuses).to.deep.equal(Array.from({ length: 8 }, () => 200));
    });

    it('keeps one whole of those that arrive at once for a key that takes one', async () => {
      const { statuses, winner } = await eightAtOnce(true);
      expect(statuses[winner]).to.equal(200);
      for (const status of statuses) expect(status).to.be.oneOf([200, 409]);
    });

    it('receives what arrived for a key that takes one, and no later PUT changes it', async () => {
      const key = aKey();
      expect(await store.receive(key), 'before anything arrived').to.equal(null);
      const to = await aPut(key, { once: true });
      expect(to.headers, 'a client sends what it always sends').to.deep.equal({ 'Content-Type': 'application/pdf' });
      const [first, second] = [randomBytes(1000), randomBytes(1000)];
      expect((await put(to, first)).status).to.equal(200);
      expect(await store.receive(key)).to.include({ size: 1000, contentType: 'application/pdf' });
      const found = await store.head(key);
      for (const later of [second, randomBytes(999), Buffer.alloc(0)]) {
        expect((await put(to, later)).status).to.be.oneOf([200, 409]);
        expect(await store.receive(key)).to.deep.equal(found);
        expect(Buffer.from((await store.read(key)) ?? []).equals(first)).to.equal(true);
        const got = await send(await store.presignGet(key, { expiresInSeconds: 60 }), {});
        expect(got.body.equals(first), 'nor what is downloaded').to.equal(true);
      }
      await store.remove(key);
      expect(await store.receive(key), 'what arrived later goes with it').to.equal(null);
    });

    it('takes the same bytes again, for a client that lost the answer', async () => {
      const key = aKey();
      const to = await aPut(key, { once: true });
      const data = randomBytes(70_000);
      expect((await put(to, data)).status).to.equal(200);
      expect((await put(to, data)).status).to.equal(200);
      await store.receive(key);
      expect((await put(to, data)).status).to.equal(200);
      expect(Buffer.from((await store.read(key)) ?? []).equals(data)).to.equal(true);
    });

    it('receives once when it is asked several times at once', async () => {
      const key = aKey();
      expect((await put(await aPut(key, { once: true }), Buffer.from('abc'))).status).to.equal(200);
      const received = await Promise.all(Array.from({ length: 5 }, () => store.receive(key)));
      for (const each of received) expect(each).to.include({ size: 3 });
      expect(Buffer.from((await store.read(key)) ?? []).toString()).to.equal('abc');
    });

    it('has another version of an object that was written again', async () => {
      const key = aKey();
      await store.write(key, Buffer.from('abc'), 'text/plain');
      const { version } = (await store.head(key)) ?? {};
      expect((await store.head(key))?.version).to.equal(version);
      await store.write(key, Buffer.from('abd'), 'text/plain');
      expect((await store.head(key))?.version).not.to.equal(version);
    });

    it('leaves what was there when a later upload is refused', async () => {
      const key = aKey();
      await store.write(key, Buffer.from('first'), 'application/pdf');
      expect((await put(await aPut(key, { size: 3 }), randomBytes(4))).status).to.be.within(400, 413);
      expect(Buffer.from((await store.read(key)) ?? []).toString()).to.equal('first');
    });

    it('signs a URL for a size above the limit of files, because its caller has decided on the size', async () => {
      const size = (under.enforcesMaxBytes ?? 104_857_600) + 1;
      expect((await aPut(aKey(), { size })).method).to.equal('PUT');
      expect((await aPut(aKey(), { size: 5 * 1024 ** 3 })).method).to.equal('PUT');
    });

    it('refuses more bytes than it takes, also when they come unannounced', async () => {
      const most = under.enforcesMaxBytes;
      if (most === null) return;
      const key = aKey();
      const to = await aPut(key);
      expect((await put(to, randomBytes(most + 1))).status).to.equal(413);
      const unannounced = send(to, { ...to.headers, 'Transfer-Encoding': 'chunked' }, [
        randomBytes(most),
        randomBytes(1),
      ]);
      expect((await unannounced).status).to.equal(413);
      expect(await store.head(key)).to.equal(null);
      expect((await put(to, randomBytes(most))).status, 'exactly that many').to.equal(200);
      expect(await refusal(store.write(key, randomBytes(most + 1), 'text/plain'))).to.include({ kind: 'too_large' });
    });
  });
