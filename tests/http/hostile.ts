import { expect } from 'chai';
import fc from 'fast-check';
import type { Log } from '../../src/application/ports/runtime.ts';
import { anyCharacter } from '../support/arbitraries.ts';
import { api, type Call, type CallOptions, filled, type Harness, operationsIn } from '../support/http.ts';

const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);

const scrap = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom(
    '',
    '%',
    '%00',
    '%ZZ',
    '..',
    '\0',
    '\ud800',
    "' or 1=1 --",
    '{{x}}',
    '__proto__',
    '1e309',
    '-1',
    '9'.repeat(400),
    'null',
    '{}',
    '[]',
  ),
  fc.uuid(),
);

const headerText = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 300,
});

const names = [
  'x-request-id',
  'idempotency-key',
  'traceparent',
  'if-none-match',
  'authorization',
  'content-type',
  'content-encoding',
  'accept',
  'origin',
];

/** Bodies that look like what an operation wants, with anything in any place. */
const body = fc.oneof(
  fc.record(
    {
      files: fc.oneof(
        fc.jsonValue(),
        fc.array(fc.record({ file_key: fc.anything(), file_name: scrap, content_type: scrap }, { requiredKeys: [] }), {
          maxLength: 4,
        }),
      ),
      user_message: fc.oneof(scrap, fc.jsonValue()),
      process_together: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);

/** Whatever is sent, an answer is one that the description declares. */
export const hostile = (name: string, start: (log: Log) => Promise<Harness>, numRuns: number) =>
  describe(`hostile requests to ${name}`, () => {
    let server: Harness;
    let call: Call;
    let key: string;
    const errors: unknown[] = [];
    const log = {
      debug() {},
      info() {},
      warn: (...line: unknown[]) => void errors.push(line),
      error: (...line: unknown[]) => void errors.push(line),
    };
    before(async () => {
      server = await start(log);
      ({ call } = await api(server.baseUrl));
      key = await server.key();
    });
    after(() => server.stop());

    it(`never make a 500, an undeclared answer or a line of stack (seed ${seed})`, async () => {
      const { document } = await api(server.baseUrl);
      const request = fc.record({
        operation: fc.constantFrom(...operationsIn(document)),
        usual: fc.boolean(),
        params: fc.record({ id: scrap, agent_id: scrap }),
        query: fc.dictionary(fc.constantFrom('limit', 'offset', 'status', 'agent_id', 'wait', 'x'), scrap, {
          maxKeys: 4,
        }),
        headers: fc.dictionary(fc.constantFrom(...names), headerText, { maxKeys: 2 }),
        raw: fc.option(fc.oneof(fc.uint8Array({ maxLength: 60 }), scrap), { nil: undefined }),
        body,
      });
      await fc.assert(
        fc.asyncProperty(
          request,
          async ({ operation: { id, method, path }, usual, params, query, headers, raw, body: wanted }) => {
            const sample = await server.request(id);
            const target = filled(
              path,
              usual
                ? sample.params
                : Object.fromEntries(
                    Object.entries(params).map(([name, value]) => [name, value.toWellFormed() || '-']),
                  ),
            );
            const takesBody = method === 'POST';
            const options: CallOptions = {
              key,
              method,
              headers: { 'content-type': 'application/json', ...headers },
              query: Object.fromEntries(
                Object.entries(query).map(([name, value]) => [name, name === 'wait' ? `x${value}` : value]),
              ),
              ...(takesBody && (raw === undefined ? { body: wanted } : { raw })),
            };
            const answer = await call(target, options);
            expect(answer.status, `${method} ${target}: ${answer.text}`).to.be.below(500);
          },
        ),
        { seed, numRuns },
      );
      expect(errors).to.deep.equal([]);
    });
  });
