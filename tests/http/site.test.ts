import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { expect } from 'chai';
import Koa from 'koa';
import type { State } from '../../src/adapters/http/context.ts';
import { errorCodes } from '../../src/adapters/http/error-codes.ts';
import type { Limits } from '../../src/adapters/http/limits.ts';
import { operations } from '../../src/adapters/http/operations.ts';
import { pageRoutes, pagesUnder } from '../../src/adapters/http/pages/pages.ts';
import type { SignedUrls } from '../../src/application/ports/blobs.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { listen } from '../support/listen.ts';
import { type Overrides, type StandIn, startStandIn } from './stand-in.ts';

interface DescribedOperation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses?: Readonly<Record<string, { readonly headers?: object }>>;
}

/** As much of the description as says which headers there are. */
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, { readonly headers?: object }>> };
}

const get = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });

const serving = async (overrides: Overrides, work: (server: StandIn) => Promise<void>) => {
  const server = await startStandIn(overrides);
  try {
    await work(server);
  } finally {
    await server.stop();
  }
};

describe('the pages', () => {
  let server: StandIn;
  before(async () => {
    server = await startStandIn();
  });
  after(() => server.stop());

  it('are served with a policy, an ETag, a limit and a request id', async () => {
    for (const [path, type] of [
      ['/developers', 'text/html; charset=utf-8'],
      ['/docs', 'text/html; charset=utf-8'],
      ['/docs/assets/swagger-ui.css', 'text/css; charset=utf-8'],
      ['/docs/assets/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
      ['/docs/assets/reference.css', 'text/css; charset=utf-8'],
      ['/docs/assets/reference.js', 'text/javascript; charset=utf-8'],
      ['/openapi.yaml', 'application/yaml; charset=utf-8'],
      ['/openapi.json', 'application/json'],
      ['/llms.txt', 'text/plain; charset=utf-8'],
    ] as const) {
      const page = await get(`${server.baseUrl}${path}`);
      const text = await page.text();
      expect([page.status, page.headers.get('content-type')], path).to.deep.equal([200, type]);
      expect(page.headers.get('content-security-policy'), path).to.match(/^default-src 'none'/);
      expect([...page.headers.keys()], path).to.include.members([
        'x-request-id',
        'ratelimit-limit',
        'x-content-type-options',
        'referrer-policy',
      ]);
      const etag = page.headers.get('etag') ?? '';
      const again = await get(`${server.baseUrl}${path}`, { headers: { 'if-none-match': etag } });
      expect([again.status, await again.text()], path).to.deep.equal([304, '']);
      const head = await get(`${server.baseUrl}${path}`, { method: 'HEAD' });
      expect(Number(head.headers.get('content-length')), path).to.equal(Buffer.byteLength(text));
      expect((await get(`${server.baseUrl}${path}`, { method: 'POST' })).headers.get('allow'), path).to.equal(
        'GET, HEAD',
      );
    }
  });

  it('are made again where they could not be made at first', async () => {
    let isCrowded = true;
    const page = pagesUnder("default-src 'none'")('/page', 'text/plain', () => {
      if (isCrowded) throw new Error('too many open files');
      return 'here';
    });
    const app = new Koa<State>().use(pageRoutes([page], { perAddress: async () => {} } as unknown as Limits).routes());
    app.silent = true;
    const { baseUrl, stop } = await listen(app.callback());
    try {
      expect((await get(`${baseUrl}/page`)).status).to.equal(500);
      isCrowded = false;
      expect(await (await get(`${baseUrl}/page`)).text()).to.equal('here');
    } finally {
      await stop();
    }
  });

  it('name no other site, and run no script but their own', async () => {
    for (const path of ['/developers', '/docs', '/docs/assets/reference.js']) {
      const page = await get(`${server.baseUrl}${path}`);
      const text = await page.text();
      expect(text.match(/(?:src|href)="(?:https?:)?\/\/[^"]*"/g), path).to.equal(null);
      expect(text, path).not.to.match(/<script(?! src=")|\son\w+=|style="/);
      expect(page.headers.get('content-security-policy'), path).not.to.match(/https?:|script-src[^;]*unsafe/);
    }
  });

  it('have a place for every code of an error, which its type leads to', async () => {
    const guide = await (await get(`${server.baseUrl}/developers`)).text();
    for (const code of Object.keys(errorCodes)) expect(guide.split(` id="error-${code}"`), code).to.have.length(2);
    const answer = await get(`${server.baseUrl}/api/v1/nowhere`);
    const { type, title } = (await answer.json()) as { type: string; title: string };
    expect([type, title]).to.deep.equal(['https://portico.example.com/developers#error-not_found', 'Not found']);
  });

  it('answer errors as problems to those who prefer them, and to no others', async () => {
    const typeFor = async (accept: string | null) =>
      (await get(`${server.baseUrl}/api/v1/runs`, accept === null ? {} : { headers: { accept } })).headers.get(
        'content-type',
      );
    for (const accept of [
      'application/problem+json',
      'application/problem+json, application/json',
      'application/json;q=0.5, application/problem+json',
    ])
      expect(await typeFor(accept), accept).to.equal('application/problem+json');
    for (const accept of [
      null,
      '*/*',
      'application/json',
      'application/json, application/problem+json',
      'text/html',
      'text/event-stream',
      'x',
    ])
      expect(await typeFor(accept), `${accept}`).to.equal('application/json');
  });

  it('say what to do where a part of the reference does not come', async function () {
    if (!hasChromium) return this.skip();
    const browser = await launchChromium();
    const page = await browser.newPage();
    const hint = page.getByText('If it does not appear, load this page again');
    const isHinted = async () => {
      await page.goto(`${server.baseUrl}/docs`, { waitUntil: 'networkidle' });
      return hint.isVisible();
    };
    try {
      for (const part of ['swagger-ui-bundle.js', 'reference.js', 'openapi.json']) {
        await page.route(`**/${part}`, (route) => route.abort('connectionreset'));
        expect(await isHinted(), part).to.equal(true);
        await page.unrouteAll();
      }
      await page.route('**/openapi.json', (route) => route.fulfill({ status: 429, json: { code: 'rate_limited' } }));
      expect(await isHinted(), 'too many requests').to.equal(true);
      await page.unrouteAll();
      await page.reload();
      await page.getByText('Create a run').first().waitFor();
      expect(await hint.count()).to.equal(0);
    } finally {
      await browser.close();
    }
  });

  it('allow the style of the guide by its hash', async () => {
    const page = await get(`${server.baseUrl}/developers`);
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(await page.text()) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page.headers.get('content-security-policy')).to.contain(`'sha256-${hash}'`);
  });

  it('tell of every operation, every error and every anchor that the index points at', async () => {
    const guide = await (await get(`${server.baseUrl}/developers`)).text();
    const llms = await (await get(`${server.baseUrl}/llms.txt`)).text();
    for (const { summary, path } of operations) {
      expect(guide).to.contain(summary);
      expect(llms).to.contain(summary).and.to.contain(`/api/v1${path}`);
    }
    for (const code of Object.keys(errorCodes)) expect(guide).to.contain(`<code>${code}</code>`);
    const index = await (await get(`${server.baseUrl}/api/v1`)).text();
    const anchors = [...index.matchAll(/developers#([\w-]+)/g)].map(([, id]) => id);
    expect(new Set(anchors).size).to.be.at.least(5);
    for (const anchor of anchors) expect(guide).to.contain(`id="${anchor}"`);
    for (const [, target] of guide.matchAll(/href="#([\w-]+)"/g)) expect(guide).to.contain(`id="${target}"`);
    expect(guide).to.contain('Deprecation').and.to.contain('Sunset').and.to.contain('180 days');
    expect(guide, 'calls that wait for a person')
      .to.contain('the page where a person decides')
      .and.not.contain('not offered');
    expect(llms).to.match(/^# Portico\n\n> .+\n/);
    for (const [, target = ''] of llms.matchAll(/\]\((.*?)\): /g)) expect(target).to.match(/^https?:\S+$/);
  });

  it('show how events are followed, a version is asked for and the client is used', async () => {
    const text = (page: string) => page.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&#39;', "'");
    const guide = text(await (await get(`${server.baseUrl}/developers`)).text());
    for (const shown of [
      '"$PORTICO/events?wait=25"',
      '"$PORTICO/events?wait=25&after=$NEXT"',
      '-H "Accept: text/event-stream" \\\n  $PORTICO/runs/$RUN_ID/events',
      'portico listen --types',
      'portico listen --forward',
      '"agent_version": 1',
      `import { portico } from 'portico/client';`,
      'client.runEvents(id)',
    ])
      expect(guide).to.contain(shown);
    const ids = [...guide.matchAll(/<section id="([\w-]+)"/g)].map(([, id]) => id);
    expect(ids).to.include.members(['events', 'agent-versions', 'client']);
    const llms = await (await get(`${server.baseUrl}/llms.txt`)).text();
    expect(llms).to.contain('`GET /api/v1/events?wait=25`').and.to.contain('`Last-Event-ID` resumes');
  });

  it('begin at the root: the guide for people, the index for programs', async () => {
    const to = async (accept: string) =>
      (await get(`${server.baseUrl}/`, { headers: { accept } })).headers.get('location');
    expect([await to('text/html,*/*;q=0.8'), await to('application/json'), await to('*/*')]).to.deep.equal([
      'developers',
      'api/v1',
      'api/v1',
    ]);
    expect((await get(`${server.baseUrl}/favicon.ico`)).status).to.equal(204);
  });

  it('are only read, at every address: another method is 405', () =>
    serving(
      {
        console: {
          path: '/console',
          load: async () => ({ page: '<p>', policy: "default-src 'none'", files: new Map() }),
        },
      },
      async ({ baseUrl }) => {
        for (const path of ['/', '/favicon.ico', '/developers', '/console', '/console/documents']) {
          const answer = await get(`${baseUrl}${path}`, { method: 'POST' });
          expect([answer.status, answer.headers.get('allow')], path).to.deep.equal([405, 'GET, HEAD']);
          expect((await answer.json()) as object, path).to.include({ code: 'method_not_allowed' });
        }
        expect((await get(`${baseUrl}/nothing`, { method: 'POST' })).status).to.equal(404);
      },
    ));

  it('do not use up what calls may cost', () =>
    serving({ limits: { requests: 1 } }, async ({ baseUrl }) => {
      expect((await get(`${baseUrl}/docs`)).status).to.equal(200);
      expect((await get(`${baseUrl}/docs`)).status).to.equal(429);
      expect((await get(`${baseUrl}/api/v1`)).status).to.equal(200);
    }));
});

describe('calls from browsers', () => {
  const origin = 'https://app.example.com';
  const preflight = {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' },
  };

  it('are off by default', () =>
    serving({}, async ({ baseUrl }) => {
      const answer = await get(`${baseUrl}/api/v1`, { headers: { origin } });
      expect(answer.headers.get('access-control-allow-origin')).to.equal(null);
      expect((await get(`${baseUrl}/api/v1/agents`, preflight)).status).to.equal(405);
    }));

  it('are allowed to the origins that are listed and to no other', () =>
    serving({ corsOrigins: [origin] }, async ({ baseUrl }) => {
      const answer = await get(`${baseUrl}/api/v1/agents`, { headers: { origin } });
      expect([
        answer.status,
        answer.headers.get('access-control-allow-origin'),
        answer.headers.get('vary'),
      ]).to.deep.equal([401, origin, 'Origin']);
      expect(answer.headers.get('access-control-expose-headers'))
        .to.contain('RateLimit-Remaining')
        .and.to.contain('X-Request-Id');
      const other = await get(`${baseUrl}/api/v1`, { headers: { origin: 'https://evil.example.com' } });
      expect([other.headers.get('access-control-allow-origin'), other.headers.get('vary')]).to.deep.equal([
        null,
        'Origin',
      ]);
    }));

  it('are announced by a preflight, which needs no credential', () =>
    serving({ corsOrigins: [origin] }, async ({ baseUrl }) => {
      const answer = await get(`${baseUrl}/api/v1/agents`, preflight);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([204, origin]);
      expect(answer.headers.get('access-control-allow-headers'))
        .to.contain('X-API-Key')
        .and.to.contain('Idempotency-Key');
      expect(answer.headers.get('access-control-allow-methods')).to.contain('DELETE');
      expect([...answer.headers.keys()]).to.include.members([
        'x-request-id',
        'ratelimit-limit',
        'access-control-max-age',
      ]);
      const plain = await get(`${baseUrl}/api/v1/agents`, { method: 'OPTIONS' });
      expect([plain.status, plain.headers.get('allow')]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
      expect((await get(`${baseUrl}/api/v1/agents`, { method: 'PUT' })).headers.get('allow')).to.equal(
        'GET, HEAD, OPTIONS',
      );
    }));

  it('may send and read every header that the description names', () =>
    serving({ corsOrigins: [origin] }, async ({ baseUrl }) => {
      const description = (await (await get(`${baseUrl}/openapi.json`)).json()) as Described;
      const operations = Object.values(description.paths).flatMap((path) => Object.values(path));
      const sent = operations.flatMap(({ parameters = [] }) => parameters.filter((each) => each.in === 'header'));
      const shared = Object.values(description.components.responses);
      const answers = [...shared, ...operations.flatMap(({ responses = {} }) => Object.values(responses))];
      const read = answers
        .flatMap(({ headers = {} }) => Object.keys(headers))
        .filter((name) => name !== 'Cache-Control');
      const namesIn = (answer: Response, header: string) =>
        (answer.headers.get(header) ?? '').toLowerCase().split(', ');
      const allowed = namesIn(await get(`${baseUrl}/api/v1/agents`, preflight), 'access-control-allow-headers');
      const exposed = namesIn(await get(`${baseUrl}/api/v1`, { headers: { origin } }), 'access-control-expose-headers');
      expect(allowed).to.include.members([...new Set(sent.map(({ name }) => name.toLowerCase()))]);
      expect(exposed).to.include.members([...new Set(read.map((name) => name.toLowerCase()))]);
    }));

  it('may come from anywhere with *', () =>
    serving({ corsOrigins: ['*'] }, async ({ baseUrl }) => {
      const answer = await get(`${baseUrl}/api/v1`, { headers: { origin } });
      expect([answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')]).to.deep.equal([
        '*',
        null,
      ]);
    }));
});

describe('the signed URLs of the embedded store', () => {
  const troubles: string[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (_: object, text: string) => void troubles.push(text),
    error: (_: object, text: string) => void troubles.push(text),
  };
  const stored = new Map<string, { data: Buffer; contentType: string }>();
  const signedUrls: SignedUrls = {
    mount: '/blobs/',
    async accept({ target, contentType, contentLength, body }) {
      if (target.includes('expired')) throw new DomainError('forbidden', 'The URL has expired.');
      if ((contentLength ?? 0) > 3_000_000) throw new DomainError('too_large', 'The file is too large.');
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      stored.set(target, { data: Buffer.concat(chunks), contentType: contentType ?? '' });
    },
    async serve({ target }) {
      const found = stored.get(target);
      if (!found) throw new DomainError('not_found', 'There is no such file.');
      const parts = async function* () {
        yield found.data;
      };
      const fileName = target.includes('named') ? 'Müller.html' : null;
      return { size: found.data.length, contentType: found.contentType, fileName, body: parts() };
    },
  };
  let server: StandIn;
  before(async () => {
    server = await startStandIn({ signedUrls, log, limits: { requests: 1 } });
  });
  after(() => server.stop());

  it('take and give files beyond the limits of the API, and are not counted', async () => {
    const url = `${server.baseUrl}/blobs/a/b.html?signature=abc`;
    const data = Buffer.alloc(2_000_000, 'x');
    for (let time = 0; time < 3; time++) {
      const put = await get(url, { method: 'PUT', body: data, headers: { 'content-type': 'text/html' } });
      expect([put.status, await put.text(), put.headers.get('ratelimit-limit')]).to.deep.equal([200, '', null]);
      expect(put.headers.get('x-request-id')).to.be.a('string');
    }
    const got = await get(url);
    expect(Buffer.from(await got.arrayBuffer()).equals(data)).to.equal(true);
    expect([got.headers.get('content-type'), got.headers.get('content-length')]).to.deep.equal([
      'text/html',
      '2000000',
    ]);
    expect(got.headers.get('content-security-policy')).to.match(/^sandbox/);
    expect(got.headers.get('content-disposition')).to.equal('attachment');
    expect(got.headers.get('x-content-type-options')).to.equal('nosniff');
    const named = `${server.baseUrl}/blobs/named?signature=abc`;
    await get(named, { method: 'PUT', body: 'x', headers: { 'content-type': 'text/html' } });
    expect((await get(named)).headers.get('content-disposition')).to.equal(
      `attachment; filename="M_ller.html"; filename*=UTF-8''M%C3%BCller.html`,
    );
    const head = await get(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, '2000000']);
  });

  it('take no notice of an upload that breaks off', async () => {
    const url = new URL(`${server.baseUrl}/blobs/half`);
    const upload = request(url, { method: 'PUT', headers: { 'content-length': '100' } });
    const gone = new Promise((resolve) => upload.once('close', resolve));
    upload.on('error', () => {});
    upload.write('half');
    setTimeout(() => upload.destroy(), 50);
    await gone;
    expect((await get(`${server.baseUrl}/blobs/half`)).status).to.equal(404);
    expect(troubles).to.deep.equal([]);
  });

  it('answer refusals in the form of every other error', async () => {
    for (const [path, init, status, code] of [
      ['/blobs/a?expired=1', { method: 'PUT', body: 'a' }, 403, 'forbidden'],
      ['/blobs/large', { method: 'PUT', body: Buffer.alloc(3_000_001) }, 413, 'payload_too_large'],
      ['/blobs/none', {}, 404, 'not_found'],
      ['/blobs/a', { method: 'POST' }, 405, 'method_not_allowed'],
    ] as const) {
      const answer = await get(`${server.baseUrl}${path}`, init);
      const body = (await answer.json()) as Record<string, unknown>;
      expect([answer.status, body.status, body.code], path).to.deep.equal([status, status, code]);
      expect(body.request_id).to.equal(answer.headers.get('x-request-id'));
    }
  });
});

describe('client addresses', () => {
  const forwarded = (baseUrl: string, value: string) =>
    get(`${baseUrl}/api/v1`, { headers: { 'x-forwarded-for': value } });

  it('are not believed from headers unless proxies are trusted', () =>
    serving({ limits: { requests: 1 } }, async ({ baseUrl }) => {
      expect((await forwarded(baseUrl, '203.0.113.1')).status).to.equal(200);
      expect((await forwarded(baseUrl, '203.0.113.2')).status).to.equal(429);
    }));

  it('are those that the nearest trusted proxy names', () =>
    serving({ limits: { requests: 1 }, trustedProxies: 1 }, async ({ baseUrl }) => {
      const statuses = [];
      for (const value of ['203.0.113.1', '203.0.113.2', '198.51.100.9, 203.0.113.1'])
        statuses.push((await forwarded(baseUrl, value)).status);
      expect(statuses).to.deep.equal([200, 200, 429]);
    }));

  it('of one IPv6 network count as one', () =>
    serving({ limits: { requests: 1 }, trustedProxies: 1 }, async ({ baseUrl }) => {
      const statuses = [];
      for (const value of [
        '2001:db8:1:2::1',
        '2001:DB8:1:2:ffff::2',
        '2001:db8:1:3::1',
        '::ffff:192.0.2.7',
        '192.0.2.7',
        'nonsense',
        'unknown',
      ]) {
        statuses.push((await forwarded(baseUrl, value)).status);
      }
      expect(statuses).to.deep.equal([200, 429, 200, 200, 429, 200, 429]);
    }));
});
