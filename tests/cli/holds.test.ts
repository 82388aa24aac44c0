import { expect } from 'chai';
import type { OperatedHolds } from '../../src/application/documents/operated-holds.ts';
import { notFound } from '../../src/domain/errors.ts';
import { cli, lines } from './run-cli.ts';

const id = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e01';
const at = new Date('2026-11-20T09:30:00.000Z');
const held = {
  id,
  workspace: 'acme',
  name: 'a.pdf',
  reason: 'A lawsuit\u001b[1m',
  by: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
  at,
};

describe('portico holds', () => {
  const asked: unknown[] = [];
  const answered = async (...given: readonly unknown[]) => {
    asked.push(given);
    return { name: 'a.pdf' } as Awaited<ReturnType<OperatedHolds['set']>>;
  };
  const list = async (limit: number) => {
    asked.push(limit);
    return [held];
  };
  const holds = { list, set: answered, release: answered };
  const run = (...argv: readonly string[]) => cli(['holds', ...argv], { operator: { holds } });
  beforeEach(() => void asked.splice(0));

  it('lists what is held, for how long, by whom and why', async () => {
    const { code, out } = await run('list', '--limit', '5');
    expect([code, asked]).to.deep.equal([0, [5]]);
    expect(lines(out)[1]).to.match(
      new RegExp(`^${id}\\s+acme\\s+2026-11-20 09:30:00\\s+Ada\\s+a.pdf\\s+A lawsuit\\\\u001b`),
    );
    expect(JSON.parse((await run('list', '--json')).out)).to.deep.equal({
      holds: [
        {
          document_id: id,
          workspace: 'acme',
          name: 'a.pdf',
          reason: held.reason,
          at: at.toISOString(),
          by: { name: 'Ada', email: 'ada@example.com' },
        },
      ],
    });
  });

  it('says so where nothing is held', async () => {
    const none = { ...holds, list: async () => [] };
    expect((await cli(['holds', 'list'], { operator: { holds: none } })).out).to.include('No document is held.');
  });

  it('holds a document for a reason, and lets it go', async () => {
    expect((await run('set', id, '--reason', 'Audit')).out).to.equal(
      'a.pdf is held: nobody deletes it, nor its run, its conversation and its files.\n',
    );
    expect((await run('release', id)).out).to.equal('a.pdf is not held: it may be deleted.\n');
    expect(asked).to.deep.equal([[id, 'Audit'], [id]]);
    expect(JSON.parse((await run('set', id, '--reason', 'Audit', '--json')).out)).to.deep.equal({
      document_id: id,
      held: true,
    });
  });

  it('refuses what names no document or no reason', async () => {
    for (const argv of [
      ['set', id],
      ['set', id, '--reason', ' '],
      ['set', id, '--reason', 'x'.repeat(1001)],
      ['set', 'x', '--reason', 'y'],
      ['release', 'x'],
    ])
      expect((await run(...argv)).code, argv.join(' ')).to.equal(2);
    expect(asked).to.deep.equal([]);
    const missing = { ...holds, release: () => Promise.reject(notFound('document')) };
    expect((await cli(['holds', 'release', id], { operator: { holds: missing } })).code).to.equal(1);
  });
});
