import { expect } from 'chai';
import { exampleIntake, exampleSource, intakeItem, source } from '../../src/wire/source.ts';
import { detail, type FakeApi, fakeApi, KEY, runId } from './fake-api.ts';
import { cli } from './run-cli.ts';

const aSource = (fields: object = {}) => ({ ...(source.encode(exampleSource) as object), ...fields });
const anItem = (fields: object = {}) => ({ ...(intakeItem.encode(exampleIntake) as object), ...fields });

describe('portico sources', () => {
  let api: FakeApi;
  const run = (...argv: readonly string[]) =>
    cli(['sources', ...argv], { env: { PORTICO_URL: api.url, PORTICO_API_KEY: KEY } });
  beforeEach(async () => {
    api = await fakeApi();
  });
  afterEach(() => api.close());

  it('list shows how the last look at each ended', async () => {
    const failing = aSource({ name: 'mail\u001b[2J', type: 'imap', state: 'failing', error: 'The password is wrong.' });
    api.next('GET /api/v1/sources', { body: { data: { sources: [aSource(), failing] } } });
    const { code, out } = await run('list');
    expect(code).to.equal(0);
    expect(out).to.match(
      /^NAME +TYPE +AGENT +STATE +LAST LOOK \(UTC\) +ERROR\ninvoices +folder +Invoice reader +well .* -\n/,
    );
    expect(out).to.match(/mail\\u001b\[2J +imap .* failing .*The password is wrong\.\n$/);
    api.next('GET /api/v1/sources', { body: { data: { sources: [] } } });
    expect((await run('list')).out).to.match(/^There are no sources/);
  });

  it('check asks for a look, by a name with any characters', async () => {
    api.next('POST /api/v1/sources/a%20b%2Fc/check', { status: 202, body: { data: aSource({ name: 'a b/c' }) } });
    const { code, out, err } = await run('check', 'a b/c');
    expect([code, out]).to.deep.equal([0, 'The source is looked at now.\n']);
    expect(err).to.include('portico sources intake "a b/c"');
  });

  it('check says of a source that is paused that nobody looks at it', async () => {
    api.next('POST /api/v1/sources/a/check', { status: 202, body: { data: aSource({ name: 'a', state: 'paused' }) } });
    expect((await run('check', 'a')).out).to.match(/^The source is paused: nobody looks at it/);
  });

  it('are where a run says that it came from', async () => {
    const from = { name: 'mail', key: 'INBOX 7 12', from: 'ada@example.com', subject: 'Your\ninvoice' };
    api.next(`GET /api/v1/runs/${runId}`, { body: { data: detail({ source: from }) } });
    const { out } = await cli(['runs', 'show', runId], { env: { PORTICO_URL: api.url, PORTICO_API_KEY: KEY } });
    expect(out).to.include('  came to mail, from ada@example.com, "Your\\ninvoice", INBOX 7 12\n');
  });

  it('intake shows what came, what of it became no run, and how to go on', async () => {
    const twice = anItem({ why_not: 'already taken', name: 'copy.pdf' });
    const large = anItem({ why_not: 'too large', run_id: null, digest: null });
    api.next('GET /api/v1/sources/invoices/intake', {
      body: { data: { items: [anItem(), twice, large], next: 'c1' } },
    });
    const { code, out, err } = await run('intake', 'invoices', '--limit', '3');
    expect(code).to.equal(0);
    expect(out).to.match(/^CAME \(UTC\) +NAME +BYTES +RUN +WHY NOT\n.* invoice\.pdf +48,213 +[0-9a-f-]{36} +-\n/);
    expect(out).to.match(/copy\.pdf .*[0-9a-f-]{36} +already taken\n.* - +too large\n$/);
    expect(err).to.include('--after c1');
    expect(api.requests.at(-1)?.url).to.equal('/api/v1/sources/invoices/intake?limit=3');
  });
});
