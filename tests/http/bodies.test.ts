import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { API } from '../../src/adapters/http/operation.ts';
import { operations } from '../../src/adapters/http/operations.ts';
import { openWorld, type World } from '../oauth/world.ts';
import { filled } from '../support/http.ts';

/** An endpoint that reads a body, and what it takes for one. */
interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly type: string;
}

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const AGENT = '00000000-0000-7000-8000-000000000000';

const ofTheApi: readonly Endpoint[] = operations
  .filter(({ body }) => body)
  .map(({ method, path }) => ({ method: method.toUpperCase(), path: filled(API + path), type: JSON_TYPE }));

const others: readonly Endpoint[] = [
  { method: 'POST', path: `${API}/agents/${AGENT}/mcp`, type: JSON_TYPE },
  { method: 'POST', path: '/oauth/token', type: FORM },
  { method: 'POST', path: '/oauth/revoke', type: FORM },
  { method: 'POST', path: '/oauth/register', type: JSON_TYPE },
  { method: 'POST', path: '/oauth/sign-in', type: FORM },
  { method: 'POST', path: '/oauth/interaction/none', type: FORM },
  { method: 'POST', path: '/oauth/grants', type: FORM },
  { method: 'POST', path: '/oauth/invitation/none', type: FORM },
  { method: 'POST', path: '/oauth/sign-out', type: FORM },
  { method: 'PUT', path: '/blobs/none', type: 'text/plain' },
  { method: 'POST', path: '/nowhere', type: JSON_TYPE },
  { method: 'GET', path: `${API}/agents`, type: JSON_TYPE },
];

const LARGE = 1_300_000;

/** A body that is written like this one is framed. */
const framings: Readonly<Record<string, (body: Buffer) => { header: string; bytes: Buffer }>> = {
  'with a length': (body) => ({ header: `Content-Length: ${body.length}`, bytes: body }),
  chunked: (body) => ({
    header: 'Transfer-Encoding: chunked',
    bytes: Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]),
  }),
};

/** One connection, on which responses are read one after the other. */
const open = (baseUrl: string) => {
  const { hostname, port } = new URL(baseUrl);
  const socket: Socket = connect(Number(port), hostname);
  let received = '';
  let ended = false;
  socket.on('data', (data) => {
    received += data.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    ended = true;
  });

  /** The next response, or null if the connection ends or stays silent for five seconds. */
  const response = async (): Promise<{ status: number; head: string } | null> => {
    for (let waited = 0; waited < 5000; waited += 5) {
      const [whole, status = '', , length = '0'] =
        /^HTTP\/1\.1 (\d+)([\s\S]*?\r\n[Cc]ontent-[Ll]ength: (\d+)(?=\r\n)[\s\S]*?|[\s\S]*?)\r\n\r\n/.exec(received) ??
        [];
      if (whole !== undefined && received.length >= whole.length + Number(length)) {
        received = received.slice(whole.length + Number(length));
        return { status: Number(status), head: whole };
      }
      if (ended) return null;
      await sleep(5);
    }
    return null;
  };
  return { send: (data: string | Buffer) => void socket.write(data), response, end: () => socket.destroy() };
};

interface Sent extends Endpoint {
  readonly headers?: readonly string[];
  readonly body: Buffer;
  readonly framing: string;
}

/** Sends a request and then another one on the same connection: the status of the first, and whether the second was answered. */
const askTwice = async (baseUrl: string, { method, path, type, headers = [], body, framing }: Sent) => {
  const connection = open(baseUrl);
  try {
    const framed = framings[framing]?.(body) ?? { header: '', bytes: body };
    connection.send(
      [
        `${method} ${path} HTTP/1.1`,
        'Host: portico',
        `Origin: ${baseUrl}`,
        `Content-Type: ${type}`,
        ...headers,
        framed.header,
        '',
        '',
      ].join('\r\n'),
    );
    connection.send(framed.bytes);
    const first = await connection.response();
    const closes = /\r\nconnection: close/i.test(first?.head ?? '');
    connection.send('GET /healthz HTTP/1.1\r\nHost: portico\r\n\r\n');
    const second = closes ? null : await connection.response();
    return { status: first?.status ?? null, connection: closes ? 'closes' : second ? 'goes on' : 'is dead' };
  } finally {
    connection.end();
  }
};

describe('request bodies', () => {
  let world: World;
  let key: string;
  before(async () => {
    world = await openWorld();
    key = await world.key('ada@example.com');
  });
  after(() => world.stop());

  const large = Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(LARGE, 'x'), Buffer.from('"}')]);

  for (const framing of Object.keys(framings)) {
    describe(`that are too large, ${framing},`, () => {
      for (const endpoint of [...ofTheApi, ...others]) {
        it(`leave the connection of ${endpoint.method} ${endpoint.path} in use`, async () => {
          for (const headers of [[], ['X-API-Key: svc-nobody'], [`X-API-Key: ${key}`]]) {
            const { status, connection } = await askTwice(world.baseUrl, {
              ...endpoint,
              headers,
              body: large,
              framing,
            });
            expect(status, headers[0]).to.be.within(200, 499);
            expect(connection, `${status} ${headers[0]}`).to.equal('goes on');
          }
        });
      }
    });
  }

  it('that are announced with an expectation that HTTP does not know are answered as without it', async () => {
    const connection = open(world.baseUrl);
    const head = [`POST ${API}/query HTTP/1.1`, 'Host: portico', `X-API-Key: ${key}`, `Content-Type: ${JSON_TYPE}`];
    connection.send([...head, 'Expect: the-unexpected', 'Content-Length: 2', '', '{}'].join('\r\n'));
    const answer = await connection.response();
    connection.end();
    expect(answer?.status).to.equal(400);
    expect(answer?.head)
      .to.match(/x-request-id: /i)
      .and.to.match(/ratelimit-remaining: \d/i);
  });

  it('that come after the limit of a caller is spent leave the connection in use', async () => {
    const small = await openWorld({ env: { RATE_LIMIT_REQUESTS: '1' } });
    try {
      const headers = [`X-API-Key: ${await small.key('ada@example.com')}`];
      const endpoint = {
        method: 'POST',
        path: `${API}/search-web`,
        type: JSON_TYPE,
        headers,
        body: large,
        framing: 'chunked',
      };
      expect((await askTwice(small.baseUrl, endpoint)).status).to.equal(413);
      expect(await askTwice(small.baseUrl, endpoint)).to.deep.equal({ status: 429, connection: 'goes on' });
    } finally {
      await small.stop();
    }
  });

  it('are refused as too large, each endpoint by its own limit', async () => {
    const statusOf = async (endpoint: Endpoint) =>
      (await askTwice(world.baseUrl, { ...endpoint, headers: [`X-API-Key: ${key}`], body: large, framing: 'chunked' }))
        .status;
    for (const endpoint of ofTheApi) expect(await statusOf(endpoint), endpoint.path).to.equal(413);
    for (const endpoint of others.filter(({ path }) => /^\/oauth\/(sign-in|grants)/.test(path))) {
      expect(await statusOf(endpoint), endpoint.path).to.equal(413);
    }
    for (const endpoint of others.filter(({ path }) => /^\/oauth\/(token|register)/.test(path))) {
      expect(await statusOf(endpoint), endpoint.path).to.equal(400);
    }
  });

  it('are refused where they are not UTF-8, by every endpoint', async () => {
    const agent = world.agent('Invoice reader');
    const bad: Readonly<Record<string, Buffer>> = {
      [JSON_TYPE]: Buffer.from([...Buffer.from('{"query":"caf'), 0xe9, ...Buffer.from('","client_name":"x"}')]),
      [FORM]: Buffer.from([...Buffer.from('email=caf'), 0xe9, ...Buffer.from('&token=x&grant_type=refresh_token')]),
    };
    const refusing = [...ofTheApi, ...others].filter(({ method, path }) => method === 'POST' && path !== '/nowhere');
    for (const framing of Object.keys(framings)) {
      for (const endpoint of refusing) {
        const path = endpoint.path.replace(`${AGENT}/mcp`, `${agent}/mcp`);
        const sent = {
          ...endpoint,
          path,
          headers: [`X-API-Key: ${key}`],
          body: bad[endpoint.type] ?? Buffer.alloc(0),
          framing,
        };
        expect(await askTwice(world.baseUrl, sent), `${endpoint.path} ${framing}`).to.deep.equal({
          status: 400,
          connection: 'goes on',
        });
      }
    }
  });

  it('and addresses are refused where what is percent-encoded is not UTF-8', async () => {
    const ask = (sent: Partial<Sent>) => {
      const headers = [`X-API-Key: ${key}`];
      return askTwice(world.baseUrl, {
        method: 'GET',
        path: '/',
        type: FORM,
        headers,
        body: Buffer.alloc(0),
        framing: 'with a length',
        ...sent,
      });
    };
    expect((await ask({ path: `${API}/runs?status=%FF` })).status).to.equal(400);
    expect((await ask({ path: `${API}/runs?x=%C3%A9+%2B` })).status).to.equal(200);
    expect((await ask({ path: `${API}/runs?x=100%` })).status).to.equal(400);
    // What the operation does not read may be anything, as unknown parameters may.
    for (const path of ['/agents', '/whoami', ''])
      expect((await ask({ path: `${API}${path}?x=%FF` })).status, path).to.equal(200);
    for (const path of ['/oauth/sign-in', '/oauth/token', '/oauth/revoke']) {
      expect(
        (await ask({ method: 'POST', path, body: Buffer.from('email=%FF&token=%FF&grant_type=%FF') })).status,
        path,
      ).to.equal(400);
    }
  });
});
