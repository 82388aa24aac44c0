import { expect } from 'chai';
import { httpApp } from '../../src/adapters/http/app.ts';
import { inProcessLimiter } from '../../src/adapters/rate-limiter/in-process.ts';
import { aesSealer } from '../../src/adapters/system/sealer.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { exampleConnection } from '../../src/wire/connection.ts';
import { api, type Call } from '../support/http.ts';
import { listen } from '../support/listen.ts';
import { settingsOf, world } from './stand-in.ts';

const sealer = aesSealer(new Uint8Array(32).fill(3));
const records = `/connections/${exampleConnection.id}/records`;
const query = { entity_id: 'public.entries' };

describe('the egress gateway', () => {
  const its = world();
  const limiter = inProcessLimiter(performance);
  const limits = { requests: 20 };
  const through = { 'x-svc-egress': 'true' };
  const seen: string[] = [];
  const traces: unknown[] = [];
  const stops: (() => Promise<void>)[] = [];
  let gateway: string;
  let call: Call;
  let direct: Call;

  const serve = async (egress: { url: string | null; isGateway: boolean; sealer?: typeof sealer }, { use } = its) => {
    const app = httpApp(settingsOf(its, { use, limiter, limits, egress: { sealer, ...egress } }));
    const server = await listen((request, response) => {
      if (egress.isGateway) {
        seen.push(`${request.method} ${request.url}`);
        traces.push(request.headers.traceparent);
      }
      void app.callback()(request, response);
    });
    stops.push(server.stop);
    return server.baseUrl;
  };

  before(async () => {
    gateway = await serve({ url: null, isGateway: true });
    ({ call } = await api(await serve({ url: gateway, isGateway: false })));
    ({ call: direct } = await api(await serve({ url: null, isGateway: false })));
  });
  beforeEach(() => seen.splice(0));
  after(() => Promise.all(stops.map((stop) => stop())));

  it('gives the answers that the API gives, rows, writes and refusals alike', async () => {
    const key = its.newKey();
    const write = {
      method: 'PATCH',
      body: { entity: 'public.entries', key_column: 'id', key_value: 1, values: { a: 'é' } },
    };
    for (const [path, options] of [
      [`/api/v1${records}`, { query }],
      [`/api/v1${records}`, write],
      ['/api/v1/connections/00000000-0000-7000-8000-000000000000/records', { query }],
    ] as const) {
      const [one, other] = [
        await call(path, { key, ...options, headers: through }),
        await call(path, { key, ...options }),
      ];
      const plain = ({ request_id, ...rest }: Record<string, unknown>) => rest;
      expect([one.status, plain(one.body as never)]).to.deep.equal([other.status, plain(other.body as never)]);
    }
    expect(seen.map((line) => line.split('?')[0])).to.deep.equal([
      `GET /v1${records}`,
      `PATCH /v1${records}`,
      'GET /v1/connections/00000000-0000-7000-8000-000000000000/records',
    ]);
  });

  it('says of a refusal when to come back, and in the form that the client asks for, as the API does', async () => {
    const refuse = async () => {
      throw new DomainError('rate_limited', 'Your share of the sessions is in use.', { retryAfterSeconds: 7 });
    };
    const busy = { ...its, use: { ...its.use, connections: { ...its.use.connections, records: refuse } } };
    const behind = await serve({ url: null, isGateway: true }, busy);
    const headers = { ...through, accept: 'application/problem+json' };
    const { call: forwarded } = await api(await serve({ url: behind, isGateway: false }, busy));
    const { call: alone } = await api(await serve({ url: null, isGateway: false }, busy));
    const shown = async (ask: Call, given: Readonly<Record<string, string>>) => {
      const answer = await ask(`/api/v1${records}`, { key: its.newKey(), query, headers: given });
      const names = ['content-type', 'retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining'];
      return [answer.status, ...names.map((name) => answer.headers.get(name))];
    };
    const expected = [429, 'application/problem+json', '7', '20', '19'];
    expect(await shown(alone, { accept: headers.accept })).to.deep.equal(expected);
    expect(await shown(forwarded, headers)).to.deep.equal(expected);
  });

  it('gets the bytes that the client sent', async () => {
    let got = '';
    const { baseUrl, stop } = await listen((request, response) => {
      request.setEncoding('utf8').on('data', (part: string) => {
        got += part;
      });
      request.on('end', () => response.setHeader('content-type', 'application/json').end('{"rows_affected":1}'));
    });
    stops.push(stop);
    const { call: toIt } = await api(await serve({ url: baseUrl, isGateway: false }));
    const body = { entity: 'public.entries', key_column: 'id', key_value: 1, values: { a: 'é, 日本, 😀' } };
    await toIt(`/api/v1${records}`, { key: its.newKey(), method: 'PATCH', body, headers: through });
    expect(JSON.parse(got)).to.deep.equal(body);
  });

  it('is asked in the trace of the request', async () => {
    const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    await call(`/api/v1${records}`, { key: its.newKey(), query, headers: { ...through, traceparent } });
    await call(`/api/v1${records}`, { key: its.newKey(), query, headers: { ...through, traceparent: 'nonsense' } });
    expect(traces.slice(-2)).to.deep.equal([traceparent, undefined]);
  });

  it('counts a request once', async () => {
    const key = its.newKey();
    const answer = await call(`/api/v1${records}`, { key, query, headers: through });
    expect(answer.headers.get('ratelimit-remaining')).to.equal('19');
    expect((await call(`/api/v1${records}`, { key, query })).headers.get('ratelimit-remaining')).to.equal('18');
  });

  it('counts a direct request, whatever its headers claim', async () => {
    const key = its.newKey();
    const forged = aesSealer(new Uint8Array(32).fill(9)).seal(`x ${Date.now()}`);
    const stolen = sealer.seal(`another ${Date.now()}`);
    for (const [counted, remaining] of [
      [forged, '19'],
      [stolen, '18'],
      ['', '17'],
    ] as const) {
      const headers = { 'x-api-key': key, 'x-request-id': 'x', 'x-portico-counted': counted };
      const answer = await fetch(`${gateway}/v1${records}?entity_id=a`, { headers });
      expect([answer.status, answer.headers.get('ratelimit-remaining')]).to.deep.equal([200, remaining]);
      await answer.body?.cancel();
    }
  });

  it('serves the records operations and nothing else', async () => {
    const headers = { 'x-api-key': its.newKey() };
    for (const path of [`/api/v1${records}?entity_id=a`, '/api/v1/agents', '/docs', '/openapi.json', '/v1/agents']) {
      expect((await fetch(gateway + path, { headers })).status, path).to.equal(404);
    }
    expect((await fetch(`${gateway}/v1${records}?entity_id=a`)).status).to.equal(401);
  });

  it('is 400 where none is configured, and where the header is neither true nor false', async () => {
    const key = its.newKey();
    for (const [target, value] of [
      [direct, 'true'],
      [call, 'maybe'],
    ] as const) {
      const answer = await target(`/api/v1${records}`, { key, query, headers: { 'x-svc-egress': value } });
      expect([
        answer.status,
        (answer.body as { errors: { path: string }[] }).errors.map(({ path }) => path),
      ]).to.deep.equal([400, ['headers.x-svc-egress']]);
    }
    expect((await direct(`/api/v1${records}`, { key, query, headers: { 'x-svc-egress': 'false' } })).status).to.equal(
      200,
    );
    expect(seen).to.deep.equal([]);
  });

  it('is 500 where the gateway is away', async () => {
    const away = await api(await serve({ url: 'http://127.0.0.1:9', isGateway: false }));
    const answer = await away.call(`/api/v1${records}`, { key: its.newKey(), query, headers: through });
    expect([answer.status, answer.body]).to.deep.include.members([500]);
    expect(answer.body).to.include({
      code: 'upstream_unavailable',
      detail: 'The egress gateway could not be reached.',
    });
  });
});
