import { expect } from 'chai';
import { type FakeApi, fakeApi, KEY } from './fake-api.ts';
import { cli, lines } from './run-cli.ts';

describe('portico search', () => {
  let api: FakeApi;
  const run = (...argv: string[]) => cli(['search', ...argv], { env: { PORTICO_URL: api.url, PORTICO_API_KEY: KEY } });
  const finds = (data: object) => api.routes.set('POST /api/v1/search-web', () => ({ body: { data } }));
  const answer = {
    summary: 'Within 30 days [1].\nSome earlier [2].',
    sources: [
      { title: 'Paying suppliers', url: 'https://example.org/pay' },
      { title: 'Terms', url: 'corpus:///terms.md' },
    ],
  };

  beforeEach(async () => {
    api = await fakeApi();
  });
  afterEach(() => api.close());

  it('shows the summary and its sources', async () => {
    finds(answer);
    const { code, out, err } = await run('when', 'is an invoice', 'due?');
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(lines(out)).to.deep.equal([
      'Within 30 days [1].',
      'Some earlier [2].',
      '',
      '[1] Paying suppliers',
      '    https://example.org/pay',
      '[2] Terms',
      '    corpus:///terms.md',
    ]);
    expect(JSON.parse(api.requests[0]?.body.toString() ?? '')).to.deep.equal({ query: 'when is an invoice due?' });
  });

  it('prints the answer as JSON', async () => {
    finds({ ...answer, more: 'to come' });
    expect(JSON.parse((await run('due', '--json')).out)).to.deep.equal({ ...answer, more: 'to come' });
  });

  it('shows a summary without sources', async () => {
    finds({ summary: 'The search found no page about this.', sources: [] });
    expect((await run('x')).out).to.equal('The search found no page about this.\n');
  });

  it('shows hostile pages as text', async () => {
    finds({
      summary: '\u001b[2Jgone',
      sources: [{ title: 'a\u001b]0;b\u0007\nc', url: 'https://example.org/\u202e' }],
    });
    const { out } = await run('x');
    expect(out).to.include('\\u001b[2Jgone');
    for (const obeyed of ['\u001b', '\u0007', '\u202e']) expect(out).not.to.include(obeyed);
    expect(lines(out)).to.have.length(4);
  });

  it('says what is wrong', async () => {
    const failed = {
      detail: 'The web cannot be searched: Brave does not accept BRAVE_API_KEY.',
      status: 500,
      code: 'upstream_unavailable',
    };
    for (let times = 0; times < 4; times++) api.next('POST /api/v1/search-web', { status: 500, body: failed });
    const refused = await run('x');
    expect(refused.code).to.equal(1);
    expect(refused.err).to.contain('Brave does not accept BRAVE_API_KEY');
    expect((await run()).code).to.equal(2);
    expect((await run(' ')).code).to.equal(2);
    expect((await run('x', '--nope')).code).to.equal(2);
  });
});
