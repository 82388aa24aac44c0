import { expect } from 'chai';
import { rowsOfPng } from '../../src/adapters/text/ocr/raster.ts';
import { composed } from '../support/composed.ts';
import type { Harness } from '../support/http.ts';

interface Listed {
  readonly index: number;
  readonly file_name: string;
  readonly size_bytes: number | null;
  readonly sha256: string | null;
  readonly pages: readonly object[];
  readonly download_url: string;
  readonly expires_at: string;
}

describe('the files of a document', () => {
  let server: Harness;
  let key: string;
  before(async () => {
    server = await composed();
    key = await server.key();
  });
  after(() => server.stop());

  const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    fetch(`${server.baseUrl}/api/v1/documents/${path}`, { method, headers: { 'x-api-key': key, ...headers } });
  const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];
  const aDocument = async () => (await server.request('listDocumentFiles')).params?.id ?? '';
  const filesOf = async (id: string) =>
    ((await (await get(`${id}/files`)).json()) as { data: { files: readonly Listed[] } }).data.files;

  it('are listed with their pages, and can be downloaded without a credential', async () => {
    const files = await filesOf(await aDocument());
    const [file] = files;
    if (!file) throw new Error('there is no file');
    const { download_url: url, expires_at: expiresAt, size_bytes: size, ...rest } = file;
    const page = { width: 595, height: 842, source: 'text' };
    expect(rest).to.deep.equal({
      index: 0,
      file_name: 'invoice.pdf',
      content_type: 'application/pdf',
      sha256: null,
      pages: [
        { page: 1, ...page },
        { page: 2, ...page },
      ],
    });
    expect(Date.parse(expiresAt) - Date.now()).to.be.within(800_000, 900_000);
    const got = await fetch(url);
    const bytes = Buffer.from(await got.arrayBuffer());
    expect([got.status, got.headers.get('content-type'), bytes.length]).to.deep.equal([200, 'application/pdf', size]);
    expect(bytes.subarray(0, 5).toString()).to.equal('%PDF-');
    expect(got.headers.get('content-disposition')).to.equal(
      `attachment; filename="invoice.pdf"; filename*=UTF-8''invoice.pdf`,
    );
    expect(got.headers.get('x-content-type-options')).to.equal('nosniff');
    expect((await fetch(`${url}x`)).status).to.equal(403);
  });

  it('are in the audit log as downloaded once their addresses were given out, without their names', async () => {
    const id = await aDocument();
    const entries = async () => {
      const answer = await fetch(`${server.baseUrl}/api/v1/audit?subject=${id}&limit=1000`, {
        headers: { 'x-api-key': key },
      });
      return ((await answer.json()) as { data: { entries: readonly { action: string; details: object }[] } }).data
        .entries;
    };
    const before = (await entries()).length;
    const shown = (await (await get(`${id}/files?download_urls=false`)).json()) as {
      data: { files: readonly object[] };
    };
    expect(shown.data.files[0]).to.deep.include({ file_name: 'invoice.pdf', download_url: null, expires_at: null });
    const files = await filesOf(id);
    await get(`${id}/files/0/pages/1/words`);
    const given = (await entries()).slice(before);
    expect(given.map(({ action, details }) => [action, details])).to.deep.equal([
      ['document.downloaded', { files: files.length }],
    ]);
    expect(JSON.stringify(given)).not.to.include('invoice.pdf');
  });

  it('of an e-mail are followed by what is attached to it, which has pages and words of its own', async () => {
    const id = await aDocument();
    const [file, mail, note, attached, ...others] = await filesOf(id);
    expect(mail).to.deep.include({ index: 1, file_name: 'mail.eml', pages: [] });
    expect(note).to.deep.include({ index: 2, file_name: 'note.txt', size_bytes: 9, pages: [] });
    expect(attached).to.deep.include({
      index: 3,
      file_name: 'attached.pdf',
      size_bytes: file?.size_bytes,
      pages: file?.pages,
    });
    expect(others).to.deep.equal([]);
    const downloaded = await fetch(attached?.download_url ?? '');
    expect(downloaded.headers.get('content-disposition')).to.match(/^attachment; filename="attached.pdf"/);
    expect((await downloaded.arrayBuffer()).byteLength).to.equal(file?.size_bytes);
    for (const path of ['pages/2?width=64', 'pages/2/words']) {
      const bodyOf = async (index: number) =>
        Buffer.from(await (await get(`${id}/files/${index}/${path}`)).arrayBuffer());
      expect((await bodyOf(3)).equals(await bodyOf(0)), path).to.equal(true);
    }
  });

  it('have pages as images, which clients may keep for an hour and check for less', async () => {
    const path = `${await aDocument()}/files/0/pages/2`;
    const answer = await get(path);
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([200, 'image/png']);
    expect(answer.headers.get('cache-control')).to.equal('private, max-age=3600');
    expect(answer.headers.get('vary'), 'for who asked').to.include('Authorization, X-API-Key');
    const { width, height } = rowsOfPng(new Uint8Array(await answer.arrayBuffer()));
    expect([width, height]).to.deep.equal([1200, 1698]);
    const etag = answer.headers.get('etag') ?? '';
    expect(etag).to.match(/^"[\w-]{27}"$/);
    const known = await get(path, { 'if-none-match': `"other", ${etag}` });
    expect([known.status, await known.text(), known.headers.get('cache-control')]).to.deep.equal([
      304,
      '',
      'private, max-age=3600',
    ]);
    expect((await get(`${path}?width=64`, { 'if-none-match': etag })).headers.get('etag')).not.to.equal(etag);
    const small = rowsOfPng(new Uint8Array(await (await get(`${path}?width=64`)).arrayBuffer()));
    expect(small.width).to.equal(64);
  });

  it('have their words with the places on the image, which clients may keep as well', async () => {
    const path = `${await aDocument()}/files/0/pages/2/words`;
    const answer = await get(path);
    expect([answer.status, answer.headers.get('cache-control')]).to.deep.equal([200, 'private, max-age=3600']);
    interface Word {
      readonly text: string;
      readonly y: number;
      readonly confidence: number | null;
    }
    const { data } = (await answer.json()) as { data: { page: number; source: string; words: readonly Word[] } };
    expect([data.page, data.source]).to.deep.equal([2, 'text']);
    expect(data.words.map(({ text }) => text).join(' ')).to.equal(
      'Payment terms: 30 days net IBAN: DE02 1203 0000 0000 2020 51',
    );
    expect(Object.keys(data.words[0] ?? {})).to.deep.equal(['text', 'x', 'y', 'width', 'height', 'confidence']);
    expect(data.words.every(({ y, confidence }) => y > 0 && y < 1 && confidence === null)).to.equal(true);
    const known = await get(path, { 'if-none-match': answer.headers.get('etag') ?? '' });
    expect([known.status, await known.text()]).to.deep.equal([304, '']);
  });

  it('have the text that was read of them, which clients may keep as well', async () => {
    const id = await aDocument();
    const textOf = async (index: number) => {
      const answer = await get(`${id}/files/${index}/text`);
      expect([answer.status, answer.headers.get('cache-control')]).to.deep.equal([200, 'private, max-age=3600']);
      return ((await answer.json()) as { data: { text: string; next: number | null } }).data;
    };
    expect((await textOf(1)).text).to.include('See the invoice.');
    expect(await textOf(2)).to.deep.equal({ text: 'Total: 12', next: null });
    expect((await textOf(0)).text).to.include('Payment terms: 30 days net');
    const later = await get(`${id}/files/2/text?from=7`);
    expect(await later.json()).to.deep.include({ data: { text: '12', next: null } });
    const known = await get(`${id}/files/2/text?from=7`, { 'if-none-match': later.headers.get('etag') ?? '' });
    expect([known.status, await known.text()]).to.deep.equal([304, '']);
    expect(await codeOf(await get(`${id}/files/2/text?from=-1`))).to.deep.equal([400, 'invalid_request']);
  });

  it('are not there without the document, the file or the page', async () => {
    const id = await aDocument();
    const notFound = [404, 'not_found'];
    for (const path of [
      `${id}/files/3/pages/3`,
      `${id}/files/4/pages/1`,
      `${id}/files/4/text`,
      `${id}/files/1/pages/1`,
      `${id}/files/0/pages/3`,
      `${id}/files/0/pages/100000`,
      `${id}/files/1/pages/1/words`,
      `${id}/files/0/pages/3/words`,
    ]) {
      expect(await codeOf(await get(path)), path).to.deep.equal(notFound);
    }
    expect(await codeOf(await get(`${id}/files/0/pages/1?width=63`))).to.deep.equal([400, 'invalid_request']);
    expect(await codeOf(await get(`${id}/files/0/pages/1?width=2401`))).to.deep.equal([400, 'invalid_request']);
    expect((await get(id, {}, 'DELETE')).status).to.equal(200);
    for (const path of [`${id}/files`, `${id}/files/0/pages/1`, `${id}/files/0/pages/1/words`, `${id}/files/0/text`])
      expect(await codeOf(await get(path)), path).to.deep.equal(notFound);
  });

  it('are none of a document without files', async () => {
    const { params } = await server.request('getDocument');
    expect(await filesOf(params?.id ?? '')).to.deep.equal([]);
    expect(await codeOf(await get(`${params?.id}/files/0/pages/1`))).to.deep.equal([404, 'not_found']);
  });
});
