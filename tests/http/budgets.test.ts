import { expect } from 'chai';
import { budgetStates } from '../../src/adapters/postgres/repositories/budget-repository.ts';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import type { Reservation, StepBound } from '../../src/application/ports/budgets.ts';
import type { Work } from '../../src/application/ports/queue.ts';
import { BudgetRepository, RunQueue } from '../../src/composition/modules/postgres.ts';
import { WorkspaceService } from '../../src/composition/modules/workspace.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { sendToApi } from '../support/api.ts';
import { anId, finished } from '../support/builders.ts';
import { readExposition, sampled } from '../support/exposition.ts';

/** With prices by which 100,000 tokens that are written cost 1.00, and a page that OCR reads 0.25. */
const file = (...budgets: readonly string[]) => `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
agents:
  - { name: Reader, workflow_type: document_extraction, model: offline, instructions: Read., document_schema: { type: object } }
  - { name: Other, workflow_type: document_extraction, model: offline, instructions: Read., document_schema: { type: object }, visible_to: [ada@example.com] }
  - { name: Unpriced, workflow_type: document_extraction, model: openai/none, instructions: Read., document_schema: { type: object } }
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help. }
prices:
  currency: EUR
  models: { offline: { input: "0", output: "10.00" } }
  ocr_page: "0.25"
budgets: [${budgets.map((budget) => `{ ${budget} }`).join(', ')}]
`;
const all = (limit: string, more = 'period: month, action: stop') => `name: All, limit: "${limit}", ${more}`;
const TOKENS_OF_ONE = 100_000;
const costing = (amount: number, pagesOcr = 0): StepBound => ({
  inputTokens: 0,
  outputTokens: Math.round(amount * TOKENS_OF_ONE),
  pagesOcr,
});

interface Refusal {
  readonly code: string;
  readonly detail: string;
}

describe('budgets', () => {
  let world: World;
  let ada = '';

  before(async () => {
    world = await openWorld({ workspace: file(), env: { RATE_LIMIT_RUNS: '1000000', OPENAI_API_KEY: 'none' } });
    ada = await world.key();
  });
  after(() => world?.stop());
  beforeEach(async () => {
    await world.query(
      'truncate documents, runs, conversations, usage_entries, usage_days, budget_reservations, budget_events, events cascade',
    );
  });
  afterEach(() => isNow(`clock_timestamp() at time zone 'utc'`));

  const queue = () => world.composition.container.get(RunQueue);
  const have = (...budgets: readonly string[]) =>
    world.composition.container
      .get(WorkspaceService)
      .apply(readWorkspaceFile(file(...budgets), {}), { dryRun: false, prune: true });
  /** By the clock of the database. */
  const isNow = (time: string) =>
    world.query(
      `create or replace function usage_now() returns timestamp language sql volatile return (${time})::timestamp`,
    );
  const refusals = async () =>
    sampled(readExposition((await world.composition.metrics.expose()).body), 'portico_budget_refusals_total');
  const rows = async (sql: string) => (await world.composition.database.pool.query(sql)).rows;

  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await sendToApi(world.baseUrl, ada, path, { body, headers });
    return {
      status: answer.status,
      body: (await answer.json()) as {
        readonly data?: { readonly id: string; readonly error: string | null };
      } & Refusal,
      wait: answer.headers.get('retry-after'),
    };
  };
  const create = (name = 'Reader', headers: Record<string, string> = {}) =>
    post(`/agents/${world.agentId(name)}/run`, { user_message: 'Read' }, headers);
  const begin = async (name = 'Reader') => {
    const { body } = await create(name);
    const [work] = await queue().lease('test', 1, 60);
    if (!work || work.run.id !== body.data?.id) throw new Error(`another run waits, or none: ${JSON.stringify(body)}`);
    return unitOf(work);
  };
  const unitOf = async (work: Work) => {
    const { lease } = work;
    const unit = { index: 0, conversationId: anId(), documentId: anId(), documentName: 'a.pdf' };
    const { conversationId, isLimited } = await queue().beginUnit(lease, unit);
    return {
      isLimited,
      lease,
      reserve: async (amount: number, pages = 0): Promise<Reservation['outcome']> =>
        (await queue().reserve(lease, conversationId, costing(amount, pages))).outcome,
      spend: (amount: number) => queue().append(lease, conversationId, [], costing(amount)),
      finish: (pagesOcr: number) =>
        queue().finishUnit(lease, 0, { status: 'completed', document: finished({ pagesOcr }) }),
    };
  };

  it('are not asked where there are none, nor for what they only warn of, nor of another agent', async () => {
    const limited = async (...budgets: readonly string[]) => {
      await have(...budgets);
      const unit = await begin();
      return [unit.isLimited, (await unit.spend(0)).isLimited];
    };
    expect(await limited()).to.deep.equal([false, false]);
    expect(await limited(all('0.01', 'period: day, action: warn'))).to.deep.equal([false, false]);
    expect(await limited(all('1', 'period: day, action: stop, agent: Other'))).to.deep.equal([false, false]);
    expect(await limited(all('1', 'period: day, action: stop, agent: Reader'))).to.deep.equal([true, true]);
  });

  it('reserve what a step may cost at most as long as anything is left, and set free what it did not cost', async () => {
    await have(all('1.00'));
    const [one, two, three] = [await begin(), await begin(), await begin()];
    expect(await one.reserve(0.6)).to.equal('reserved');
    expect(await two.reserve(0.6)).to.equal('reserved');
    expect(await three.reserve(0.1)).to.equal('full');
    await one.spend(0.3);
    expect(await three.reserve(0.1)).to.equal('reserved');
    expect(await one.reserve(0.1), 'spent 0.3, reserved 0.7').to.equal('full');
    await two.spend(0.69);
    expect(await one.reserve(5), 'spent 0.99').to.equal('full');
    await three.spend(0);
    expect(await one.reserve(5)).to.equal('reserved');
    await one.spend(0.01);
    expect(await two.reserve(0.001)).to.equal('spent');
    expect(await rows('select * from budget_reservations')).to.deep.equal([]);
  });

  it('take the place of what the same step had reserved', async () => {
    await have(all('1.00'));
    const [one, two] = [await begin(), await begin()];
    expect([await one.reserve(2), await one.reserve(0.5), await two.reserve(0.1)]).to.deep.equal([
      'reserved',
      'reserved',
      'reserved',
    ]);
  });

  it('let no more than one of many reserve what is left', async () => {
    await have(all('1.00'));
    const units = [];
    for (let each = 0; each < 12; each += 1) units.push(await begin());
    const outcomes = await Promise.all(units.map(({ reserve }) => reserve(1)));
    expect(outcomes.toSorted()).to.deep.equal([...Array(11).fill('full'), 'reserved']);
  });

  it('count the pages that OCR read, before they are paid for and after', async () => {
    await have(all('1.00'));
    const [one, two] = [await begin(), await begin()];
    expect(await one.reserve(0, 4)).to.equal('reserved');
    expect(await two.reserve(0)).to.equal('full');
    await one.spend(0);
    await one.finish(4);
    expect(await two.reserve(0)).to.equal('spent');
  });

  it('count what was reserved for a step as spent once its worker is lost', async () => {
    await have(all('1.00'));
    const lost = await begin();
    expect(await lost.reserve(1)).to.equal('reserved');
    const other = await begin('Other');
    expect(await other.reserve(0.1)).to.equal('full');
    await world.query('update run_leases set expires_at = now() where run_id = $1', [lost.lease.runId]);
    expect(await other.reserve(0.1)).to.equal('spent');
    const [again] = await queue().lease('test', 1, 60);
    expect(again?.lease.runId).to.equal(lost.lease.runId);
    expect(await lost.reserve(0.1).catch(({ name }: Error) => name)).to.equal('LeaseLost');
    if (again)
      expect(await (await unitOf(again)).reserve(0.1), 'by the worker that takes the run over').to.equal('spent');
    expect((await create()).status).to.equal(429);
  });

  /** The id of a conversation that waits for a message. */
  const talk = async () => {
    await create('Clerk');
    const [work] = await queue().lease('test', 1, 60);
    if (!work) throw new Error('no run waits');
    const conversationId = anId();
    await queue().beginUnit(work.lease, { index: 0, conversationId, documentId: anId(), documentName: null });
    await queue().finishUnit(work.lease, 0, { status: 'completed', document: null });
    await queue().finish(work.lease, { event: 'complete' });
    return conversationId;
  };

  it('let a turn wait while all is reserved for others, and end it with its error once they are spent', async () => {
    await have(all('1.00'));
    const conversationId = await talk();
    const say = () => post(`/threads/${conversationId}/messages`, { message: 'Hi' });
    const other = await begin();
    const answered = async (amount: number) => {
      expect(await other.reserve(1)).to.equal('reserved');
      const answer = say();
      const first = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 1000, 'waits'))]);
      expect(first).to.equal('waits');
      await other.spend(amount);
      return answer;
    };
    const { status, body } = await answered(0.5);
    expect([status, body.data?.error]).to.deep.equal([200, null]);
    expect(await rows('select * from budget_reservations')).to.deep.equal([]);
    const before = await refusals();
    const late = await answered(0.5);
    expect(await refusals()).to.equal(before + 1);
    expect(late.status).to.equal(200);
    expect(late.body.data?.error).to.match(/^The budget All, 1\.00 EUR for this month, is spent\./);
    const thread = await sendToApi(world.baseUrl, ada, `/threads/${conversationId}`);
    expect(await thread.json()).to.have.nested.property('data.status', 'idle');
  });

  it('are named to a program that starts a run by a tool', async () => {
    await have(all('1.00'));
    await (await begin()).spend(1);
    const called = await fetch(world.mcpUrl('Clerk'), {
      method: 'POST',
      headers: {
        'x-api-key': ada,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'start_run', arguments: { user_message: 'Read' } },
      }),
    });
    expect(await called.text()).to.match(/The budget All, 1\.00 EUR for this month, is spent\./);
  });

  it('refuse runs and messages once they are spent, until the period ends, and keep nothing of what they refuse', async () => {
    await have(all('1.00'));
    const conversationId = await talk();
    await (await begin()).spend(1);
    await isNow(`'2026-11-29 23:59:00'`);
    await world.query(`update usage_entries set day = '2026-11-29'`);
    const said = () => post(`/threads/${conversationId}/messages`, { message: 'Hi' });
    const key = { 'Idempotency-Key': anId() };
    for (const { status, body, wait } of [await create('Other', key), await said()]) {
      expect({ status, code: body.code, wait }).to.deep.equal({
        status: 429,
        code: 'budget_exhausted',
        wait: String(86_400 + 60),
      });
      expect(body.detail).to.match(/^The budget All, 1\.00 EUR for this month, is spent\./);
    }
    expect(await rows('select status from runs')).to.have.length(2);
    await have(all('1.01'));
    expect((await said()).status).to.equal(200);
    expect((await create('Other', key)).status, 'the key was not used').to.equal(200);
  });

  it('begin anew with the day and the month, in UTC', async () => {
    const day = all('1.00', 'period: day, action: stop');
    const month = 'name: Month, limit: "2.00", period: month, action: stop';
    await have(day, month);
    const unit = await begin();
    await isNow(`'2026-11-29 23:59:59.999'`);
    expect(await unit.reserve(1)).to.equal('reserved');
    await unit.spend(1);
    expect([await unit.reserve(1), (await create()).wait]).to.deep.equal(['spent', '1']);
    await queue().sweep();
    await isNow(`'2026-11-30 00:00:00'`);
    expect(await unit.reserve(1)).to.equal('reserved');
    await unit.spend(1);
    expect([await unit.reserve(1), (await create()).wait]).to.deep.equal(['spent', '86400']);
    await isNow(`'2026-12-01 00:00:00'`);
    expect(await unit.reserve(1)).to.equal('reserved');
    await unit.spend(0.5);
    expect(await unit.reserve(1)).to.equal('reserved');
  });

  it('of an agent stop that agent alone, and those of all agents every one; the tighter one counts', async () => {
    await have(all('1.00'), 'name: Readers, agent: Reader, limit: "0.5", period: day, action: stop');
    const [reader, other] = [await begin(), await begin('Other')];
    await reader.spend(0.5);
    expect([await reader.reserve(0), await other.reserve(0)]).to.deep.equal(['spent', 'reserved']);
    const refused = await create();
    expect(refused.body.detail).to.match(/^The budget Readers of the agent Reader, 0\.5 EUR for this day, is spent\./);
    expect((await create('Other')).status).to.equal(200);
    await other.spend(0.5);
    expect([await reader.reserve(0), await other.reserve(0)]).to.deep.equal(['spent', 'spent']);
    const both = await create();
    expect(both.body.detail, 'the one that lasts longer').to.match(/^The budget All,/);
  });

  it('count what was spent before they were there, and end when they are taken out of the file', async () => {
    await have();
    const unit = await begin();
    await unit.spend(0.6);
    await queue().sweep();
    await unit.spend(0.4);
    await have(all('1.00'));
    expect(await unit.reserve(0)).to.equal('spent');
    await have(all('1.01'));
    expect(await unit.reserve(0.5)).to.equal('reserved');
    await have(all('0.5'));
    expect((await create()).status, 'lowered in the middle').to.equal(429);
    await have();
    expect(await unit.reserve(0.5)).to.equal('reserved');
    expect((await unit.spend(0.5)).isLimited).to.equal(false);
    expect(await rows('select * from budget_reservations')).to.deep.equal([]);
    expect((await create()).status).to.equal(200);
  });

  /** By the log of events, which a webhook is sent as well. */
  const told = async () => {
    await queue().sweep();
    const answer = await sendToApi(world.baseUrl, ada, '/events?types=budget.*');
    const { data } = (await answer.json()) as {
      data: { events: { type: string; run_id: string | null; data: Record<string, unknown> }[] };
    };
    return data.events.map(({ type, run_id, data: { agent, ...mark } }) => ({
      type,
      run_id,
      agent: (agent as { name: string } | null)?.name ?? null,
      ...mark,
    }));
  };

  it('tell once in a period that 80 % are spent, and that all is', async () => {
    await have(
      all('1.00', 'period: day, action: warn'),
      'name: Readers, agent: Reader, limit: "2", period: month, action: stop',
    );
    await isNow(`'2026-11-30 12:00:00'`);
    const unit = await begin();
    await unit.spend(0.79);
    expect(await told()).to.deep.equal([]);
    await unit.spend(0.01);
    const base = { run_id: null, agent: null, budget: 'All', limit: '1.00', currency: 'EUR' };
    const warned = { ...base, type: 'budget.warning', period_start: '2026-11-30', spent: '0.8' };
    expect(await told()).to.deep.equal([warned]);
    await unit.spend(0.7);
    const spent = { ...warned, type: 'budget.exhausted', spent: '1.5' };
    expect(await told()).to.deep.equal([warned, spent]);
    await unit.spend(0.05);
    await Promise.all([queue().sweep(), queue().sweep(), queue().sweep()]);
    expect(await told()).to.deep.equal([warned, spent]);
    await isNow(`'2026-12-01 00:00:00'`);
    await unit.spend(1.7);
    const next = { period_start: '2026-12-01', spent: '1.7' };
    const ofReader = { ...base, agent: 'Reader', budget: 'Readers', limit: '2', ...next };
    expect(await told()).to.deep.equal([
      warned,
      spent,
      { ...warned, ...next },
      { ...spent, ...next },
      { ...ofReader, type: 'budget.warning' },
    ]);
  });

  it('tell of what is spent when they are lowered, and of what lost workers had reserved', async () => {
    await have(all('10.00'));
    const unit = await begin();
    await unit.spend(1);
    expect(await told()).to.deep.equal([]);
    await have(all('1.20'));
    expect((await told()).map(({ type }) => type)).to.deep.equal(['budget.warning']);
    expect(await unit.reserve(0.5)).to.equal('reserved');
    expect(await told()).to.have.length(1);
    await world.query('update run_leases set expires_at = now()');
    expect((await told()).map(({ type }) => type)).to.deep.equal(['budget.warning', 'budget.exhausted']);
  });

  it('are listed with what is spent, reserved and left, to those who see their agents', async () => {
    const list = async (as: string) => {
      const answer = await sendToApi(world.baseUrl, as, '/budgets');
      return ((await answer.json()) as { data: { budgets: readonly object[]; currency: string | null } }).data;
    };
    const bob = await world.key({ email: 'bob@example.com' });
    await have();
    expect(await list(ada)).to.deep.equal({ budgets: [], currency: 'EUR' });
    await have(all('1.50'), 'name: Others, agent: Other, limit: "0.1", period: day, action: warn');
    await isNow(`'2026-12-31 23:00:00'`);
    const unit = await begin('Other');
    await unit.spend(0.3);
    await queue().sweep();
    await unit.spend(0.0001);
    await unit.reserve(0.2);
    const ofAll = {
      name: 'All',
      agent: null,
      period: 'month',
      period_start: '2026-12-01',
      period_end: '2027-01-01',
      limit: '1.50',
      action: 'stop',
      spent: '0.3001',
      reserved: '0.2',
      left: '0.9999',
    };
    const ofOther = {
      name: 'Others',
      agent: { id: world.agentId('Other'), name: 'Other' },
      period: 'day',
      limit: '0.1',
      period_start: '2026-12-31',
      period_end: '2027-01-01',
      action: 'warn',
      spent: '0.3001',
      reserved: '0.2',
      left: '0',
    };
    expect(await list(ada)).to.deep.equal({ budgets: [ofAll, ofOther], currency: 'EUR' });
    expect(await list(bob)).to.deep.equal({ budgets: [ofAll], currency: 'EUR' });
  });

  it('are counted by how far they are spent, and listed for the operator', async () => {
    const of = (name: string, limit: string, action: string) =>
      `name: ${name}, period: month, limit: "${limit}", action: ${action}`;
    await have(
      of('Ample', '10.00', 'stop'),
      of('Nearly', '1.25', 'stop'),
      of('Told', '1', 'warn'),
      of('Spent', '0.5', 'stop'),
    );
    await (await begin('Reader')).spend(1);
    const { database, container } = world.composition;
    const counted = await budgetStates(database)();
    expect(counted.map(({ action, state, count }) => `${action} ${state} ${count}`)).to.have.members([
      'stop within 1',
      'stop nearly 1',
      'warn spent 1',
      'stop spent 1',
    ]);
    const listed = await container.get(BudgetRepository).all();
    expect(listed.map(({ name, state }) => [name, state])).to.deep.equal([
      ['Ample', 'within'],
      ['Nearly', 'nearly'],
      ['Spent', 'spent'],
      ['Told', 'spent'],
    ]);
    expect(listed[0]).to.deep.include({ workspace: 'acme', agent: null, spent: '1', limit: '10.00', currency: 'EUR' });
    expect(listed[0]?.periodEnd).to.match(/^\d{4}-\d{2}-01$/);
  });

  it('do not count what has no price, and stop it once they are spent', async () => {
    await have(all('1.00'));
    const [unpriced, priced] = [await begin('Unpriced'), await begin()];
    expect(await unpriced.reserve(100)).to.equal('reserved');
    expect(await priced.reserve(0)).to.equal('reserved');
    await unpriced.spend(100);
    await priced.spend(1);
    expect(await unpriced.reserve(0)).to.equal('spent');
  });
});
