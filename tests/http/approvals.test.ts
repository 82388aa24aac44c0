import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import { ApprovalRepository } from '../../src/composition/modules/postgres.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { openPaying, type Paying, type Shown } from './paying.ts';

const bookkeeper = `workspace: acme
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
agents:
  - name: Bookkeeper
    workflow_type: assistant
    model: offline
    instructions: Keep the books.
    tools:
      - { connection: ledger, write: true, requires_approval: true }`;

describe('approvals of calls in runs', () => {
  let paying: Paying;
  let world: Paying['world'];
  let ada: string;
  let bob: string;
  before(async () => {
    paying = await openPaying();
    ({ world, ada, bob } = paying);
  });
  after(() => paying.close());

  const send: Paying['send'] = (...request) => paying.send(...request);
  const withKey = () => paying.withKey();
  const read: Paying['read'] = (path) => paying.read(path);
  const readRun: Paying['readRun'] = (id) => paying.readRun(id);
  const until: Paying['until'] = (look, isSo) => paying.until(look, isSo);
  const decide: Paying['decide'] = (...decision) => paying.decide(...decision);
  const ended: Paying['ended'] = (id) => paying.ended(id);
  const paidFor = (amount: number) => paying.paidFor(amount);
  const waiting = (id: string) =>
    until(
      () => readRun(id),
      (run) => run.waiting_for !== null,
    );
  const approvalsOf = async (run: string) =>
    (await read<{ approvals: readonly Shown[] }>(`/approvals?run_id=${run}`)).approvals;
  /** The approval that a new run waits for, once no worker holds the run. */
  const asked = async (amount: number, name?: string) => {
    const run = await paying.start(`/pay {"amount": ${amount}}`, name);
    await waiting(run);
    await until(
      () => world.query<{ parked: boolean }>('select parked_at is not null as parked from runs where id = $1', [run]),
      ([row]) => row?.parked === true,
    );
    const [approval] = await approvalsOf(run);
    if (!approval) throw new Error('nothing waits');
    return { run, approval };
  };
  const toolMessage = async (run: string) => {
    const { conversations } = await readRun(run);
    const thread = await read<{ messages: readonly { role: string; content: string }[] }>(
      `/threads/${conversations[0]?.id}`,
    );
    return thread.messages.find(({ role }) => role === 'tool')?.content;
  };

  it('are kept before anything is called, and made once when a person approves', async () => {
    const { run, approval } = await asked(101);
    expect(approval).to.deep.include({ status: 'pending', arguments: { amount: 101 }, decided_by: null });
    expect((await readRun(run)).status).to.equal('running');
    expect(paidFor(101)).to.equal(0);
    const { status, data } = await decide(approval, ada, 'approve', 'Checked.');
    expect(status).to.equal(200);
    expect(data).to.deep.include({ status: 'approved', note: 'Checked.' });
    expect((await ended(run)).status).to.equal('completed');
    expect(await toolMessage(run)).to.equal('paid');
    expect(paidFor(101)).to.equal(1);
    expect((await readRun(run)).waiting_for).to.equal(null);
    const { entries } = await read<{ entries: readonly object[] }>(`/audit?subject=${approval.id}`);
    expect(entries).to.have.length(1);
    expect(entries[0]).to.deep.nested.include({
      action: 'approval.decided',
      'actor.type': 'user',
      'via.kind': 'console',
      'subject.type': 'approval',
      'subject.name': 'pay',
      'details.decision': 'approve',
    });
  });

  it('are never made when a person denies, and the model reads why', async () => {
    const { run, approval } = await asked(102);
    await decide(approval, ada, 'deny', 'Too much.');
    expect((await ended(run)).status).to.equal('completed');
    expect(await toolMessage(run)).to.match(/a person denied it: Too much\./);
    expect(paidFor(102)).to.equal(0);
  });

  it('are decided by nobody but a person: a key with every right is refused', async () => {
    const { run, approval } = await asked(103);
    const { status, code } = await send('POST', `/approvals/${approval.id}`, withKey(), {
      decision: 'approve',
      arguments_digest: approval.arguments_digest,
    });
    expect([status, code]).to.deep.equal([403, 'person_required']);
    await send('POST', `/runs/${run}/cancel`, withKey());
  });

  it('are decided by another person where the tool asks for one', async () => {
    const { run, approval } = await asked(104, 'Careful payer');
    const own = await decide(approval, ada, 'approve');
    expect([own.status, own.code]).to.deep.equal([403, 'own_work']);
    expect((await decide(approval, bob, 'approve')).status).to.equal(200);
    await ended(run);
    expect(paidFor(104)).to.equal(1);
  });

  it('are decided on as they were read: other arguments are 412, and a second decision is 409', async () => {
    const { run, approval } = await asked(105);
    const other = await decide({ ...approval, arguments_digest: '0'.repeat(64) }, ada, 'approve');
    expect([other.status, other.code]).to.deep.equal([412, 'arguments_changed']);
    const both = await Promise.all([decide(approval, ada, 'approve'), decide(approval, bob, 'deny')]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    await ended(run);
    const approved = both[0]?.status === 200;
    expect(paidFor(105)).to.equal(approved ? 1 : 0);
  });

  it('refuse a call whose arguments are not those that were approved', async () => {
    const { run, approval } = await asked(106);
    await world.query(
      `update messages set tool_calls = replace(tool_calls::text, '106', '999106')::json
       where conversation_id in (select conversation_id from run_units where run_id = $1)`,
      [run],
    );
    await decide(approval, ada, 'approve');
    await ended(run);
    expect(await toolMessage(run)).to.match(/not what a person approved/);
    expect([paidFor(106), paidFor(999_106)]).to.deep.equal([0, 0]);
  });

  it('show what a write of a record would come to, which the system itself has tried', async () => {
    await world.query('create table public.payments (id int primary key, amount numeric)');
    const file = readWorkspaceFile(bookkeeper, { LEDGER_URL: world.config.databaseUrl ?? '' });
    const service = world.composition.container.get(WorkspaceService);
    const changed = await service.apply(file, { dryRun: false, prune: false });
    const agent = changed.find(({ name }) => name === 'Bookkeeper')?.id;
    const insert = async (id: number) => {
      const call = { entity: 'public.payments', values: { id, amount: 12.5 } };
      const message = `/ledger_insert_record ${JSON.stringify(call)}`;
      const { data } = await send('POST', `/agents/${agent}/run`, withKey(), { user_message: message });
      const run = (data as { id: string }).id;
      await waiting(run);
      const [approval] = await approvalsOf(run);
      return { run, approval: approval ?? expect.fail('nothing waits') };
    };
    const rows = () => world.query<{ amount: string }>('select amount from public.payments');
    const first = await insert(1);
    expect(first.approval.rehearsal).to.deep.include({ rows_affected: 1, rejected: null });
    expect(await rows()).to.deep.equal([]);
    await decide(first.approval, ada, 'approve');
    expect((await ended(first.run)).status).to.equal('completed');
    expect(await rows()).to.deep.equal([{ amount: '12.5' }]);
    const second = await insert(1);
    expect(second.approval.rehearsal?.rejected).to.be.a('string');
    await decide(second.approval, ada, 'deny');
    await ended(second.run);
  });

  it('hold the deadline of their run, and no worker', async () => {
    const { run, approval } = await asked(107);
    await world.query(`update runs set deadline_at = now() + interval '2 seconds' where id = $1`, [run]);
    await sleep(2500);
    const [row] = await world.query<{ worker: string | null }>('select worker from runs where id = $1', [run]);
    expect(row?.worker).to.equal(null);
    await decide(approval, ada, 'approve');
    expect((await ended(run)).status).to.equal('completed');
    expect(paidFor(107)).to.equal(1);
  });

  it('are refused when their time is over', async () => {
    const { run, approval } = await asked(108);
    await world.query(`update approvals set expires_at = now() - interval '1 second' where id = $1`, [approval.id]);
    expect((await decide(approval, ada, 'approve')).status).to.equal(409);
    await world.composition.container.get(ApprovalRepository).expire();
    expect((await ended(run)).status).to.equal('completed');
    expect((await read<Shown>(`/approvals/${approval.id}`)).status).to.equal('expired');
    expect(paidFor(108)).to.equal(0);
  });

  it('are cancelled with their run', async () => {
    const { run, approval } = await asked(109);
    await send('POST', `/runs/${run}/cancel`, withKey());
    expect((await read<Shown>(`/approvals/${approval.id}`)).status).to.equal('cancelled');
    const { status, code } = await decide(approval, ada, 'approve');
    expect([status, code]).to.deep.equal([409, 'approval_decided']);
    expect(paidFor(109)).to.equal(0);
  });

  it('are events of the run', async () => {
    const { run, approval } = await asked(110);
    await decide(approval, ada, 'approve');
    await ended(run);
    const page = await read<{ events: readonly { type: string; data: Shown }[] }>(`/runs/${run}/events?limit=100`);
    const events = page.events.filter(({ type }) => type.startsWith('approval.'));
    expect(events.map(({ type, data }) => [type, data.id, data.status])).to.deep.equal([
      ['approval.requested', approval.id, 'pending'],
      ['approval.decided', approval.id, 'approved'],
    ]);
  });

  /** The ids on each page of the list. */
  const pagesOf = async (limit: number) => {
    const pages: string[][] = [];
    for (let after = ''; ; ) {
      const page = await read<{ approvals: readonly Shown[]; next: string | null }>(
        `/approvals?limit=${limit}${after}`,
      );
      pages.push(page.approvals.map(({ id }) => id));
      if (page.next === null) return pages;
      after = `&after=${page.next}`;
    }
  };

  it('are listed, newest first, page by page', async () => {
    const all = (await read<{ approvals: readonly Shown[] }>('/approvals?limit=100')).approvals.map(({ id }) => id);
    expect((await pagesOf(2)).flat()).to.deep.equal(all);
    const denied = await read<{ approvals: readonly Shown[] }>('/approvals?status=denied');
    expect(denied.approvals.every(({ status }) => status === 'denied')).to.equal(true);
  });

  it('are listed as many as have room in a page, at least one, and the others on the pages that follow', async () => {
    const [all = []] = await pagesOf(100);
    const large = `json_build_object('text', repeat('x', 2500000))`;
    await world.query(`update approvals set arguments = ${large} where id = any ($1)`, [all.slice(0, 3)]);
    await world.query(`update approvals set rehearsal = ${large} where id = $1`, [all[1]]);
    expect(await pagesOf(100)).to.deep.equal([all.slice(0, 1), all.slice(1, 2), all.slice(2)]);
  });
});
