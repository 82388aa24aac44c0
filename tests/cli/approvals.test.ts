import { expect } from 'chai';
import { approval, exampleApproval } from '../../src/wire/approval.ts';
import { agentId, type FakeApi, fakeApi, KEY, runId } from './fake-api.ts';
import { cli } from './run-cli.ts';

const call = (fields: object) => ({ ...(approval.encode(exampleApproval) as object), ...fields });

describe('portico approvals', () => {
  let api: FakeApi;
  const run = (...argv: readonly string[]) =>
    cli(['approvals', ...argv], { env: { PORTICO_URL: api.url, PORTICO_API_KEY: KEY } });
  beforeEach(async () => {
    api = await fakeApi();
  });
  afterEach(() => api.close());

  it('list shows the calls that are asked for, and how to go on', async () => {
    api.next('GET /api/v1/approvals', {
      body: { data: { approvals: [call({ status: 'pending', tool: 'pay\u001b[2J' })], next: 'c1' } },
    });
    const { code, out, err } = await run('list', '--status', 'pending', '--agent', agentId, '--run', runId);
    expect(code).to.equal(0);
    expect(out).to.match(/^ID .*UNTIL \(UTC\)\n.* pending +pay\\u001b\[2J/);
    expect(err).to.include('--after c1');
    const asked = new URL(api.requests.at(-1)?.url ?? '', api.url).searchParams;
    expect(Object.fromEntries(asked)).to.deep.equal({
      agent_id: agentId,
      run_id: runId,
      status: 'pending',
      limit: '20',
    });
    api.next('GET /api/v1/approvals', { body: { data: { approvals: [], next: null } } });
    expect((await run('list')).out).to.equal('There are no calls that need approval.\n');
  });

  it('show shows every argument with all of its digits, the rehearsal, and who decides', async () => {
    const id = exampleApproval.id;
    const text = JSON.stringify({
      data: call({
        status: 'pending',
        arguments: { amount: '#', to: { iban: 'DE\n1' } },
        rehearsal: { would: 'insert' },
      }),
    });
    api.next(`GET /api/v1/approvals/${id}`, { body: Buffer.from(text.replace('"#"', '9007199254740993')) });
    const { code, out, err } = await run('show', id);
    expect(code).to.equal(0);
    expect(out).to.match(/arguments:\n {2}amount: 9007199254740993\n {2}to:\n {4}iban: DE\n +1\n/);
    expect(out).to.match(/what the write would come to:\n {2}would: insert\n$/);
    expect(err).to.include('A person decides on it');
  });

  it('has no command that decides: a key cannot', async () => {
    const { code, err } = await run('approve', exampleApproval.id);
    expect(code).to.equal(2);
    expect(err).to.include("unknown command 'approve'");
  });
});
