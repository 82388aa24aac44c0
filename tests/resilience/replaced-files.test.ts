import { createHash } from 'node:crypto';
import path from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { fileBlobs } from '../../src/adapters/files/store.ts';
import { systemClock } from '../../src/adapters/system/runtime.ts';
import { besideKey } from '../../src/application/ports/blobs.ts';
import { type Portico, portico } from '../../src/client/portico.ts';
import { email, invoicePdf } from '../fixtures/text/files.ts';
import { containerS3, makeBucket, s3At } from '../support/backends.ts';
import type { Environment } from '../support/program.ts';
import { aServer, demoKey, type Server } from '../support/server.ts';

const BUCKET = 'portico-replaced';
const PDF = 'application/pdf';

interface Store {
  readonly env: Environment;
  /** What a client is answered that PUTs other bytes to the URL of a file that a run took. */
  readonly refusal: number;
  /** Writes an object as who runs the store could, past every rule of Portico. */
  overwrite(server: Server, key: string, data: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

const localFiles = async (): Promise<Store> => ({
  env: {},
  refusal: 409,
  close: async () => {},
  async overwrite({ dataDir }, key, data) {
    const settings = { baseUrl: 'http://127.0.0.1', signingKey: new Uint8Array(32), maxBytes: 1e9, clock: systemClock };
    await fileBlobs({ folder: path.resolve(dataDir, 'files'), ...settings }).write(key, data, PDF);
  },
});

/** null where this machine cannot run it. */
const s3 = async (): Promise<Store | null> => {
  const url = await containerS3.url();
  if (url === null) return null;
  await makeBucket(url, BUCKET);
  const target = s3At(url);
  const admin = new S3Client({ ...target, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });
  const { accessKeyId, secretAccessKey } = target.credentials;
  return {
    env: {
      S3_BUCKET: BUCKET,
      S3_ENDPOINT: target.endpoint,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    // The store takes the bytes where no run looks for them.
    refusal: 200,
    overwrite: async (_, Key, Body) =>
      void (await admin.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body, ContentType: PDF }))),
    close: async () => admin.destroy(),
  };
};

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');

for (const [name, make] of [
  ['files under DATA_DIR', localFiles] as const,
  [`S3, on ${containerS3.name}`, s3] as const,
]) {
  describe(`the file behind a document, in ${name}`, function () {
    this.timeout(240_000);
    let store: Store;
    let server: Server;
    let client: Portico;
    let key: string;
    let agentId: string;
    let first: Uint8Array<ArrayBuffer>;
    let other: Uint8Array<ArrayBuffer>;

    before(async function () {
      const made = await make();
      if (!made) return this.skip();
      store = made;
      first = Uint8Array.from(await invoicePdf());
      other = Uint8Array.from([...first, 0x0a]);
      server = await aServer({ env: store.env });
      await server.start();
      key = await demoKey(server);
      client = portico({ baseUrl: server.baseUrl, apiKey: key });
      const { agents } = await client.get('/api/v1/agents');
      agentId = agents.find((agent) => agent.name === 'Invoice reader')?.id ?? '';
    });
    after(async () => {
      await server?.close();
      await store?.close();
    });

    /** As the specification says: a PUT with the Content-Type, and no other header. */
    const put = async (url: string, body: Uint8Array<ArrayBuffer>, type = PDF) => {
      const answer = await fetch(url, { method: 'PUT', headers: { 'Content-Type': type }, body });
      return { status: answer.status, text: await answer.text() };
    };

    const uploadUrl = async (name = 'invoice.pdf', type = PDF) => {
      const body = { files: [{ file_name: name, content_type: type }] };
      const options = { params: { path: { agent_id: agentId } }, body };
      const [file] = (await client.post('/api/v1/agents/{agent_id}/upload-urls', options)).files;
      if (!file) throw new Error('there is no URL');
      return file;
    };

    const ended = async (file: Awaited<ReturnType<typeof uploadUrl>>) => {
      const body = { files: [file], process_together: false };
      const run = await client.post('/api/v1/agents/{agent_id}/run', { params: { path: { agent_id: agentId } }, body });
      return client.waitForRun(run.id, { timeoutSeconds: 120 });
    };

    const get = (at: string) => fetch(`${server.baseUrl}/api/v1/documents/${at}`, { headers: { 'x-api-key': key } });
    const shown = ['files', 'files/0/pages/1', 'files/0/pages/1?width=64', 'files/0/pages/1/words'];

    const readDocument = async (content = first, name?: string, type?: string) => {
      const file = await uploadUrl(name, type);
      expect((await put(file.upload_url, content, type)).status).to.equal(200);
      const run = await ended(file);
      expect(run).to.include({ status: 'completed', error: null });
      return { file, id: run.documents[0]?.id ?? '' };
    };

    const downloaded = async (id: string) => {
      const { data } = (await (await get(`${id}/files`)).json()) as {
        data: { files: { download_url: string; sha256: string }[] };
      };
      const [listed] = data.files;
      expect(listed?.sha256).to.equal(sha256(first));
      return Buffer.from(await (await fetch(listed?.download_url ?? '')).arrayBuffer());
    };

    it('is not what a second PUT within the hour says', async () => {
      const { file, id } = await readDocument();
      const early = await get(`${id}/files`);
      const { data } = (await early.json()) as { data: { files: { download_url: string }[] } };
      for (const later of [other, Uint8Array.of(1, 2, 3)]) {
        const { status, text } = await put(file.upload_url, later);
        expect(status).to.equal(store.refusal);
        if (status === 409) {
          expect(JSON.parse(text)).to.include({ code: 'uploaded_already' });
          expect(text).to.match(/Another file was uploaded by this URL already, and stays as it is/);
        }
      }
      expect((await downloaded(id)).equals(first)).to.equal(true);
      const byTheUrlFromBefore = await fetch(data.files[0]?.download_url ?? '');
      expect(Buffer.from(await byTheUrlFromBefore.arrayBuffer()).equals(first)).to.equal(true);
      expect((await ended(file)).status, 'and a second run reads the same').to.equal('completed');
    });

    it('may be sent again by a client that lost the answer', async () => {
      const { file, id } = await readDocument();
      expect((await put(file.upload_url, first)).status).to.equal(200);
      expect((await downloaded(id)).equals(first)).to.equal(true);
    });

    it('holds what is attached to it, which is refused as well once the store has other bytes', async () => {
      const mail = email('See the invoice.', [{ name: 'attached.pdf', type: PDF, data: first }]);
      const { file, id } = await readDocument(Uint8Array.from(mail), 'mail.eml', 'message/rfc822');
      const { data } = (await (await get(`${id}/files`)).json()) as {
        data: { files: { file_name: string; sha256: string }[] };
      };
      expect(data.files.map((each) => [each.file_name, each.sha256])).to.deep.equal([
        ['mail.eml', sha256(mail)],
        ['attached.pdf', sha256(first)],
      ]);
      const ofAttached = ['files', 'files/1/pages/1', 'files/1/pages/1/words'];
      const statuses = async () =>
        (await Promise.all(ofAttached.map((at) => get(`${id}/${at}`)))).map(({ status }) => status);
      const isOther = async (key: string, then: Uint8Array, before: Uint8Array) => {
        expect(await statuses()).to.deep.equal([200, 200, 200]);
        await store.overwrite(server, key, then);
        expect(await statuses()).to.deep.equal([409, 409, 409]);
        await store.overwrite(server, key, before);
      };
      await isOther(besideKey(file.file_key, 'attachment-0'), other, first);
      await isOther(file.file_key, other, mail);
      expect(await statuses()).to.deep.equal([200, 200, 200]);
    });

    it('is refused everywhere once the store has other bytes, and is there again with the right ones', async () => {
      const { file, id } = await readDocument();
      for (const at of shown) expect((await get(`${id}/${at}`)).status, at).to.equal(200);
      await store.overwrite(server, file.file_key, other);
      for (const at of shown) {
        const answer = await get(`${id}/${at}`);
        expect(answer.status, at).to.equal(409);
        const { code, detail } = (await answer.json()) as { code: string; detail: string };
        expect(code).to.equal('file_changed');
        expect(detail).to.match(/^The file in the store is not the one that was read/);
      }
      const again = await ended(file);
      expect(again.status).to.equal('failed');
      expect(again.error).to.match(/^invoice\.pdf is not the file in the store that was read before/);
      await store.overwrite(server, file.file_key, first);
      for (const at of shown) expect((await get(`${id}/${at}`)).status, at).to.equal(200);
      expect((await downloaded(id)).equals(first)).to.equal(true);
    });
  });
}
