import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { rowsOfPng } from '../../src/adapters/text/ocr/raster.ts';
import { RunWorker } from '../../src/composition/modules/worker.ts';
import { email } from '../fixtures/text/files.ts';
import { sendToApi } from '../support/api.ts';
import { bundleOf, simplePaper } from '../support/bundles.ts';
import { aPlace, serveHere } from '../support/here.ts';

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
agents:
  - name: Invoice reader
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { total: { type: [number, "null"] } } }
  - name: Post room
    workflow_type: document_routing
    model: offline
    instructions: Divide what comes in.
    visible_to: [ada@example.com]
    parts:
      - { name: invoice, agent: Invoice reader, description: Invoices }
`;

interface Part {
  readonly file_name: string;
  readonly pages: readonly number[];
  readonly document_id: string | null;
  readonly status: string;
}

interface Listed {
  readonly index: number;
  readonly file_name: string;
  readonly pages: readonly { readonly page: number; readonly width: number; readonly height: number }[];
  readonly blank: readonly number[];
  readonly download_url?: string | null;
}

describe('the files of a run that divides them', () => {
  let place: Awaited<ReturnType<typeof aPlace>>;
  let server: Awaited<ReturnType<typeof serveHere>>;
  let [ada, bob] = ['', ''];
  let runId: string;
  let parts: readonly Part[];

  const call = async <T>(path: string, as: string, body?: object) => {
    const answer = await sendToApi(server.url, as, path, body ? { body } : {});
    const { data } = (await answer.json()) as { data: T };
    return { status: answer.status, data };
  };
  const image = (path: string, as = ada) => sendToApi(server.url, as, path);

  before(async () => {
    place = await aPlace();
    server = await serveHere(place.settings);
    const idOf = await server.apply(workspace);
    [ada, bob] = [await server.key('ada@example.com'), await server.key('bob@example.com')];
    server.container.get(RunWorker).start();
    const papers = [await simplePaper('Invoice', 'RE-1', { pages: 2 }), await simplePaper('Invoice', 'RE-2')];
    const pages = [
      { of: 0, page: 1 },
      { of: null, page: 1 },
      { of: 1, page: 1, turned: 90 },
      { of: 0, page: 2 },
    ];
    const bundle = await bundleOf(papers, pages);
    const attached = { name: 'late.pdf', type: 'application/pdf', data: papers[1] as Uint8Array };
    const sent = [
      { file_name: 'mail.eml', content_type: 'message/rfc822', data: email('See the invoice.', [attached]) },
      { file_name: 'bundle.pdf', content_type: 'application/pdf', data: bundle },
    ];
    const agent = `/agents/${idOf('agents', 'Post room')}`;
    const { data } = await call<{ files: { upload_url: string; headers: Record<string, string> }[] }>(
      `${agent}/upload-urls`,
      ada,
      { files: sent.map(({ data: _, ...file }) => file) },
    );
    for (const [index, { upload_url: url, headers }] of data.files.entries())
      await fetch(url, { method: 'PUT', headers, body: sent[index]?.data as Uint8Array<ArrayBuffer> });
    runId = (await call<{ id: string }>(`${agent}/run`, ada, { files: data.files })).data.id;
    for (;;) {
      const { data: run } = await call<{ status: string; parts: readonly Part[] }>(`/runs/${runId}`, ada);
      parts = run.parts;
      if (run.status === 'completed') break;
      if (run.status === 'failed') throw new Error(JSON.stringify(run));
      await sleep(50);
    }
  });
  after(async () => {
    await server.container.get(RunWorker).stop(1000);
    await server.stop();
    await place.remove();
  });

  const partOf = (name: string, page?: number) => {
    const found = parts.find((each) => each.file_name === name && (page === undefined || each.pages.includes(page)));
    if (!found?.document_id) throw new Error(`no part of ${name}: ${JSON.stringify(parts)}`);
    return found;
  };

  it('are listed under the names of the parts, with their pages and which of them are blank', async () => {
    const { data } = await call<{ files: readonly Listed[] }>(`/runs/${runId}/files`, ada);
    const shown = data.files.map(({ file_name: name, pages, blank }) => [name, pages.map(({ page }) => page), blank]);
    expect(shown).to.deep.equal([
      ['mail.eml', [], []],
      ['mail.eml › late.pdf', [1], []],
      ['bundle.pdf', [1, 2, 3, 4], [2]],
    ]);
    const turned = data.files[2]?.pages[2];
    expect([turned?.width, turned?.height]).to.deep.equal([842, 595]);
    for (const { index, pages } of data.files)
      for (const { page } of pages) {
        const answer = await image(`/runs/${runId}/files/${index}/pages/${page}?width=64`);
        expect([answer.status, answer.headers.get('cache-control')]).to.deep.equal([200, 'private, max-age=3600']);
        expect(rowsOfPng(new Uint8Array(await answer.arrayBuffer())).width).to.equal(64);
      }
    const [, attached, bundle] = data.files;
    expect((await image(`/runs/${runId}/files/${bundle?.index}/pages/5`)).status).to.equal(404);
    expect((await image(`/runs/${runId}/files/${Number(attached?.index) + 2}/pages/1`)).status).to.equal(404);
    for (const path of [`/runs/${runId}/files`, `/runs/${runId}/files/${bundle?.index}/pages/1`])
      expect((await image(path, bob)).status, 'the agent that divides is not his').to.equal(404);
  });

  it('are shown of a document with the pages of its part alone', async () => {
    const part = partOf('bundle.pdf', 1);
    expect(part.pages).to.deep.equal([1, 4]);
    const path = `/documents/${part.document_id}/files`;
    type Answer = { readonly files: readonly Listed[]; readonly part: object };
    for (const [as, isRunSeen] of [
      [ada, true],
      [bob, false],
    ] as const) {
      const { data } = await call<Answer>(path, as);
      const [file, ...others] = data.files;
      expect(others).to.deep.equal([]);
      expect(file?.pages.map(({ page }) => page)).to.deep.equal([1, 4]);
      expect(data.part).to.deep.equal({ name: 'invoice', file_name: 'bundle.pdf', pages: [1, 4] });
      expect(typeof file?.download_url, 'the rest of the bundle is not for him').to.equal(
        isRunSeen ? 'string' : 'object',
      );
      const statusOf = async (rest: string) => (await image(`${path}/${file?.index}/${rest}`, as)).status;
      expect(await statusOf('pages/4?width=64')).to.equal(200);
      expect(await statusOf('pages/4/words')).to.equal(200);
      for (const rest of ['pages/3?width=64', 'pages/3/words', 'text', 'einvoice'])
        expect(await statusOf(rest), rest).to.equal(404);
    }
  });

  it('are shown of a document of an attached file as that file alone', async () => {
    const { document_id: id } = partOf('mail.eml › late.pdf');
    const { data } = await call<{ files: readonly Listed[]; part: object }>(`/documents/${id}/files`, bob);
    const [file, ...others] = data.files;
    expect([file?.file_name, file?.pages.length, typeof file?.download_url]).to.deep.equal(['late.pdf', 1, 'string']);
    expect(others).to.deep.equal([]);
    expect((await image(`/documents/${id}/files/0/text`, bob)).status, 'the mail around it').to.equal(404);
  });
});
