import { expect } from 'chai';
import { API, type Operation, refusalsOf } from '../../src/adapters/http/operation.ts';
import { operations } from '../../src/adapters/http/operations.ts';
import { type Scope, scopes } from '../../src/domain/access.ts';
import {
  api,
  type Call,
  type CallOptions,
  filled,
  type Harness,
  type HarnessLimits,
  type StartHarness,
} from '../support/http.ts';

const unknownId = '00000000-0000-7000-8000-000000000000';

/** Nothing that these ids name is there. */
const unknown: CallOptions & { params: Readonly<Record<string, string>> } = {
  params: { id: unknownId, agent_id: unknownId, connection_id: unknownId, version: '7', index: '0', page: '1' },
};

/** Errors that no codec sees: a use case finds them, still before it looks for what the ids name. */
const foundByTheUseCase: Readonly<Record<string, readonly CallOptions[]>> = {
  createRun: [{ body: { files: [] } }, { body: { user_message: ' ' } }],
  listRecords: [
    { query: { entity_id: 'public.a', filter: '{' } },
    { query: { entity_id: 'public.a', filter: '[]' } },
    { query: { entity_id: 'public.a', filter: '{"a":{"nosuch":1}}' } },
  ],
  runQuery: [{ body: { database_id: unknownId, query: ' ' } }],
};

/** Requests of an operation that are wrong in themselves, for something that is not there. */
const malformed = (op: Operation): readonly CallOptions[] => {
  const json = { 'content-type': 'application/json' };
  return [
    ...(op.body
      ? [
          { raw: 'no json', headers: json },
          { raw: '[]', headers: json },
        ]
      : []),
    ...(foundByTheUseCase[op.id] ?? []),
  ];
};

const anotherScope = (op: Operation) =>
  (Object.keys(scopes) as Scope[]).filter(
    (scope) => typeof op.access !== 'object' || ![op.access.scope, op.access.or].includes(scope),
  );

/**
 * Section 2 of the contract: route → credential → rate limit → scope and role → parameters and body → existence → state. Each request is
 * wrong from one stage on, at every later one as well: the answer shows the first.
 */
export const orderOfChecks = (name: string, start: StartHarness, served: readonly Operation[] = operations) =>
  describe(`the order of checks of ${name}`, () => {
    const limited: Partial<HarnessLimits> = { requests: 3 };
    let open: Harness;
    let spent: Harness;
    let call: Call;
    let callSpent: Call;
    before(async () => {
      open = await start();
      spent = await start(limited);
      ({ call } = await api(open.baseUrl));
      ({ call: callSpent } = await api(spent.baseUrl));
    });
    after(async () => {
      await open.stop();
      await spent.stop();
    });

    const at = (op: Operation) => filled(API + op.path, unknown.params);
    const wrongIn = (op: Operation): CallOptions => ({ method: op.method.toUpperCase(), ...malformed(op)[0] });

    /** A key whose window is spent. */
    const spentKey = async (terms: Parameters<Harness['key']>[0]) => {
      const key = await spent.key(terms);
      for (let used = 0; used < 3; used++) await callSpent('/api/v1/nowhere', { key });
      return key;
    };

    it('begins with the route: an unknown path is 404 and another method 405, whatever else is wrong', async () => {
      const key = await spentKey({ scopes: [] });
      for (const credential of [undefined, 'svc-nobody', key]) {
        for (let time = 0; time < 4; time++) {
          expect(
            (await callSpent('/api/v1/nowhere', { key: credential, method: 'POST', raw: '{' })).status,
            credential,
          ).to.equal(404);
          expect(
            (await callSpent('/api/v1/runs', { key: credential, method: 'PUT', raw: '{' })).status,
            credential,
          ).to.equal(405);
        }
      }
    });

    for (const op of served.filter(({ access }) => access !== 'public')) {
      it(`is kept by ${op.method.toUpperCase()} ${API}${op.path}`, async () => {
        const wrong = wrongIn(op);
        expect((await call(at(op), wrong)).status, 'no credential').to.equal(401);
        const limitedKey = await spentKey({ scopes: anotherScope(op), role: op.writes ? 'viewer' : 'admin' });
        expect((await callSpent(at(op), { ...wrong, key: limitedKey })).status, 'a spent limit').to.equal(429);
        const scoped = await open.key({ scopes: anotherScope(op) });
        const mayAny = op.access === 'credential';
        expect((await call(at(op), { ...wrong, key: scoped })).status, 'another scope').to.equal(mayAny ? 200 : 403);
        if (op.writes)
          expect(
            (await call(at(op), { ...wrong, key: await open.key({ role: 'viewer' }) })).status,
            'a viewer',
          ).to.equal(403);
        const key = await open.key();
        for (const error of malformed(op)) {
          const answer = await call(at(op), { method: op.method.toUpperCase(), ...error, key });
          expect(answer.status, `${JSON.stringify(error)}: ${answer.text}`).to.equal(400);
        }
        if (op.query) {
          const query =
            'limit=x&limit=x&offset=x&wait=x&width=x&from=x&format=x&entity_id=&conversation_id=&overlap_seconds=x&download_urls=x';
          const answer = await call(`${at(op)}?${query}`, { method: op.method.toUpperCase(), key });
          expect(answer.status, answer.text).to.equal(400);
        }
        if (op.params && refusalsOf(op).includes('not_found')) {
          const sample = await open.request(op.id);
          expect(
            (await call(at(op), { method: op.method.toUpperCase(), ...sample, key })).status,
            'not there',
          ).to.equal(404);
        }
      });
    }
  });
