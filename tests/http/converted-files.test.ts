import { expect } from 'chai';
import { rowsOfPng } from '../../src/adapters/text/ocr/raster.ts';
import { besideKey } from '../../src/application/ports/blobs.ts';
import { type Portico, portico } from '../../src/client/portico.ts';
import { BlobStore } from '../../src/composition/modules/blobs.ts';
import { RunWorker } from '../../src/composition/modules/worker.ts';
import { bytes, pdfOfPages } from '../fixtures/text/files.ts';
import { gotenbergStandIn } from '../support/gotenberg-stand-in.ts';
import { aPlace, serveHere } from '../support/here.ts';

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
agents:
  - name: Reader
    workflow_type: document_extraction
    model: offline
    instructions: Read the letter.
    document_schema: { type: object, properties: { total: { type: number } } }
`;

describe('a file that a converter gave its pages', () => {
  let place: Awaited<ReturnType<typeof aPlace>>;
  let converter: Awaited<ReturnType<typeof gotenbergStandIn>>;
  let server: Awaited<ReturnType<typeof serveHere>>;
  let client: Portico;
  let agentId: string;
  let key: string;
  let pdf: Uint8Array;
  before(async () => {
    pdf = await pdfOfPages([[['Dear Ada,', 50, 780]], [['Total: 84.00', 50, 600]]]);
    [place, converter] = [await aPlace(), await gotenbergStandIn(pdf)];
    server = await serveHere({ ...place.settings, CONVERTER_URL: converter.url });
    agentId = (await server.apply(workspace))('agents', 'Reader');
    key = await server.key('ada@example.com');
    client = portico({ baseUrl: server.url, apiKey: key });
    server.container.get(RunWorker).start();
  });
  after(async () => {
    await server.container.get(RunWorker).stop(1000);
    await server.stop();
    await converter.close();
    await place.remove();
  });

  /** Its document, and the key of its file. */
  const read = async (name: string, words: string) => {
    const content = Uint8Array.from(bytes(`{\\rtf1\\ansi ${words}\\par}`));
    const files = await client.upload(agentId, [{ name, content }]);
    const params = { path: { agent_id: agentId } };
    const { id } = await client.post('/api/v1/agents/{agent_id}/run', { params, body: { files: [...files] } });
    const { documents } = await client.waitForRun(id);
    return { id: documents[0]?.id ?? '', fileKey: files[0]?.file_key ?? '' };
  };
  const get = (path: string, method = 'GET') =>
    fetch(`${server.url}/api/v1/documents/${path}`, { method, headers: { 'x-api-key': key } });
  const beside = (fileKey: string) => server.container.get(BlobStore).beside(fileKey);

  it('has the pages, words and images of its PDF, and is downloaded as it came', async () => {
    const { id, fileKey } = await read('letter.rtf', 'Dear Ada, Total: 84.00');
    const document = await client.get('/api/v1/documents/{id}', { params: { path: { id } } });
    expect(document.document_data).to.deep.equal({ total: 84 });
    expect(document.evidence['/total']).to.deep.include({ file_name: 'letter.rtf', page: 2 });
    expect(document.evidence['/total']?.boxes).to.have.length(1);

    const { files } = await client.get('/api/v1/documents/{id}/files', { params: { path: { id } } });
    const page = { width: 595, height: 842, source: 'text' };
    expect(files[0]).to.deep.include({
      file_name: 'letter.rtf',
      pages: [
        { page: 1, ...page },
        { page: 2, ...page },
      ],
    });
    expect(await (await fetch(files[0]?.download_url ?? '')).text()).to.match(/^\{\\rtf1/);
    const words = (await (await get(`${id}/files/0/pages/2/words`)).json()) as { data: { words: { text: string }[] } };
    expect(words.data.words.map(({ text }) => text)).to.deep.equal(['Total:', '84.00']);
    const image = await get(`${id}/files/0/pages/2?width=200`);
    expect(image.status).to.equal(200);
    expect(rowsOfPng(new Uint8Array(await image.arrayBuffer())).width).to.equal(200);

    expect(await server.container.get(BlobStore).read(besideKey(fileKey, 'converted.pdf'))).to.deep.equal(pdf);
    expect(
      converter.asked.map(({ name }) => name),
      'its pages are drawn from the PDF that is kept',
    ).to.deep.equal(['document.rtf']);
  });

  it('is gone with its document, and with its file goes the PDF', async () => {
    const { id, fileKey } = await read('other.rtf', 'Total: 84.00');
    const paths = [`${id}/files`, `${id}/files/0/pages/1?width=200`, `${id}/files/0/pages/1/words`];
    const statuses = async () => Promise.all(paths.map(async (path) => (await get(path)).status));
    expect(await statuses()).to.deep.equal([200, 200, 200]);
    expect((await get(id, 'DELETE')).status).to.equal(200);
    expect(await statuses()).to.deep.equal([404, 404, 404]);
    expect((await beside(fileKey)).map(({ name }) => name)).to.include.members(['converted.pdf', 'page-1-200.png']);
    await server.container.get(BlobStore).remove(fileKey);
    expect(await beside(fileKey)).to.deep.equal([]);
    expect(await server.container.get(BlobStore).read(besideKey(fileKey, 'converted.pdf'))).to.equal(null);
  });

  it('stays text where the converter fails', async () => {
    const { id, fileKey } = await read('crash.rtf', 'CRASH Total: 84.00');
    const document = await client.get('/api/v1/documents/{id}', { params: { path: { id } } });
    expect(document.document_data).to.deep.equal({ total: 84 });
    expect((await beside(fileKey)).map(({ name }) => name)).to.deep.equal(['text.txt']);
  });
});
