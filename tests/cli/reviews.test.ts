import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { documentId, documentOf, type FakeApi, fakeApi, KEY } from './fake-api.ts';
import { cli, lines } from './run-cli.ts';

const unreviewed = {
  revision: 2,
  review: { status: 'pending', reasons: [], reviewer: null, note: null, decided_at: null, decided_via: null },
};

describe('portico documents approve, reject, edit and revisions', () => {
  let api: FakeApi;
  let folder: string;
  const id = documentId(0);
  const run = (argv: readonly string[], env: Record<string, string> = {}) =>
    cli(['documents', ...argv], {
      env: { PORTICO_URL: api.url, PORTICO_API_KEY: KEY, PATH: process.env.PATH, TMPDIR: folder, ...env },
    });
  const route = `/api/v1/documents/${id}`;
  const sent = (method: string) =>
    api.requests.find((request) => request.method === method && request.url.startsWith(route));

  beforeEach(async () => {
    api = await fakeApi();
    folder = await mkdtemp(path.join(tmpdir(), 'portico-cli-'));
    api.next(`GET ${route}`, {
      headers: { etag: '"tag-2"' },
      body: Buffer.from(
        JSON.stringify({
          data: documentOf(0, { ...unreviewed, document_data: { total: '#', tags: ['a', 'b'] } }),
        }).replace('"#"', '9007199254740993'),
      ),
    });
  });
  afterEach(async () => {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A program that edits the file by this expression of sed. */
  const editor = async (expression: string) => {
    const file = path.join(folder, 'my editor.sh');
    await writeFile(file, `#!/bin/sh\nsed -i -e '${expression}' "$1"\n`, { mode: 0o700 });
    return `'${file}'`;
  };

  for (const [decision, status] of [
    ['approve', 'approved'],
    ['reject', 'rejected'],
    ['reopen', 'pending'],
  ] as const) {
    it(`${decision} decides on the revision that it read`, async () => {
      api.next(`POST ${route}/review`, {
        body: { data: documentOf(0, { ...unreviewed, review: { ...unreviewed.review, status } }) },
      });
      const { code, out } = await run([decision, id, '--note', 'So.', '--revision', '2']);
      expect([code, out]).to.deep.equal([0, `Revision 2 of a.pdf is ${status}.\n`]);
      const post = sent('POST');
      expect(post?.headers['if-match']).to.equal('"tag-2"');
      expect(JSON.parse(String(post?.body))).to.deep.equal({ decision, note: 'So.' });
    });
  }

  it('decides on no other revision than the one that is named', async () => {
    const { code, err } = await run(['approve', id, '--revision', '1']);
    expect([code, err]).to.deep.equal([1, 'portico: revision 1 is not the one that it has: that is 2\n']);
    expect(sent('POST')).to.equal(undefined);
  });

  it('says that the document is another one by now', async () => {
    api.next(`POST ${route}/review`, {
      status: 412,
      body: { detail: 'Read it again.', status: 412, code: 'revision_changed', request_id: 'r', revision: 3 },
    });
    const { code, err } = await run(['approve', id]);
    expect([code, lines(err)[0]]).to.deep.equal([1, 'portico: Read it again. (412 revision_changed)']);
  });

  it('edit sends what was changed in the editor, every digit of it, and nothing else', async () => {
    api.next(`PATCH ${route}`, { body: { data: documentOf(0, { ...unreviewed, revision: 3 }) } });
    const { code, out, err } = await run(['edit', id], { EDITOR: await editor('s/740993/740995/; s/"b"/"c"/') });
    expect([code, out, err]).to.deep.equal([0, 'a.pdf is corrected: revision 3.\n', '']);
    const patch = sent('PATCH');
    expect(patch?.headers['if-match']).to.equal('"tag-2"');
    expect(String(patch?.body)).to.equal(
      '{"patch":[{"op":"replace","path":"/total","value":9007199254740995},{"op":"replace","path":"/tags/1","value":"c"}]}',
    );
    expect((await readdir(folder)).filter((name) => name.startsWith('portico-edit-'))).to.deep.equal([]);
  });

  it('edit sends nothing where nothing was changed, or the editor failed, or there is none', async () => {
    expect(await run(['edit', id], { EDITOR: 'true' })).to.deep.equal({
      code: 0,
      out: '',
      err: 'Nothing was changed.\n',
    });
    expect((await run(['edit', id], { EDITOR: 'false' })).code).to.equal(1);
    expect((await run(['edit', id])).code).to.equal(1);
    expect(sent('PATCH')).to.equal(undefined);
  });

  it('edit keeps the text that is refused, or is not JSON', async () => {
    const kept = async () => {
      const [name = ''] = (await readdir(folder)).filter((each) => each.startsWith('portico-edit-'));
      const text = await readFile(path.join(folder, name, 'document.json'), 'utf8');
      await rm(path.join(folder, name), { recursive: true });
      return text;
    };
    const errors = [{ path: '/total', message: 'must be at least 0' }];
    api.next(`PATCH ${route}`, {
      status: 400,
      body: { detail: 'No.', status: 400, code: 'invalid_request', request_id: 'r', errors },
    });
    const refused = await run(['edit', id], { EDITOR: await editor('s/9007199254740993/-1/') });
    expect(refused.code).to.equal(1);
    expect(refused.err).to.include('Your text is kept in').and.include('/total must be at least 0');
    expect(await kept()).to.include('"total": -1');

    api.next(`GET ${route}`, { body: { data: documentOf(0, unreviewed) } });
    const broken = await run(['edit', id], { EDITOR: await editor('1d') });
    expect([broken.code, broken.err]).to.satisfy(
      ([code, err]: [number, string]) => code === 1 && err.includes('is not JSON any more'),
    );
    expect(await kept()).to.include('invoice_number');
  });

  it('revisions lists who changed what', async () => {
    const revisions = [
      {
        revision: 2,
        created_at: '2026-11-20T09:34:00.000Z',
        by: { type: 'user', name: 'Ada', via: 'command' },
        changes: [{ pointer: '/total', from: 1, to: null }],
      },
      {
        revision: 1,
        created_at: '2026-11-20T09:30:00.000Z',
        by: { type: 'agent', name: 'Reader', via: null },
        changes: [],
      },
    ];
    api.next(`GET ${route}/revisions`, { body: { data: { revisions, next: 'abc' } } });
    const { code, out, err } = await run(['revisions', id, '--limit', '2']);
    expect(code).to.equal(0);
    expect(lines(out)).to.deep.equal([
      'revision 2  2026-11-20 09:34:00  Ada on the command line',
      '  /total: 1 → null',
      'revision 1  2026-11-20 09:30:00  Reader',
    ]);
    expect(err).to.equal('older ones: --after abc\n');
    expect(sent('GET')?.url).to.include('limit=2');
    expect(sent('GET')?.headers['user-agent'], 'what the server knows it by').to.match(/^portico-cli\/\S+$/);
  });
});
