import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { chained, chainStart, type ShownEntry, shownEntry } from '../../src/domain/audit-chain.ts';
import type { Verification } from '../../src/domain/audit-verification.ts';
import { fakeApi, KEY } from './fake-api.ts';
import { cli } from './run-cli.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const id = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e01';

const entries = chained(
  Array.from({ length: 5 }, (_, revision) => ({
    at: new Date(Date.UTC(2026, 10, 20, 9, revision)),
    actor: { type: 'user', id, name: 'Ada\u001b[1m' },
    via: { kind: 'console', id, address: '192.0.2.7' },
    action: 'document.approved',
    subject: { type: 'document', id, name: 'Reader' },
    details: { revision },
  })),
  chainStart,
  sha256,
).map(shownEntry);
const last = entries[4] as ShownEntry;

describe('portico audit verify', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portico-audit-'));
  });
  after(() => rm(folder, { recursive: true }));

  /** Without a server: none is there. */
  const verify = async (lines: readonly (object | string)[], ...more: string[]) => {
    const file = path.join(folder, 'audit.ndjson');
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    await writeFile(file, `${text.join('\n')}\n`);
    return cli(['audit', 'verify', file, ...more]);
  };

  it('finds nothing wrong with an export, and prints the last sequence and hash', async () => {
    const { code, out } = await verify(entries);
    expect(code).to.equal(0);
    expect(out).to.match(new RegExp(`: 5 entries, and nothing is wrong. The last is 5:${last.hash}\n$`));
  });

  it('names the first entry that is wrong', async () => {
    const changed = entries.with(2, { ...(entries[2] as ShownEntry), action: 'document.rejected' });
    const wrong: readonly [string, readonly object[]][] = [
      ['entry 3 was changed', changed],
      ['entry 2 was left out', entries.toSpliced(1, 1)],
      ['entry 4 was put in', entries.toSpliced(4, 0, entries[3] as ShownEntry)],
      ['entry 2 is not in its place', entries.with(1, entries[3] as ShownEntry).with(3, entries[1] as ShownEntry)],
    ];
    for (const [words, lines] of wrong) {
      const { code, out } = await verify(lines);
      expect([code, out], words).to.satisfy(([ended, said]: [number, string]) => ended === 1 && said.includes(words));
    }
  });

  it('shows that a tail was cut against a checkpoint alone', async () => {
    const cut = entries.slice(0, 3);
    expect((await verify(cut)).code).to.equal(0);
    const { code, out } = await verify(cut, '--checkpoint', `5:${last.hash}`);
    expect([code, out.endsWith('entry 4 was left out.\n')]).to.deep.equal([1, true]);
    expect((await verify(entries, '--checkpoint', `5:${last.hash}`)).code).to.equal(0);
    expect((await verify(entries, '--checkpoint', `5:${'0'.repeat(64)}`)).out).to.include('entry 5 was changed');
  });

  it('refuses what is no export, and a checkpoint that is none', async () => {
    for (const line of ['{"sequence":', '[]', '{"sequence":"6"}', ''])
      expect((await verify([...entries, line])).err, line).to.include('line 6 of');
    expect((await cli(['audit', 'verify', path.join(folder, 'nothing')])).code).to.equal(1);
    expect((await verify(entries, '--checkpoint', '5')).code).to.equal(2);
    expect((await cli(['audit', 'verify', '--checkpoint', `5:${last.hash}`])).code).to.equal(2);
  });

  it('without a file looks at every workspace, by the database', async () => {
    const verified = (workspace: string, fault: Verification['fault']) => {
      const end = { sequence: 5, hash: last.hash };
      return { workspace, entries: 5, end, fault };
    };
    let found = [verified('acme', null), verified('other', { what: 'left_out', sequence: 6 })];
    const operator = { audit: { verifyAll: async () => found } };
    const { code, out } = await cli(['audit', 'verify'], { operator });
    expect(code).to.equal(1);
    expect(out).to.equal(
      `acme: 5 entries, and nothing is wrong. The last is 5:${last.hash}\nother: entry 6 was left out.\n`,
    );
    found = [verified('acme', null)];
    const json = await cli(['audit', 'verify', '--json'], { operator });
    expect([json.code, JSON.parse(json.out).chains[0].end]).to.deep.equal([0, { sequence: 5, hash: last.hash }]);
  });
});

describe('portico audit list and export', () => {
  it('ask the server, and print nothing that a terminal obeys', async () => {
    const api = await fakeApi();
    const env = { PORTICO_URL: api.url, PORTICO_API_KEY: KEY };
    try {
      api.next('GET /api/v1/audit', {
        body: { data: { entries: entries.slice(0, 2), names: { [id]: 'bill\u001b[31m.pdf' }, next: 2 } },
      });
      const { code, out, err } = await cli(['audit', 'list', '--action', 'document.*', '--limit', '2'], { env });
      expect([code, out.includes('\u001b')]).to.deep.equal([0, false]);
      expect(out).to.include('document.approved').and.to.include('document bill');
      expect(err).to.include('--after 2');
      const asked = new URL(api.requests.at(-1)?.url ?? '', api.url).searchParams;
      expect(Object.fromEntries(asked)).to.deep.equal({ action: 'document.*', limit: '2' });
      const line = `${JSON.stringify(last)}\n`;
      api.next('GET /api/v1/audit/export', {
        headers: { 'content-type': 'application/x-ndjson' },
        body: Buffer.from(line),
      });
      expect(await cli(['audit', 'export'], { env })).to.deep.equal({ code: 0, out: line, err: '' });
      api.next('GET /api/v1/audit', { body: { data: { entries: entries.slice(0, 1), names: {}, next: 1 } } });
      const newest = await cli(['audit', 'list', '--newest', '--limit', '1'], { env });
      expect(newest.out).to.include('document Reader');
      expect(newest.err).to.include('earlier ones: --after 1');
      expect(api.requests.at(-1)?.url).to.include('limit=1&order=newest');
    } finally {
      await api.close();
    }
  });
});
