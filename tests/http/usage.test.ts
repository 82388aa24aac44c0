import { expect } from 'chai';
import fc from 'fast-check';
import { RunQueue } from '../../src/composition/modules/postgres.ts';
import { compare, type Decimal, decimalText, plus, readDecimal, zero } from '../../src/domain/decimal.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi } from '../support/api.ts';
import { anId, finished } from '../support/builders.ts';

const agent = (name: string, model: string, more = '') =>
  `  - { name: ${name}, workflow_type: document_extraction, model: ${model}, instructions: Read., document_schema: { type: object }${more} }`;

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
agents:
${agent('Reader', 'offline')}
${agent('Unpriced', 'openai/none')}
${agent('Hidden', 'offline', ', visible_to: [ada@example.com]')}
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help. }
prices:
  currency: EUR
  models: { offline: { input: "2.50", output: "10.00" } }
  ocr_page: "0.001"
`;

interface Figures {
  readonly runs: number;
  readonly documents: number;
  readonly pages: number;
  readonly pages_ocr: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: string | null;
}

interface Report {
  readonly rows: readonly (Figures & {
    readonly agent?: { readonly name: string };
    readonly agent_version?: number;
    readonly model?: string;
    readonly day?: string;
    readonly user?: { readonly name: string };
  })[];
  readonly total: Figures;
  readonly currency: string | null;
}

const nothing = { runs: 0, documents: 0, pages: 0, pages_ocr: 0, input_tokens: 0, output_tokens: 0, cost: null };
const coverage = (pagesRead: number) => ({
  pagesRead,
  pagesTotal: pagesRead,
  charactersRead: 1,
  charactersTotal: 1,
  complete: true,
  unread: [],
  doubts: [],
});

describe('usage', () => {
  let world: World;
  let [ada, bob] = ['', ''];

  before(async () => {
    world = await openWorld({ workspace, env: { RATE_LIMIT_RUNS: '1000000', OPENAI_API_KEY: 'none' } });
    [ada, bob] = [await world.key({ email: 'ada@example.com' }), await world.key({ email: 'bob@example.com' })];
  });
  after(() => world?.stop());
  beforeEach(() => world.query('truncate documents, runs, usage_entries, usage_days cascade'));

  const queue = () => world.composition.container.get(RunQueue);
  const report = async (query = '', as = ada) => {
    const { status, body, text } = await callApi<{ data: Report }>(world.baseUrl, as, `/usage${query}`);
    expect(status, text).to.equal(200);
    return body.data;
  };
  const begin = async (name: string, as = ada) => {
    const path = `/agents/${world.agentId(name)}/run`;
    const { body } = await callApi<{ data: { id: string } }>(world.baseUrl, as, path, {
      body: { user_message: 'Read' },
    });
    const [work] = await queue().lease('test', 1, 60);
    if (work?.run.id !== body.data.id) throw new Error('another run waits');
    const unit = { index: 0, conversationId: anId(), documentId: anId(), documentName: 'a.pdf' };
    await queue().beginUnit(work.lease, unit);
    return { id: body.data.id, lease: work.lease, conversationId: unit.conversationId };
  };
  const costOf = async (id: string) =>
    (await callApi<{ data: { cost: string | null } }>(world.baseUrl, ada, `/runs/${id}`)).body.data.cost;

  it('is none where nothing was done', async () => {
    expect(await report()).to.deep.equal({ rows: [], total: nothing, currency: 'EUR' });
  });

  it('adds up runs, documents, pages and tokens, and what they cost to the last digit', async () => {
    const { id, lease, conversationId } = await begin('Reader');
    await queue().append(lease, conversationId, [], { inputTokens: 1_234_567, outputTokens: 89 });
    expect(await costOf(id)).to.equal('3.0873075');
    await queue().finishUnit(lease, 0, {
      status: 'completed',
      document: finished({ coverage: coverage(3), pagesOcr: 2 }),
    });
    await queue().finish(lease, { event: 'complete' });
    expect(await costOf(id)).to.equal('3.0893075');
    const figures = { runs: 1, documents: 1, pages: 3, pages_ocr: 2, input_tokens: 1_234_567, output_tokens: 89 };
    const whole = {
      rows: [{ ...figures, cost: '3.0893075' }],
      total: { ...figures, cost: '3.0893075' },
      currency: 'EUR',
    };
    expect(await report()).to.deep.equal(whole);
    await queue().sweep();
    expect(await report(), 'by day').to.deep.equal(whole);
  });

  it('has no cost where nothing has a price, and adds up what has one', async () => {
    const priced = await begin('Reader');
    await queue().append(priced.lease, priced.conversationId, [], { inputTokens: 4, outputTokens: 0 });
    const free = await begin('Unpriced');
    await queue().append(free.lease, free.conversationId, [], { inputTokens: 1000, outputTokens: 1000 });
    expect([await costOf(priced.id), await costOf(free.id)]).to.deep.equal(['0.00001', null]);
    const { rows, total } = await report('?group_by=model');
    expect(rows.map(({ model, cost }) => [model, cost])).to.deep.equal([
      ['offline', '0.00001'],
      ['openai/none', null],
    ]);
    expect(total).to.include({ cost: '0.00001', input_tokens: 1004 });
  });

  it('groups by day, agent, version, model and user, three of them at a time', async () => {
    await begin('Reader');
    await begin('Reader', bob);
    const { rows } = await report('?group_by=agent,agent_version,user');
    expect(
      rows.map(({ agent, agent_version, user, runs }) => [agent?.name, agent_version, user?.name, runs]),
    ).to.deep.equal([
      ['Reader', 1, 'Ada', 1],
      ['Reader', 1, 'Bob', 1],
    ]);
    const today = new Date().toISOString().slice(0, 10);
    expect((await report('?group_by=day')).rows).to.deep.equal([{ ...nothing, day: today, runs: 2 }]);
    const before = `?from=2020-01-01&to=2020-12-31`;
    expect(await report(before)).to.deep.equal({ rows: [], total: nothing, currency: 'EUR' });
  });

  it('is of the agents that the caller sees', async () => {
    await begin('Hidden');
    expect((await report()).total.runs).to.equal(1);
    expect((await report('', bob)).total).to.deep.equal(nothing);
  });

  it('counts turns of conversations, which are no runs', async () => {
    const path = `/agents/${world.agentId('Clerk')}/run`;
    const { body } = await callApi<{ data: { id: string } }>(world.baseUrl, ada, path, {
      body: { user_message: 'Hello' },
    });
    const [work] = await queue().lease('test', 1, 60);
    if (!work) throw new Error('no run waits');
    const conversationId = anId();
    await queue().beginUnit(work.lease, { index: 0, conversationId, documentId: anId(), documentName: null });
    await queue().finishUnit(work.lease, 0, { status: 'completed', document: null });
    await queue().finish(work.lease, { event: 'complete' });
    expect(body.data.id).to.equal(work.run.id);
    expect((await report()).total).to.deep.equal({ ...nothing, runs: 1 });
    const said = await callApi(world.baseUrl, bob, `/threads/${conversationId}/messages`, {
      body: { message: 'What now?' },
    });
    expect(said.status, said.text).to.equal(200);
    const [row, ...others] = (await report('?group_by=user')).rows.filter(({ runs }) => runs === 0);
    expect(others).to.deep.equal([]);
    expect(row?.user?.name).to.equal('Bob');
    expect(row?.input_tokens).to.be.above(0);
    expect(row?.cost).to.match(/^0\.\d+$/);
  });

  it('loses and doubles nothing while steps are stored and added up at once', async () => {
    const runs = [];
    for (let each = 0; each < 4; each += 1) runs.push(await begin('Reader'));
    const steps = fc.sample(fc.tuple(fc.nat(5_000_000), fc.nat(5_000_000)), 80);
    const work = runs.map(async ({ lease, conversationId }, index) => {
      for (const [inputTokens, outputTokens] of steps.filter((_, at) => at % 4 === index))
        await queue().append(lease, conversationId, [], { inputTokens, outputTokens });
    });
    let over = false;
    const adding = (async () => {
      for (; !over; ) await queue().sweep();
    })();
    await Promise.all(work);
    over = true;
    await adding;
    const cost = (input: number, output: number): Decimal => ({
      digits: BigInt(input) * 25n + BigInt(output) * 100n,
      scale: 7,
    });
    const sum = steps.reduce((all, [input, output]) => plus(all, cost(input, output)), zero);
    const { rows, total } = await report('?group_by=day,user');
    const seen = readDecimal(total.cost ?? '') ?? zero;
    expect(compare(seen, sum), `${total.cost} of ${JSON.stringify(steps)}`).to.equal(0);
    expect(total.input_tokens).to.equal(steps.reduce((all, [input]) => all + input, 0));
    expect(rows.map(({ cost: each }) => each)).to.deep.equal([total.cost]);
    const ofRuns = await Promise.all(runs.map(({ id }) => costOf(id)));
    const together = ofRuns.reduce((all, each) => plus(all, readDecimal(each ?? '') ?? zero), zero);
    expect(compare(together, sum), decimalText(together)).to.equal(0);
  });

  for (const [query, why] of [
    ['?group_by=agent,agent', 'twice the same'],
    ['?group_by=week', 'no such group'],
    ['?group_by=day,agent,model,user', 'four groups'],
    ['?from=2026-02-30', 'no such day'],
    ['?from=2026-03-02&to=2026-03-01', 'an end before the beginning'],
  ] as const) {
    it(`refuses ${why}`, async () => {
      expect((await callApi(world.baseUrl, ada, `/usage${query}`)).status).to.equal(400);
    });
  }
});
