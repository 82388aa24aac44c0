import { expect } from 'chai';
import { API, type Operation } from '../../src/adapters/http/operation.ts';
import { operations } from '../../src/adapters/http/operations.ts';
import {
  type Answer,
  api,
  type CallOptions,
  filled,
  type Harness,
  type HarnessLimits,
  limitsOf,
  type StartHarness,
} from '../support/http.ts';

const numberIn = ({ headers }: Answer, name: string) => Number(headers.get(name) ?? Number.NaN);

const mustBeRefused = (answer: Answer, limit: number) => {
  expect(answer.status, answer.text).to.equal(429);
  expect(answer.body).to.include({ code: 'rate_limited', status: 429 });
  const reset = numberIn(answer, 'ratelimit-reset');
  expect([numberIn(answer, 'ratelimit-limit'), numberIn(answer, 'ratelimit-remaining')]).to.deep.equal([limit, 0]);
  expect([numberIn(answer, 'x-ratelimit-limit'), numberIn(answer, 'x-ratelimit-remaining')]).to.deep.equal([limit, 0]);
  expect(numberIn(answer, 'retry-after')).to.equal(reset).and.to.be.within(1, 60);
  expect(numberIn(answer, 'x-ratelimit-reset')).to.be.closeTo(Date.now() / 1000 + reset, 2);
};

/** The limits that every operation has, and those that some have besides. */
export const limitsConformance = (name: string, start: StartHarness, served: readonly Operation[] = operations) =>
  describe(`limits of ${name}`, () => {
    type Send = (op: Operation, options?: CallOptions) => Promise<Answer>;

    const open = async (limits: Partial<HarnessLimits>): Promise<{ harness: Harness; send: Send }> => {
      const harness = await start(limits);
      const { call } = await api(harness.baseUrl);
      const send: Send = async (op, options = {}) => {
        const { params, ...sample } = await harness.request(op.id);
        return call(filled(API + op.path, params), { method: op.method.toUpperCase(), ...sample, ...options });
      };
      return { harness, send };
    };

    const within = async (limits: Partial<HarnessLimits>, work: (harness: Harness, send: Send) => Promise<void>) => {
      const { harness, send } = await open(limits);
      await work(harness, send).finally(() => harness.stop());
    };

    // Each operation has credentials of its own, and with them windows of its own: one server is enough for all.
    describe('of a credential', () => {
      let opened: Awaited<ReturnType<typeof open>>;
      before(async () => {
        opened = await open({ requests: 2 });
      });
      after(() => opened?.harness.stop());

      for (const op of served.filter(({ access }) => access !== 'public')) {
        it(`${op.id} answers 429 with every header once its credential's window is spent, and to no other credential`, async () => {
          const { harness, send } = opened;
          const key = await harness.key();
          const answers = [await send(op, { key }), await send(op, { key })];
          expect(answers.map((each) => numberIn(each, 'ratelimit-remaining'))).to.deep.equal([1, 0]);
          mustBeRefused(await send(op, { key }), 2);
          expect((await send(op, { key: await harness.key() })).status).to.equal(op.success.status);
        });
      }
    });

    it('counts callers without a valid credential by address, on every path', () =>
      within({ requests: 4 }, async (harness, send) => {
        const { call } = await api(harness.baseUrl);
        const index = operations.find(({ access }) => access === 'public') as Operation;
        const protectedOne = operations.find(({ access }) => access !== 'public') as Operation;
        const answers = [
          await send(index),
          await send(protectedOne),
          await send(protectedOne, { key: 'svc-nobody' }),
          await call('/api/v1/nothing-here'),
        ];
        expect(answers.map((each) => [each.status, numberIn(each, 'ratelimit-remaining')])).to.deep.equal([
          [200, 3],
          [401, 2],
          [401, 1],
          [404, 0],
        ]);
        for (const refused of [await send(index), await send(protectedOne)]) mustBeRefused(refused, 4);
        expect((await call('/api/v1/nothing-here')).status, 'the route comes first').to.equal(404);
        expect((await send(protectedOne, { key: await harness.key() })).status).to.equal(protectedOne.success.status);
      }));

    it('counts unknown paths and methods on a valid credential', () =>
      within({ requests: 3 }, async (harness) => {
        const { call } = await api(harness.baseUrl);
        const key = await harness.key();
        const answers = [
          await call('/nothing', { key }),
          await call('/api/v1/runs', { key, method: 'PUT' }),
          await call('/%ZZ', { key }),
        ];
        expect(answers.map((each) => [each.status, numberIn(each, 'ratelimit-remaining')])).to.deep.equal([
          [404, 2],
          [405, 1],
          [404, 0],
        ]);
        expect((await call('/nothing', { key })).status, 'the route comes first').to.equal(404);
        mustBeRefused(await call('/api/v1/runs', { key }), 3);
      }));

    for (const op of operations.filter(({ limits }) => limits.length > 0)) {
      const [extra] = op.limits;
      it(`${op.id} has a limit per ${extra?.per} besides; what it refuses costs nothing of the credential's`, () =>
        within({ requests: 10, [extra?.size ?? 'runs']: 2 }, async (harness, send) => {
          const [one, other] = [await harness.key(), await harness.key()];
          const first = await send(op, { key: one });
          expect(numberIn(first, 'ratelimit-limit')).to.equal(2);
          expect(limitsOf(first).map(({ reset: _, ...each }) => each)).to.deep.equal([
            { name: 'credential', limit: 10, window: 60, remaining: 9 },
            { name: extra?.name, limit: 2, window: 60, remaining: 1 },
          ]);
          await send(op, { key: extra?.per === 'agent' ? other : one });
          mustBeRefused(await send(op, { key: one }), 2);
          mustBeRefused(await send(op, { key: one }), 2);
          const used = extra?.per === 'agent' ? 1 : 2;
          const list = operations.find(({ id }) => id === 'listAgents') as Operation;
          expect(numberIn(await send(list, { key: one }), 'ratelimit-remaining')).to.equal(10 - used - 1);
        }));
    }

    it('shows the tightest of several limits', () =>
      within({ requests: 3, runs: 2 }, async (harness, send) => {
        const create = operations.find(({ id }) => id === 'createRun') as Operation;
        const list = operations.find(({ id }) => id === 'listAgents') as Operation;
        const key = await harness.key();
        expect(
          numberIn(await send(create, { key }), 'ratelimit-limit'),
          'one of two runs is left, two of three requests',
        ).to.equal(2);
        await send(list, { key });
        await send(list, { key });
        const refused = await send(create, { key });
        mustBeRefused(refused, 3);
      }));
  });
