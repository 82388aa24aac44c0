import * as official from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { ApprovalRepository } from '../../src/composition/modules/postgres.ts';
import { openPaying, type Paying, type Shown } from '../http/paying.ts';
import { calling, modern, type Reply, rawClient } from './client.ts';

interface InputRequired {
  readonly resultType: string;
  readonly inputRequests?: Readonly<
    Record<string, { readonly method: string; readonly params: { readonly mode: string; readonly url: string } }>
  >;
}

describe('approvals of calls at the tool endpoint', () => {
  let paying: Paying;
  before(async () => {
    paying = await openPaying();
  });
  after(() => paying.close());

  const url = (agent = 'Payer') => paying.world.mcpUrl(paying.world.agent(agent));
  const call = async (amount: number, key = paying.withKey()['x-api-key'], agent?: string): Promise<Reply['result']> =>
    (await rawClient(url(agent), key)(calling('pay', { amount }))).body.result;
  const textOf = ({ content }: Reply['result']) => content[0]?.text ?? '';
  const approvalsOf = async (amount: number) => {
    const { approvals } = await paying.read<{ approvals: readonly Shown[] }>('/approvals?limit=100');
    return approvals.filter(({ arguments: given }) => (given as { amount?: number }).amount === amount);
  };
  /** The approval that a call waits for. */
  const asked = async (amount: number, agent?: string): Promise<Shown> => {
    expect(textOf(await call(amount, undefined, agent))).to.match(/a person has to approve this call, at http\S+/);
    const [approval] = await approvalsOf(amount);
    return approval ?? expect.fail('nothing waits');
  };

  it('are asked for by a tool that is listed, and answered with the address where a person decides', async () => {
    const { tools } = (
      await rawClient(url(), paying.withKey()['x-api-key'])({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    ).body.result;
    expect(tools.map(({ name }) => name)).to.include('pay');
    const result = await call(301);
    const [approval] = await approvalsOf(301);
    expect(result.isError).to.equal(true);
    expect(textOf(result)).to.include(`/console/approvals/${approval?.id} `);
    expect(approval).to.deep.include({
      status: 'pending',
      run_id: null,
      conversation_id: null,
      arguments: { amount: 301 },
    });
    expect(paying.paidFor(301)).to.equal(0);
  });

  it('are one approval for the same call while it is pending, another for another call or credential', async () => {
    const approval = await asked(302);
    await Promise.all([call(302), call(302)]);
    expect((await approvalsOf(302)).map(({ id }) => id)).to.deep.equal([approval.id]);
    await call(302, await paying.world.key('ada@example.com'));
    expect(await approvalsOf(302)).to.have.length(2);
    await call(303);
    expect(await approvalsOf(303)).to.have.length(1);
  });

  it('let the call be made once, however often it is made again, and answer its result for ten minutes', async () => {
    const approval = await asked(304);
    expect((await paying.decide(approval, paying.ada, 'approve')).status).to.equal(200);
    const many = await Promise.all(Array.from({ length: 8 }, () => call(304)));
    for (const result of many) expect(textOf(result)).to.match(/^paid$|is being made/);
    const again = await call(304);
    expect([textOf(again), again.isError]).to.deep.equal(['paid', undefined]);
    expect(paying.paidFor(304)).to.equal(1);
    await paying.world.query(`update approvals set answered_at = now() - interval '11 minutes' where id = $1`, [
      approval.id,
    ]);
    await paying.world.composition.container.get(ApprovalRepository).expire();
    const [kept] = await paying.world.query<{ result: unknown }>('select result from approvals where id = $1', [
      approval.id,
    ]);
    expect(kept?.result).to.equal(null);
    await asked(304);
    expect(paying.paidFor(304)).to.equal(1);
  });

  it('tell a program once that a person denied, and ask again for the next call', async () => {
    const approval = await asked(305);
    await paying.decide(approval, paying.ada, 'deny', 'Too much.');
    expect(textOf(await call(305))).to.match(/a person denied it: Too much\./);
    expect((await asked(305)).id).to.not.equal(approval.id);
    expect(paying.paidFor(305)).to.equal(0);
  });

  it('are over when their time is', async () => {
    const approval = await asked(306);
    await paying.world.query(`update approvals set expires_at = now() - interval '1 second' where id = $1`, [
      approval.id,
    ]);
    await paying.world.composition.container.get(ApprovalRepository).expire();
    expect(textOf(await call(306))).to.match(/no person decided in time/);
    expect(paying.paidFor(306)).to.equal(0);
  });

  it('let an approved call be made for as long as a person had to decide', async () => {
    const approval = await asked(307);
    await paying.decide(approval, paying.ada, 'approve');
    await paying.world.query(`update approvals set decided_at = now() - interval '25 hours' where id = $1`, [
      approval.id,
    ]);
    expect((await asked(307)).id).to.not.equal(approval.id);
    expect(paying.paidFor(307)).to.equal(0);
  });

  it('say that the outcome is unknown where the server died in the call, and make it no second time', async () => {
    const approval = await asked(308);
    await paying.decide(approval, paying.ada, 'approve');
    await paying.world.query('update approvals set begun_at = now() where id = $1', [approval.id]);
    expect(textOf(await call(308))).to.match(/is being made/);
    await paying.world.query(`update approvals set begun_at = now() - interval '1 hour' where id = $1`, [approval.id]);
    for (let times = 0; times < 2; times++)
      expect(textOf(await call(308))).to.match(/not known whether the call took effect/);
    expect(paying.paidFor(308)).to.equal(0);
  });

  it('are decided by no key, and by another person where the tool asks for one', async () => {
    const approval = await asked(309, 'Careful payer');
    const { arguments_digest } = approval;
    const byKey = await paying.send('POST', `/approvals/${approval.id}`, paying.withKey(), {
      decision: 'approve',
      arguments_digest,
    });
    expect([byKey.status, byKey.code]).to.deep.equal([403, 'person_required']);
    const own = await paying.decide(approval, paying.ada, 'approve');
    expect([own.status, own.code]).to.deep.equal([403, 'own_work']);
    expect((await paying.decide(approval, paying.bob, 'approve')).status).to.equal(200);
    expect(textOf(await call(309, undefined, 'Careful payer'))).to.equal('paid');
  });

  it('refuse arguments that do not fit at once: no person is asked', async () => {
    const { body } = await rawClient(url(), paying.withKey()['x-api-key'])(calling('pay', { amount: 'much' }));
    expect(textOf(body.result)).to.match(/The arguments of pay are not valid/);
    const { approvals } = await paying.read<{ approvals: readonly Shown[] }>('/approvals?limit=100');
    expect(approvals.some(({ arguments: given }) => (given as { amount?: unknown }).amount === 'much')).to.equal(false);
  });

  describe('of a client that opens addresses', () => {
    const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } };
    const ask = async (amount: number, more: object = {}) => {
      const { message, headers } = modern('tools/call', { name: 'pay', arguments: { amount }, ...more }, capabilities);
      const { body } = await rawClient(url(), paying.withKey()['x-api-key'])(message, { headers });
      return body.result as unknown as InputRequired & Reply['result'];
    };

    it('are asked for as input; that the client opened the page approves nothing', async () => {
      const first = await ask(310);
      const [approval] = await approvalsOf(310);
      expect(first.resultType).to.equal('input_required');
      expect(first.inputRequests?.approval).to.deep.include({ method: 'elicitation/create' });
      expect(first.inputRequests?.approval?.params).to.deep.include({
        mode: 'url',
        url: `${paying.world.baseUrl}/console/approvals/${approval?.id}`,
      });
      const accepted = await ask(310, { inputResponses: { approval: { action: 'accept' } } });
      expect([accepted.resultType, accepted.isError]).to.deep.equal(['complete', true]);
      expect(paying.paidFor(310)).to.equal(0);
      await paying.decide(approval as Shown, paying.ada, 'approve');
      expect(textOf(await ask(310))).to.equal('paid');
      expect(paying.paidFor(310)).to.equal(1);
    });

    it('are made by the official client once the person has decided', async () => {
      const client = new official.Client(
        { name: 'official', version: '2' },
        { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: { elicitation: { url: {} } } },
      );
      const opened: string[] = [];
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        opened.push('url' in params ? params.url : '');
        const [approval] = await approvalsOf(311);
        await paying.decide(approval as Shown, paying.ada, 'approve');
        return { action: 'accept' as const };
      });
      const headers = { 'x-api-key': paying.withKey()['x-api-key'] };
      await client.connect(new official.StreamableHTTPClientTransport(new URL(url()), { requestInit: { headers } }));
      const { content } = await client.callTool({ name: 'pay', arguments: { amount: 311 } });
      expect(content).to.deep.equal([{ type: 'text', text: 'paid' }]);
      expect(opened).to.have.length(1);
      expect(paying.paidFor(311)).to.equal(1);
      await client.close();
    });
  });
});
