import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { detail, documentId, type FakeApi, fakeApi, KEY, runId } from './fake-api.ts';
import { cli } from './run-cli.ts';

const part = (index: number, name: string, pages: readonly number[], status = 'ready') => ({
  index,
  name,
  file_name: 'a.pdf',
  pages,
  status,
  evidence: [],
  confidence: null,
  document_id: status === 'ready' ? documentId(index) : null,
});

describe('portico runs parts', () => {
  let api: FakeApi;
  let folder: string;
  const route = `/api/v1/runs/${runId}`;
  const run = (env: Record<string, string>, ...options: readonly string[]) =>
    cli(['runs', 'parts', runId, ...options], {
      env: { PORTICO_URL: api.url, PORTICO_API_KEY: KEY, PATH: process.env.PATH, TMPDIR: folder, ...env },
    });
  const asRun = (parts: readonly object[], more: object = {}) => ({
    headers: { etag: '"tag-7"' },
    body: {
      data: detail({
        workflow_type: 'document_routing',
        parts,
        unassigned: [{ file_name: 'a.pdf', pages: [4] }],
        ...more,
      }),
    },
  });
  const sent = () => api.requests.find(({ method }) => method === 'PATCH');

  beforeEach(async () => {
    api = await fakeApi();
    folder = await mkdtemp(path.join(tmpdir(), 'portico-cli-'));
    api.next(`GET ${route}`, asRun([part(0, 'invoice', [1, 2]), part(1, 'order', [3])]));
  });
  afterEach(async () => {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A program that edits the file by this expression of sed. */
  const editor = async (expression: string) => {
    const file = path.join(folder, 'editor.sh');
    await writeFile(file, `#!/bin/sh\nsed -i -e '${expression}' "$1"\n`, { mode: 0o700 });
    return file;
  };
  const kept = async () => (await readdir(folder)).filter((name) => name.startsWith('portico-edit-'));

  it('sends all parts as the user has left them in the editor, a line for each, of the run that was read', async () => {
    api.next(`PATCH ${route}/parts`, asRun([part(0, 'invoice', [1]), part(1, 'order', [2, 3], 'reading')]));
    const { code, out, err } = await run({ EDITOR: await editor('2s/,2//; 3s/3/2,3/') });
    expect(code, err).to.equal(0);
    expect(sent()?.headers['if-match']).to.equal('"tag-7"');
    expect(JSON.parse(String(sent()?.body))).to.deep.equal({
      parts: [
        { name: 'invoice', file_name: 'a.pdf', pages: [1] },
        { name: 'order', file_name: 'a.pdf', pages: [2, 3] },
      ],
    });
    expect(err).to.include('in no part: a.pdf, page 4');
    expect(out)
      .to.include(`invoice  ready  a.pdf, page 1  ${documentId(0)}`)
      .and.include('order  reading  a.pdf, pages 2–3');
    expect(await kept()).to.deep.equal([]);
  });

  it('sends nothing where nothing was changed, and for a run that divides no files', async () => {
    expect(await run({ EDITOR: 'true' })).to.deep.include({ code: 0, out: '' });
    api.next(`GET ${route}`, asRun([], { workflow_type: 'document_extraction' }));
    const { code, err } = await run({ EDITOR: 'true' });
    expect([code, err]).to.deep.equal([1, 'portico: the agent of the run does not divide files\n']);
    expect(sent()).to.equal(undefined);
    expect(await kept()).to.deep.equal([]);
  });

  it('keeps the text that is refused', async () => {
    const body = { title: 'Conflict', status: 409, code: 'part_processed', detail: 'It stays as it is.' };
    api.next(`PATCH ${route}/parts`, { status: 409, body });
    const { code, err } = await run({ EDITOR: await editor('2s/,2//') });
    expect(code).to.equal(1);
    const [name = ''] = await kept();
    expect(err).to.include(`Your text is kept in ${path.join(folder, name, 'parts.json')}`);
    expect(await readFile(path.join(folder, name, 'parts.json'), 'utf8')).to.include('"pages":[1]}');
  });
});
