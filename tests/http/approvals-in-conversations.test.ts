import { expect } from 'chai';
import { ApprovalRepository } from '../../src/composition/modules/postgres.ts';
import { openPaying, type Paying, type Shown } from './paying.ts';

interface Said {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly tool_calls: readonly { readonly id: string }[];
}

interface Talk {
  readonly status: string;
  readonly waiting_for: { readonly approval_ids: readonly string[] } | null;
  readonly messages: readonly Said[];
}

describe('approvals of calls in conversations', () => {
  let paying: Paying;
  before(async () => {
    paying = await openPaying();
  });
  after(() => paying.close());

  const thread = (id: string) => paying.read<Talk>(`/threads/${id}`);
  const say = async (id: string, message: string) => {
    const { status, data } = await paying.send('POST', `/threads/${id}/messages`, paying.withKey(), { message });
    return { status, ...(data as { messages: readonly Said[]; error: string | null }) };
  };
  const aThread = async (name?: string) => {
    const run = await paying.ended(await paying.start('Hello', name));
    return run.conversations[0]?.id ?? '';
  };
  const approval = (id: string) => paying.read<Shown>(`/approvals/${id}`);
  /** A conversation whose last turn ended with calls that wait, and their approvals. */
  const asked = async (amounts: readonly number[], name?: string) => {
    const id = await aThread(name);
    const { messages } = await say(id, amounts.map((amount) => `/pay {"amount": ${amount}}`).join('\n'));
    const ids = (await thread(id)).waiting_for?.approval_ids ?? [];
    const approvals = await Promise.all(ids.map(approval));
    return { id, messages, approvals: approvals as [Shown, ...Shown[]] };
  };
  const settled = (id: string, count: number) =>
    paying.until(
      () => thread(id),
      ({ status, messages }) => status === 'idle' && messages.length === count,
    );

  it('end the turn with a message that says where a person decides, and takes the result as its content', async () => {
    const { id, messages, approvals } = await asked([201]);
    const [{ id: approvalId }] = approvals;
    expect(messages.map(({ role }) => role)).to.deep.equal(['assistant', 'tool']);
    expect(messages[1]?.content).to.match(
      new RegExp(`Waits for the approval of a person: .*/console/approvals/${approvalId}$`),
    );
    expect(approvals[0]).to.deep.include({
      status: 'pending',
      run_id: null,
      conversation_id: id,
      arguments: { amount: 201 },
    });
    expect(await thread(id)).to.deep.include({ status: 'idle', waiting_for: { approval_ids: [approvalId] } });
    expect(paying.paidFor(201)).to.equal(0);
    expect((await paying.decide(approvals[0], paying.ada, 'approve', 'Checked.')).status).to.equal(200);
    const after = await settled(id, 6);
    expect(after.messages[4]).to.deep.include({ id: messages[1]?.id, content: 'paid' });
    expect(after.messages[5]).to.deep.include({ role: 'assistant' });
    expect(after.waiting_for).to.equal(null);
    expect(paying.paidFor(201)).to.equal(1);
  });

  it('tell the model why a person denied, and go on without the call', async () => {
    const { id, messages, approvals } = await asked([202]);
    await paying.decide(approvals[0], paying.ada, 'deny', 'Too much.');
    const after = await settled(id, 6);
    expect(after.messages[4]?.id).to.equal(messages[1]?.id);
    expect(after.messages[4]?.content).to.match(/a person denied it: Too much\./);
    expect(paying.paidFor(202)).to.equal(0);
  });

  it('are withdrawn by a message that comes before the decision', async () => {
    const { id, messages, approvals } = await asked([203]);
    expect((await say(id, 'Never mind.')).error).to.equal(null);
    const after = await thread(id);
    expect(after.messages[4]?.id).to.equal(messages[1]?.id);
    expect(after.messages[4]?.content).to.match(/another message came first/);
    expect(after.waiting_for).to.equal(null);
    expect((await approval(approvals[0].id)).status).to.equal('cancelled');
    const { status, code } = await paying.decide(approvals[0], paying.ada, 'approve');
    expect([status, code]).to.deep.equal([409, 'approval_decided']);
    expect(paying.paidFor(203)).to.equal(0);
  });

  it('are refused once their time is over', async () => {
    const { id, approvals } = await asked([204]);
    await paying.world.query(`update approvals set expires_at = now() - interval '1 second' where id = $1`, [
      approvals[0].id,
    ]);
    await paying.world.composition.container.get(ApprovalRepository).expire();
    expect((await settled(id, 6)).messages[4]?.content).to.match(/no person decided in time/);
    expect(paying.paidFor(204)).to.equal(0);
  });

  it('are asked for one after the other where calls write, and the turn goes on after the last', async () => {
    const { id, approvals } = await asked([205, 206]);
    expect(approvals.map((each) => each.arguments)).to.deep.equal([{ amount: 205 }]);
    await paying.decide(approvals[0], paying.ada, 'approve');
    const isNext = (talk: Talk) => talk.waiting_for !== null && talk.waiting_for.approval_ids[0] !== approvals[0].id;
    const half = await paying.until(
      () => thread(id),
      (talk) => talk.status === 'idle' && isNext(talk),
    );
    expect(half.messages[4]?.content).to.equal('paid');
    expect([205, 206].map(paying.paidFor)).to.deep.equal([1, 0]);
    await paying.decide(await approval(half.waiting_for?.approval_ids[0] ?? ''), paying.ada, 'approve');
    await settled(id, 7);
    expect([205, 206].map(paying.paidFor)).to.deep.equal([1, 1]);
  });

  it('are decided by another person where the tool asks for one, and by no key', async () => {
    const { id, approvals } = await asked([207], 'Careful payer');
    const own = await paying.decide(approvals[0], paying.ada, 'approve');
    expect([own.status, own.code]).to.deep.equal([403, 'own_work']);
    const { arguments_digest } = approvals[0];
    const byKey = await paying.send('POST', `/approvals/${approvals[0].id}`, paying.withKey(), {
      decision: 'approve',
      arguments_digest,
    });
    expect([byKey.status, byKey.code]).to.deep.equal([403, 'person_required']);
    expect((await paying.decide(approvals[0], paying.bob, 'approve')).status).to.equal(200);
    await settled(id, 6);
    expect(paying.paidFor(207)).to.equal(1);
  });

  it('refuse a call whose arguments are not those that were approved', async () => {
    const { id, approvals } = await asked([208]);
    await paying.world.query(
      `update messages set tool_calls = replace(tool_calls::text, '208', '999208')::json where conversation_id = $1`,
      [id],
    );
    await paying.decide(approvals[0], paying.ada, 'approve');
    expect((await settled(id, 6)).messages[4]?.content).to.match(/not what a person approved/);
    expect([208, 999_208].map(paying.paidFor)).to.deep.equal([0, 0]);
  });

  it('say that the outcome is unknown where a process died in the call, and make it no second time', async () => {
    const { id, messages, approvals } = await asked([209]);
    const call = messages[0]?.tool_calls[0]?.id;
    await paying.world.query('update conversations set begun = array[$2] where id = $1', [id, call]);
    await paying.decide(approvals[0], paying.ada, 'approve');
    expect((await settled(id, 6)).messages[4]?.content).to.match(/not known whether the call took effect/);
    expect(paying.paidFor(209)).to.equal(0);
  });

  it('are events without a run, which say of which conversation they are', async () => {
    const { id, approvals } = await asked([210]);
    await paying.decide(approvals[0], paying.ada, 'approve');
    await settled(id, 6);
    const query = '/events?types=approval.*&limit=100&order=newest';
    type Event = { type: string; run_id: string | null; data: Shown };
    const { events } = await paying.read<{ events: readonly Event[] }>(query);
    const ours = events.filter(({ data }) => data.id === approvals[0].id);
    expect(ours.map(({ type, run_id, data }) => [type, run_id, data.conversation_id])).to.deep.equal([
      ['approval.decided', null, id],
      ['approval.requested', null, id],
    ]);
  });

  it('of two people who decide at once, follow one', async () => {
    const { id, approvals } = await asked([211]);
    const { ada, bob, decide } = paying;
    const both = await Promise.all([decide(approvals[0], ada, 'approve'), decide(approvals[0], bob, 'deny')]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    await settled(id, 6);
    expect(paying.paidFor(211)).to.equal(both[0]?.status === 200 ? 1 : 0);
  });

  it('are not made for a user who was disabled meanwhile', async () => {
    const asBob = { authorization: `Bearer ${paying.bob}` };
    const id = await aThread();
    await paying.send('POST', `/threads/${id}/messages`, asBob, { message: '/pay {"amount": 212}' });
    const [approvalId = ''] = (await thread(id)).waiting_for?.approval_ids ?? [];
    const bob = `/users/${await paying.world.userId('bob@example.com')}`;
    expect((await paying.send('PATCH', bob, paying.withKey(), { disabled: true })).status).to.equal(200);
    await paying.decide(await approval(approvalId), paying.ada, 'approve');
    const { messages } = await paying.until(
      () => thread(id),
      (talk) => talk.status === 'idle' && talk.waiting_for === null,
    );
    expect(paying.paidFor(212)).to.equal(0);
    expect(messages.at(-1)?.content).to.match(/Not run: who asked for it is disabled, or no longer sees the agent/);
  });
});
