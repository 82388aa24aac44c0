import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type RunningServer, startServer } from '../../src/adapters/http/server.ts';
import { api } from '../../src/composition/api.ts';
import { readConfig } from '../../src/composition/config.ts';
import { openWorld, type World } from '../oauth/world.ts';
import { until } from '../support/until.ts';

interface Connection {
  send(text: string): void;
  readonly received: () => string;
  readonly isOpen: () => boolean;
  readonly ended: Promise<string>;
  close(): void;
}

const opened = new Set<Socket>();

/** A connection from this address of this machine; `ended` is all that was received. */
const open = async (port: number, from = '127.0.0.1'): Promise<Connection> => {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  opened.add(socket);
  let received = '';
  socket.on('data', (data) => {
    received += data.toString('latin1');
  });
  socket.on('error', () => {});
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  await new Promise((resolve) => socket.once('connect', resolve));
  return {
    send: (text) => void socket.write(text),
    received: () => received,
    isOpen: () => !socket.closed,
    ended,
    close: () => void socket.destroy(),
  };
};

/** Sends a character now and then, until the connection ends or there are no more. */
const trickle = async (connection: Connection, text: string, everyMs: number) => {
  for (const character of text) {
    if (!connection.isOpen()) return;
    connection.send(character);
    await sleep(everyMs);
  }
};

const answerOf = (received: string) => {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  return {
    status: Number(head.split(' ')[1]),
    head,
    body: JSON.parse(body || '{}') as Readonly<Record<string, unknown>>,
  };
};

describe('clients that have not shown who they are', () => {
  let world: World;
  let key: string;
  const servers: RunningServer[] = [];
  before(async () => {
    world = await openWorld();
    key = await world.key('ada@example.com');
  });
  afterEach(async () => {
    for (const socket of opened) socket.destroy();
    opened.clear();
    for (const server of servers.splice(0)) await server.stop(0);
  });
  after(() => world.stop());

  const start = async (
    terms: Partial<Parameters<typeof startServer>[1]> = {},
    env: Readonly<Record<string, string>> = {},
  ) => {
    const { DATABASE_URL = '', DATA_DIR = '' } = {
      DATABASE_URL: world.config.databaseUrl ?? '',
      DATA_DIR: world.config.dataDir,
    };
    const config = readConfig({
      DATABASE_URL,
      DATA_DIR,
      BASE_URL: world.baseUrl,
      RATE_LIMIT_REQUESTS: '1000000',
      ...env,
    });
    const server = await startServer(api(config, world.composition), { ...config, port: 0, ...terms });
    servers.push(server);
    return server.port;
  };

  describe('and send slowly', () => {
    const times = { headersMs: 600, bodyMs: 300 };
    const json = 'application/json';
    const form = 'application/x-www-form-urlencoded';

    const endpoints: readonly (readonly [string, string])[] = [
      ['POST /oauth/sign-in', form],
      ['POST /oauth/sign-out', form],
      ['POST /oauth/interaction/none', form],
      ['POST /oauth/token', form],
      ['POST /oauth/revoke', form],
      ['POST /oauth/register', json],
      ['POST /api/v1/search-web', json],
      ['POST /api/v1/agents/AGENT/run', json],
      ['POST /api/v1/agents/AGENT/mcp', json],
    ];
    for (const [endpoint, type] of endpoints) {
      for (const framing of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
        it(`get a 408 if their body is late: ${endpoint}, ${framing}`, async () => {
          const connection = await open(await start(times));
          const headers = [
            `X-API-Key: ${key}`,
            `Content-Type: ${type}`,
            'Accept: application/json, text/event-stream',
            framing,
          ];
          const line = endpoint.replace('AGENT', world.agent('Invoice reader'));
          connection.send(`${line} HTTP/1.1\r\nHost: x\r\nOrigin: ${world.baseUrl}\r\n${headers.join('\r\n')}\r\n\r\n`);
          void trickle(connection, framing.startsWith('Content') ? '{'.padEnd(900) : '1\r\n{\r\n'.repeat(150), 20);
          const { status, head, body } = answerOf(await connection.ended);
          expect([status, body.code, body.status]).to.deep.equal([408, 'request_timeout', 408]);
          expect(head)
            .to.match(/connection: close/i)
            .and.match(/x-request-id: /i);
        });
      }
    }

    it('get a 408 if their headers are late', async () => {
      const connection = await open(await start(times));
      void trickle(connection, `GET /api/v1 HTTP/1.1\r\nX-Slow: ${'x'.repeat(900)}`, 20);
      const { status, body } = answerOf(await connection.ended);
      expect([status, body.code]).to.deep.equal([408, 'request_timeout']);
    });

    it('are closed where they say nothing at all', async () => {
      expect(await (await open(await start(times))).ended).to.equal('');
    });

    const upload = async (size: number, bodyMs: number) => {
      const response = await fetch(`${world.baseUrl}/api/v1/agents/${world.agent('Invoice reader')}/upload-urls`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': json },
        body: JSON.stringify({ files: [{ file_name: 'a.txt', content_type: 'text/plain' }] }),
      });
      const { data } = (await response.json()) as { data: { files: readonly [{ upload_url: string }] } };
      const { pathname, search } = new URL(data.files[0].upload_url);
      const connection = await open(await start({ ...times, bodyMs }));
      connection.send(
        `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${size}\r\n\r\n`,
      );
      return connection;
    };

    it('may take the time that a file needs, as long as it arrives', async () => {
      const connection = await upload(20, 2_000);
      await trickle(connection, 'x'.repeat(20), 150);
      await until('the answer', () => connection.received() !== '');
      expect(answerOf(connection.received()).status).to.equal(200);
    });

    it('may not stop in the middle of a file', async () => {
      const connection = await upload(20, times.bodyMs);
      connection.send('x'.repeat(10));
      const { status, body } = answerOf(await connection.ended);
      expect([status, body.code]).to.deep.equal([408, 'request_timeout']);
    });
  });

  describe('and open many connections', () => {
    const openMany = (port: number, count: number, from?: string) =>
      Promise.all(Array.from({ length: count }, () => open(port, from)));
    const isAnswered = async (connection: Connection) => {
      const before = connection.received().length;
      connection.send('GET /api/v1 HTTP/1.1\r\nHost: x\r\n\r\n');
      await until('an answer', () => connection.received().length > before || !connection.isOpen());
      return connection.isOpen();
    };
    const ask = async (connection: Connection, credential: string) => {
      connection.send(`GET /api/v1/agents HTTP/1.1\r\nHost: x\r\nX-API-Key: ${credential}\r\n\r\n`);
      await until('an answer', () => connection.received() !== '');
      return answerOf(connection.received()).status;
    };
    const stillOpen = (connections: readonly Connection[]) => connections.filter(({ isOpen }) => isOpen()).length;

    it('keep the newest of them: the oldest is closed, and no other address loses any', async () => {
      const port = await start({ unauthenticated: { perAddress: 20, total: 100 } });
      const others = await openMany(port, 5, '127.0.0.3');
      const mine: Connection[] = [];
      for (let count = 0; count < 30; count += 1) mine.push(await open(port, '127.0.0.2'));
      await until('closing', () => stillOpen(mine) === 20);
      expect(mine.map(({ isOpen }) => isOpen())).to.deep.equal(mine.map((_, index) => index >= 10));
      expect(stillOpen(others)).to.equal(5);
      expect(await isAnswered(mine.at(-1) as Connection)).to.equal(true);
    });

    it('keep every one on which a valid credential was shown, and none for an invalid one', async () => {
      const port = await start({ unauthenticated: { perAddress: 20, total: 100 } });
      const known = await openMany(port, 15, '127.0.0.2');
      for (const connection of known) expect(await ask(connection, key)).to.equal(200);
      const pretended = await openMany(port, 5, '127.0.0.2');
      for (const connection of pretended) expect(await ask(connection, `${key}x`)).to.equal(401);
      const more = await openMany(port, 40, '127.0.0.2');
      await until('closing', () => stillOpen([...pretended, ...more]) === 20);
      expect([stillOpen(known), stillOpen(pretended)]).to.deep.equal([15, 0]);
      for (const connection of known) expect(await isAnswered(connection)).to.equal(true);
    });

    it('are bounded all together, from however many addresses', async () => {
      const port = await start({ unauthenticated: { perAddress: 20, total: 30 } });
      const all: Connection[] = [];
      for (let host = 2; host < 12; host += 1) all.push(...(await openMany(port, 5, `127.0.0.${host}`)));
      await until('closing', () => stillOpen(all) === 30);
      expect(stillOpen(all.slice(0, 10))).to.equal(0);
      expect(stillOpen(all.slice(-5))).to.equal(5);
    });

    it('are counted behind a proxy by the address that it names', async () => {
      const port = await start({}, { TRUSTED_PROXIES: '1' });
      const post = (address: string, path = '/oauth/sign-in', credential = '') =>
        `POST ${path} HTTP/1.1\r\nHost: x\r\nOrigin: ${world.baseUrl}\r\nX-Forwarded-For: 10.0.0.1, ${address}\r\n${credential}Content-Length: 10\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n`;
      const slow = await openMany(port, 1000);
      for (const connection of slow) connection.send(post('192.0.2.1'));
      const answer = async (request: string) => {
        const connection = await open(port);
        connection.send(request);
        await until('an answer', () => connection.received() !== '');
        return answerOf(connection.received());
      };
      const get = (address: string, credential = '') =>
        `GET /api/v1/agents HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n${credential}\r\n`;
      let refused = await answer(get('192.0.2.1'));
      for (let tries = 0; tries < 100 && refused.status !== 429; tries += 1) refused = await answer(get('192.0.2.1'));
      expect([refused.status, refused.body.code]).to.deep.equal([429, 'rate_limited']);
      expect(refused.body.detail).to.include('requests without a credential from your address');
      expect((await answer(get('192.0.2.2'))).status, 'another address').to.equal(401);
      for (const connection of slow.slice(0, 10)) connection.close();
      let again = refused;
      for (let tries = 0; tries < 100 && again.status === 429; tries += 1) again = await answer(get('192.0.2.1'));
      expect(again.status, 'once some have ended').to.equal(401);
    });
  });
});
