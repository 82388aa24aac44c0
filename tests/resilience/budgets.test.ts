import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { compare, type Decimal, decimalText, plus, readDecimal, times, zero } from '../../src/domain/decimal.ts';
import { callApi, sendToApi } from '../support/api.ts';
import { applyTo, keyOn } from '../support/operator.ts';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import type { Environment } from '../support/program.ts';
import { aFolder, aServer, type Server, shortLease } from '../support/server.ts';
import { until } from '../support/until.ts';
import { extraction, type SlowModel, slowModel } from './model.ts';
import { asking, sql } from './stage.ts';
import { randomOf } from './traffic.ts';

/** An answer takes as much as the request allows, and less is read than what was counted before. */
const tokens = { prompt: 200, completion: 4096 };
const prices = { input: '0.37', output: '10.01' };
const decimal = (text: string) => readDecimal(text) ?? zero;
const whole = (digits: number): Decimal => ({ digits: BigInt(digits), scale: 0 });
const costOf = (input: number, output: number): Decimal =>
  times(
    { digits: 1n, scale: 6 },
    plus(times(decimal(prices.input), whole(input)), times(decimal(prices.output), whole(output))),
  );
const STEP = costOf(tokens.prompt, tokens.completion);
const MOST_STEPS = 10;
const LIMIT = times(STEP, whole(MOST_STEPS));
const RUNS = 100;
const KILLS = Number(process.env.TEST_KILLS ?? 6);

const agents = ['Calm', 'Killed'] as const;
type Name = (typeof agents)[number];

const workspace = `
workspace: spenders
users:
  - { email: ada@example.com, name: Ada, role: admin }
agents:
${agents.map((name) => `  - { name: ${name}, workflow_type: document_extraction, model: openai/stub, instructions: "For ${name}.", document_schema: { type: object } }`).join('\n')}
prices: { currency: EUR, models: { openai/stub: { input: "${prices.input}", output: "${prices.output}" } } }
budgets:
${agents.map((name) => `  - { name: Of ${name}, agent: ${name}, period: month, limit: "${decimalText(LIMIT)}", action: stop }`).join('\n')}
`;

interface Run {
  readonly status: string;
  readonly status_reason: { readonly code: string } | null;
}

describe('a budget of ten steps, with 100 runs at once on three workers', function () {
  this.timeout(180_000 + KILLS * 20_000);
  let folder: string;
  let postgres: OwnDatabase;
  let model: SlowModel;
  let api: Server;
  let key = '';
  const workers: Server[] = [];
  const ids = new Map<string, string>();
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));

  before(async () => {
    console.log(`    seed: TEST_SEED=${seed}`);
    folder = await aFolder();
    [postgres, model] = await Promise.all([embeddedDatabase(), slowModel(tokens)]);
    api = await serverOf('api');
    await api.start();
    await applyTo(api, postgres.url, workspace);
    key = await keyOn(api, postgres.url, 'ada@example.com');
    const { body } = await callApi<{ data: { agents: { id: string; name: string }[] } }>(api.baseUrl, key, '/agents');
    for (const { id, name } of body.data.agents) ids.set(name, id);
    const random = randomOf(seed);
    model.behave(async ({ unit }) => {
      await sleep(20 + random() * 200);
      return extraction(unit);
    });
  });

  afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.close())));

  after(async () => {
    await api?.close();
    await model?.close();
    await postgres?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const serverOf = (role: 'api' | 'worker', env: Environment = {}) =>
    aServer({
      role,
      dataDir: path.join(folder, 'data'),
      env: { ...asking(model), DATABASE_URL: postgres.url, WORKER_CONCURRENCY: '8', ...env },
    });

  const startWorkers = async (env: Environment = {}) => {
    for (let each = 0; each < 3; each += 1) workers.push(await serverOf('worker', env));
    await Promise.all(workers.map((worker) => worker.start()));
  };

  /** All at once; the ids of those that were taken. */
  const begin = async (name: Name) => {
    const answers = await Promise.all(
      Array.from({ length: RUNS }, (_, index) =>
        sendToApi(api.baseUrl, key, `/agents/${ids.get(name)}/run`, {
          body: { user_message: `UNIT-${name}-${index}` },
        }),
      ),
    );
    const bodies = await Promise.all(
      answers.map(async (answer) => ({
        status: answer.status,
        body: (await answer.json()) as { data?: { id: string }; code?: string },
      })),
    );
    for (const { status, body } of bodies.filter(({ body }) => !body.data))
      expect([status, body.code]).to.deep.equal([429, 'budget_exhausted']);
    return bodies.flatMap(({ body }) => body.data?.id ?? []);
  };

  const ended = async (id: string): Promise<Run> => {
    for (;;) {
      const { body } = await callApi<{ data: Run }>(api.baseUrl, key, `/runs/${id}?wait=25`);
      if (!['queued', 'running'].includes(body.data.status)) return body.data;
    }
  };

  /** How the runs ended, and how often: what else than this happened is a failure. */
  const ends = async (runs: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const { status, status_reason } of await Promise.all(runs.map(ended))) {
      const end = status_reason?.code ?? status;
      counts.set(end, (counts.get(end) ?? 0) + 1);
    }
    return Object.fromEntries(counts);
  };

  /** What the events of the model say, at its prices. */
  const ofEvents = async (name: Name): Promise<Decimal> => {
    let sum = zero;
    for (let after = ''; ; ) {
      const { body } = await callApi<{
        data: { events: { run_id: string; data: { usage: Usage | null } }[]; next: string; has_more: boolean };
      }>(api.baseUrl, key, `/events?types=unit.model_called&limit=1000${after}`);
      const { events, next, has_more } = body.data;
      const mine = new Set((await runsOf(name)).map(({ id }) => id));
      for (const { run_id, data } of events)
        if (data.usage && mine.has(run_id)) sum = plus(sum, costOf(data.usage.input_tokens, data.usage.output_tokens));
      if (!has_more) return sum;
      after = `&after=${next}`;
    }
  };
  interface Usage {
    readonly input_tokens: number;
    readonly output_tokens: number;
  }
  const runsOf = (name: Name) =>
    sql<{ id: string }>(postgres.url, 'select id from runs where agent_id = $1', [ids.get(name)]);

  const ofUsage = async (name: Name): Promise<Decimal> => {
    const { body } = await callApi<{ data: { rows: { agent: { name: string }; cost: string | null }[] } }>(
      api.baseUrl,
      key,
      '/usage?group_by=agent',
    );
    return decimal(body.data.rows.find(({ agent }) => agent.name === name)?.cost ?? '0');
  };

  /** What the budget says is spent, and reserved. */
  const ofBudget = async (name: Name) => {
    const [found] = await sql<{ spent: string; reserved: string }>(
      postgres.url,
      'select u.spent, u.reserved from budgets b cross join lateral budget_use(b, usage_now()::date) u where b.agent_id = $1',
      [ids.get(name)],
    );
    return { spent: decimal(found?.spent ?? ''), reserved: found?.reserved };
  };
  const asked = (name: Name) => model.calls.filter(({ unit }) => unit.startsWith(`UNIT-${name}-`)).length;

  it('is spent by ten steps, to the last digit', async () => {
    await startWorkers();
    const runs = await begin('Calm');
    expect(await ends(runs)).to.deep.equal({
      completed: MOST_STEPS,
      ...(runs.length > MOST_STEPS && { budget_exhausted: runs.length - MOST_STEPS }),
    });
    expect(asked('Calm')).to.equal(MOST_STEPS);
    const { spent, reserved } = await ofBudget('Calm');
    expect(reserved).to.equal('0');
    for (const sum of [spent, await ofUsage('Calm'), await ofEvents('Calm')])
      expect(compare(sum, LIMIT), decimalText(sum)).to.equal(0);
    const refused = await sendToApi(api.baseUrl, key, `/agents/${ids.get('Calm')}/run`, {
      body: { user_message: 'x' },
    });
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).to.deep.equal([429, true]);
  });

  it(`is overspent by nothing while workers are killed ${KILLS} times, and /usage is the sum of the events`, async () => {
    await startWorkers(shortLease);
    const random = randomOf(seed + 1);
    const runs = await begin('Killed');
    expect(runs.length).to.be.above(0);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const victim = workers[Math.floor(random() * workers.length)] as Server;
      await sleep(random() * 300);
      await victim.kill();
      await victim.start();
    }
    const counts = await ends(runs);
    expect(Object.keys(counts)).to.satisfy((codes: string[]) =>
      codes.every((code) => ['completed', 'budget_exhausted', 'worker_lost'].includes(code)),
    );
    await until('no lease is held any more', async () => (await ofBudget('Killed')).reserved === '0');
    const { spent } = await ofBudget('Killed');
    // Whatever the model was asked for is spent, also by workers that never learned of it.
    const paid = times(STEP, whole(asked('Killed')));
    expect(asked('Killed')).to.be.within(1, MOST_STEPS);
    expect(compare(spent, paid), `${decimalText(spent)} of ${decimalText(paid)}`).to.be.at.least(0);
    expect(compare(spent, plus(LIMIT, STEP)), decimalText(spent)).to.be.below(0);
    const [usage, events] = [await ofUsage('Killed'), await ofEvents('Killed')];
    expect(compare(usage, events), `${decimalText(usage)}, ${decimalText(events)}`).to.equal(0);
    expect(compare(usage, spent), decimalText(usage)).to.be.at.most(0);
  });
});
