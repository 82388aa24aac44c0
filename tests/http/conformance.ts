import { expect } from 'chai';
import { API, type Operation, refusalsOf } from '../../src/adapters/http/operation.ts';
import { operations } from '../../src/adapters/http/operations.ts';
import type { Scope } from '../../src/domain/access.ts';
import { scopes } from '../../src/domain/access.ts';
import type { JsonSchema } from '../../src/domain/json.ts';
import {
  type Answer,
  api,
  type Call,
  type CallOptions,
  filled,
  type Harness,
  type OpenApiDocument,
  type Sample,
  type StartHarness,
} from '../support/http.ts';
import { mutationsOf } from './mutations.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: JsonSchema;
}

const errorsIn = ({ body }: Answer) => (body as { errors?: { path: string }[] }).errors?.map(({ path }) => path) ?? [];

const otherScopes = (...needed: readonly (Scope | undefined)[]) =>
  (Object.keys(scopes) as Scope[]).filter((scope) => !needed.includes(scope));

const unknownId = '00000000-0000-7000-8000-000000000000';

/** What every operation promises, derived from its declaration. Any server that serves the list keeps these. */
export const conformance = (name: string, start: StartHarness, served: readonly Operation[] = operations) =>
  describe(`conformance of ${name}`, () => {
    let harness: Harness;
    let call: Call;
    let document: OpenApiDocument;
    before(async () => {
      harness = await start();
      ({ call, document } = await api(harness.baseUrl));
    });
    after(() => harness.stop());

    const send = (op: Operation, { params, ...sample }: Sample, options: CallOptions = {}) =>
      call(filled(API + op.path, params), { method: op.method.toUpperCase(), ...sample, ...options });

    const described = (op: Operation) => {
      const found = document.paths[API + op.path]?.[op.method];
      if (!found) throw new Error(`${op.id} is not described`);
      return found;
    };

    const resolve = (schema: JsonSchema): JsonSchema => {
      const { $ref: ref, anyOf } = schema;
      if (typeof ref === 'string') {
        return ref
          .split('/')
          .slice(1)
          .reduce<unknown>((at, token) => (at as JsonSchema)[token], document) as JsonSchema;
      }
      return Array.isArray(anyOf) ? {} : schema;
    };

    it('is derived from at least ten operations, each of which is described', () => {
      expect(operations.length).to.be.at.least(10);
      for (const op of operations) expect(described(op).operationId).to.equal(op.id);
    });

    for (const op of served) {
      const codes = refusalsOf(op);
      const isPublic = op.access === 'public';

      describe(`${op.method.toUpperCase()} ${API}${op.path}`, () => {
        it('answers as its schema describes', async () => {
          const answer = await send(op, await harness.request(op.id), { key: await harness.key() });
          expect(answer.status, answer.text).to.equal(op.success.status);
        });

        it('takes the same key as a bearer credential', async () => {
          const headers = { authorization: `Bearer ${await harness.key()}` };
          const sample = await harness.request(op.id);
          const answer = await send(op, { ...sample, headers: { ...sample.headers, ...headers } });
          expect(answer.status, answer.text).to.equal(op.success.status);
        });

        if (isPublic) {
          it('needs no credential', async () => {
            expect((await send(op, {})).status).to.equal(200);
          });
        } else {
          it('answers 401 without a credential, whatever else is wrong', async () => {
            const answer = await send(
              op,
              { params: { id: '%00', agent_id: '%00', connection_id: '%00' } },
              op.body ? { raw: 'no json' } : {},
            );
            expect(answer.status).to.equal(401);
            expect(answer.body).to.include({ code: 'unauthenticated' });
            expect(answer.headers.get('www-authenticate')).to.equal('Bearer realm="portico"');
          });

          it('answers 401 to credentials of no caller, or two that differ', async () => {
            const key = await harness.key();
            const wrong: readonly Readonly<Record<string, string>>[] = [
              { 'x-api-key': 'svc-nobody' },
              { 'x-api-key': '' },
              { authorization: 'Bearer svcpt_nobody' },
              { authorization: 'Basic YTpi' },
              { authorization: 'Bearer' },
              { 'x-api-key': key, authorization: `Bearer ${await harness.key()}` },
              { 'x-api-key': key, authorization: 'Basic YTpi' },
            ];
            for (const headers of wrong) {
              const answer = await send(op, {}, { headers });
              expect(answer.status, JSON.stringify(headers)).to.equal(401);
              expect(answer.headers.get('www-authenticate')).to.contain('error="invalid_token"');
            }
          });

          if (op.access === 'credential') {
            it('takes a key without any scope', async () => {
              const answer = await send(op, await harness.request(op.id), { key: await harness.key({ scopes: [] }) });
              expect(answer.status, answer.text).to.equal(op.success.status);
            });
          } else {
            it('answers 403 to a key whose scopes do not name it, before it looks at the request', async () => {
              const { scope: needed = null, or } = typeof op.access === 'object' ? op.access : {};
              const key = await harness.key({ scopes: otherScopes(needed ?? undefined, or) });
              const answer = await send(
                op,
                { params: { id: 'x', agent_id: 'x', connection_id: 'x', version: 'x' } },
                { key, ...(op.body && { raw: 'no json' }) },
              );
              expect(answer.status, answer.text).to.equal(403);
              expect(answer.body).to.include({ code: 'missing_scope', ...(needed && { required_scope: needed }) });
              const challenge = `Bearer realm="portico", error="insufficient_scope"${needed ? `, scope="${needed}"` : ''}`;
              expect(answer.headers.get('www-authenticate')).to.equal(challenge);
            });
          }

          if (typeof op.access === 'object') {
            const { scope } = op.access;
            it('takes a key that has its scope and no other', async () => {
              const answer = await send(op, await harness.request(op.id), {
                key: await harness.key({ scopes: [scope] }),
              });
              expect(answer.status, answer.text).to.equal(op.success.status);
            });
          }

          const isRefused = op.writes || op.adminOnly;
          it(
            isRefused ? 'refuses a viewer with 403, before it looks at the request' : 'lets a viewer read',
            async () => {
              const key = await harness.key({ role: 'viewer' });
              const sample = isRefused
                ? { params: { id: 'x', agent_id: 'x', connection_id: 'x' } }
                : await harness.request(op.id, 'viewer');
              const answer = await send(op, sample, { key });
              expect(answer.status, answer.text).to.equal(isRefused ? 403 : op.success.status);
              if (isRefused) expect(answer.body).to.include({ code: op.writes ? 'viewer' : 'admin_only' });
            },
          );
        }

        if (op.method === 'get') {
          it('answers HEAD as it answers GET, without the body', async () => {
            const sample = await harness.request(op.id);
            const key = await harness.key();
            const get = () => send(op, sample, { key });
            const [before, head, after] = [await get(), await send(op, sample, { key, method: 'HEAD' }), await get()];
            expect([head.status, head.text]).to.deep.equal([before.status, '']);
            // What is answered may change meanwhile: a key has a last use.
            const sizes = [before, after].map(({ headers, size }) =>
              headers.has('transfer-encoding') ? null : String(size),
            );
            expect(sizes).to.include(head.headers.get('content-length'));
          });
        }

        it('answers 405 with Allow to a method it does not take', async () => {
          const isPut = operations.some(({ path, method }) => path === op.path && method === 'put');
          const method = isPut ? 'PATCH' : 'PUT';
          const answer = await send(op, await harness.request(op.id), { key: await harness.key(), method });
          expect(answer.status).to.equal(405);
          expect(answer.headers.get('allow')?.split(', ')).to.include(op.method.toUpperCase());
          if (op.method === 'get') expect(answer.headers.get('allow')).to.contain('HEAD');
        });

        if (codes.includes('invalid_request')) {
          it('answers 400 to every parameter that is not as declared, and names it', async () => {
            const key = await harness.key();
            const parameters = (described(op).parameters ?? []) as readonly Parameter[];
            for (const { name: parameter, in: place, schema } of parameters.filter((each) => each.in !== 'header')) {
              // In an address everything is text: where any text will do, only its bounds can be broken.
              const anyText =
                schema.type === 'string' && !('format' in schema || 'enum' in schema || 'pattern' in schema);
              const wrong = mutationsOf(schema, undefined, parameter, resolve).filter(({ value }) =>
                anyText ? typeof value === 'string' : typeof value !== 'object',
              );
              for (const { value } of wrong.filter((each) => each.value !== '' || place === 'query')) {
                const sample = await harness.request(op.id);
                const text = String(value);
                if (text.includes('\ud800')) continue;
                const changed =
                  place === 'path'
                    ? { params: { ...sample.params, [parameter]: text } }
                    : { query: { ...sample.query, [parameter]: text } };
                const answer = await send(op, { ...sample, ...changed }, { key });
                expect(answer.status, `${parameter}=${text}: ${answer.text}`).to.equal(400);
                expect(errorsIn(answer), `${parameter}=${text}`).to.deep.equal([`${place}.${parameter}`]);
              }
            }
          });
        }

        if (op.query) {
          it('answers 400 to a repeated parameter and ignores an unknown one', async () => {
            const key = await harness.key();
            const sample = await harness.request(op.id);
            const [parameter] = ((described(op).parameters ?? []) as readonly Parameter[]).filter(
              (each) => each.in === 'query',
            );
            if (!parameter) throw new Error('a query without parameters');
            const path = filled(API + op.path, sample.params);
            const twice = await call(`${path}?${parameter.name}=1&${parameter.name}=1`, {
              key,
              method: op.method.toUpperCase(),
            });
            expect([twice.status, errorsIn(twice)]).to.deep.equal([400, [`query.${parameter.name}`]]);
            const unknown = await send(op, { ...sample, query: { ...sample.query, nobody_asked: 'a' } }, { key });
            expect(unknown.status, unknown.text).to.equal(op.success.status);
          });
        }

        if (op.body) {
          it('answers 400 to every mutation of its body, and names the place', async () => {
            const key = await harness.key();
            const { schema, example } = (
              described(op).requestBody as { content: Record<string, { schema: JsonSchema; example: unknown }> }
            ).content['application/json'] as { schema: JsonSchema; example: unknown };
            const sample = await harness.request(op.id);
            const mutations = mutationsOf(schema, example, 'body', resolve);
            expect(mutations.length).to.be.at.least(10);
            for (const { why, path, value } of mutations) {
              const answer = await send(op, sample, { key, body: value });
              expect(answer.status, `${path} ${why}: ${answer.text}`).to.equal(400);
              const places = errorsIn(answer);
              expect(places.length, answer.text).to.be.at.least(1);
              expect(
                places.every((place) => place === 'body' || place.startsWith(path)),
                `${path} ${why}: ${places}`,
              ).to.equal(true);
            }
          });

          it(`answers 413 over 1 MiB, 400 to anything that is not JSON in UTF-8, ${op.specified ? 400 : 415} to another media type`, async () => {
            const key = await harness.key();
            const sample = await harness.request(op.id);
            const type = { 'content-type': 'application/json' };
            const large = await send(
              op,
              { ...sample, body: undefined },
              { key, headers: type, raw: ' '.repeat(1_048_577) },
            );
            expect([large.status, (large.body as { code: string }).code]).to.deep.equal([413, 'payload_too_large']);
            for (const raw of ['{"a":', '', `${'['.repeat(65)}${']'.repeat(65)}`]) {
              const answer = await send(op, { ...sample, body: undefined }, { key, raw, headers: type });
              expect(answer.status, raw.slice(0, 20)).to.equal(400);
            }
            for (const headers of [
              { 'content-type': 'text/plain' },
              { 'content-type': 'application/x-www-form-urlencoded' },
              { 'content-type': 'application/json; charset=utf-16' },
              { ...type, 'content-encoding': 'gzip' },
            ]) {
              const answer = await send(
                op,
                { ...sample, body: undefined },
                { key, raw: JSON.stringify(sample.body), headers },
              );
              const expected = op.specified ? [400, 'invalid_request'] : [415, 'unsupported_media_type'];
              expect([answer.status, (answer.body as { code: string }).code], JSON.stringify(headers)).to.deep.equal(
                expected,
              );
              expect(answer.headers.get('accept-patch')).to.equal(op.acceptPatch);
            }
          });

          it('ignores properties it does not know, also dangerous ones', async () => {
            const sample = await harness.request(op.id);
            const raw = JSON.stringify(sample.body).replace(
              /^\{/,
              '{"__proto__":{"admin":true},"constructor":1,"nobody_asked":[1],',
            );
            const answer = await send(
              op,
              { ...sample, body: undefined },
              {
                key: await harness.key(),
                raw,
                headers: { ...sample.headers, 'content-type': 'application/vnd.x+json' },
              },
            );
            const refuses = JSON.stringify(described(op).requestBody).includes('"additionalProperties":false');
            expect(answer.status, answer.text).to.equal(refuses ? 400 : op.success.status);
          });
        }

        if (codes.includes('not_found')) {
          it('answers 404 to what is not there', async () => {
            const sample = await harness.request(op.id);
            const params = {
              id: unknownId,
              agent_id: unknownId,
              connection_id: unknownId,
              version: '7',
              index: '0',
              page: '1',
            };
            const named = { database_id: unknownId, conversationId: unknownId, document_id: unknownId };
            const body = op.params || !op.body ? sample.body : { ...(sample.body as object), ...named };
            const query = op.params || op.body ? sample.query : { ...sample.query, user: unknownId };
            const answer = await send(op, { ...sample, params, body, query }, { key: await harness.key() });
            expect(answer.status).to.equal(404);
            expect(answer.body).to.include({ code: 'not_found' });
          });
        }
      });
    }
  });
