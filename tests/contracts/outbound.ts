import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  type Outbound,
  type OutboundAnswer,
  OutboundFailure,
  type OutboundReason,
  type OutboundTerms,
} from '../../src/application/ports/outbound.ts';
import { type Handler, receiver, type Seen } from '../support/receiver.ts';

export const usual: OutboundTerms = { timeoutSeconds: 10, maxBytes: 100_000, redirects: 3 };
export const unaborted = new AbortController().signal;

export const failureOf = async (answer: Promise<OutboundAnswer>, reason: OutboundReason): Promise<string> => {
  const outcome = await answer.catch((error: unknown) => error);
  expect(outcome).to.be.instanceOf(OutboundFailure);
  expect((outcome as OutboundFailure).reason, (outcome as OutboundFailure).message).to.equal(reason);
  return (outcome as OutboundFailure).message;
};

export const get = (outbound: Outbound, url: string, terms: Partial<OutboundTerms> = {}) =>
  outbound.send({ method: 'GET', url, headers: {}, body: null }, { ...usual, ...terms }, unaborted);

/** Every Outbound passes this, or it is not one. `make` allows these hosts at private addresses. */
export const outboundContract = (make: (allowedHosts: readonly string[]) => Outbound) => {
  const open: (() => Promise<void>)[] = [];
  const serve = async (handle: Handler) => {
    const one = await receiver(handle);
    open.push(one.close);
    return one;
  };
  afterEach(async () => {
    await Promise.all(open.splice(0).map((close) => close()));
  });
  /** A server, and an outbound that may reach it. */
  const reachable = async (handle: Handler) => {
    const server = await serve(handle);
    return { server, outbound: make([server.host]) };
  };

  it('sends what it is given and answers what came', async () => {
    const { server, outbound } = await reachable((response) => {
      response
        .writeHead(201, { 'Content-Type': 'text/plain', 'X-Two': ['a', 'b'], 'Set-Cookie': 'id=1' })
        .end('made ✓');
    });
    const request = {
      method: 'POST',
      url: `${server.url}/a?b=c#d`,
      headers: { 'X-One': '1', 'content-type': 'text/x' },
      body: 'hé',
    } as const;
    const answer = await outbound.send(request, usual, unaborted);
    expect(answer.status).to.equal(201);
    expect(Buffer.from(answer.body).toString()).to.equal('made ✓');
    expect(answer.url).to.equal(`${server.url}/a?b=c`);
    expect(answer.headers)
      .to.include({ 'content-type': 'text/plain', 'x-two': 'a, b' })
      .and.not.have.property('set-cookie');
    expect(server.seen[0]).to.deep.include({ method: 'POST', url: '/a?b=c', body: 'hé' });
    expect(server.seen[0]?.headers).to.include({
      'x-one': '1',
      'content-type': 'text/x',
      host: server.host,
    });
    expect(server.seen[0]?.headers).to.not.have.property('cookie');
  });

  it('takes any status for an answer', async () => {
    const { server, outbound } = await reachable((response, { url }) => response.writeHead(Number(url.slice(1))).end());
    for (const status of [200, 204, 304, 404, 410, 500, 503])
      expect((await get(outbound, `${server.url}/${status}`)).status).to.equal(status);
  });

  it('passes a body on while it arrives, decompressed, and returns all of it', async () => {
    const received = Promise.withResolvers<void>();
    const { server, outbound } = await reachable(async (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).write(gzipSync('first '));
      await received.promise;
      response.end(gzipSync('last'));
    });
    const pieces: string[] = [];
    const onPiece: OutboundTerms['onPiece'] = ({ status, headers }, piece) => {
      pieces.push(Buffer.from(piece).toString());
      expect([status, headers['content-type']]).to.deep.equal([200, 'text/plain']);
      received.resolve();
    };
    const answer = await get(outbound, server.url, { onPiece });
    expect(pieces[0]).to.equal('first ');
    expect(pieces.join('')).to.equal('first last');
    expect(Buffer.from(answer.body).toString()).to.equal('first last');
  });

  it('keeps no connection', async () => {
    const { server, outbound } = await reachable((response) => response.end('ok'));
    await get(outbound, server.url);
    await get(outbound, server.url);
    while (server.sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('uses no proxy of the environment', async () => {
    const proxy = await serve((response) => response.end('from the proxy'));
    const { server, outbound } = await reachable((response) => response.end('direct'));
    const names = ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY'];
    for (const name of names) process.env[name] = proxy.url;
    try {
      expect(Buffer.from((await get(outbound, server.url)).body).toString()).to.equal('direct');
    } finally {
      for (const name of names) delete process.env[name];
    }
    expect(proxy.seen).to.deep.equal([]);
  });

  it('sets the headers that frame a message itself', async () => {
    const { server, outbound } = await reachable((response) => response.end());
    for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'Connection', 'Proxy-Authorization']) {
      const sent = outbound.send(
        { method: 'GET', url: server.url, headers: { [name]: '1' }, body: null },
        usual,
        unaborted,
      );
      expect(await failureOf(sent, 'refused')).to.include(name);
    }
    const injected = outbound.send(
      { method: 'GET', url: server.url, headers: { a: 'b\r\nc: d' }, body: null },
      usual,
      unaborted,
    );
    await failureOf(injected, 'refused');
    expect(server.seen).to.deep.equal([]);
  });

  describe('redirects', () => {
    it('are answers where none is to be followed', async () => {
      const { server, outbound } = await reachable((response) =>
        response.writeHead(302, { location: '/x' }).end('moved'),
      );
      const answer = await get(outbound, server.url, { redirects: 0 });
      expect({ status: answer.status, location: answer.headers.location }).to.deep.equal({
        status: 302,
        location: '/x',
      });
      expect(server.seen).to.have.length(1);
    });

    it('are followed as often as is allowed', async () => {
      const { server, outbound } = await reachable((response, { url }) => {
        const left = Number(url.slice(1));
        if (left === 0) response.end('there');
        else response.writeHead(302, { location: `/${left - 1}` }).end();
      });
      const answer = await get(outbound, `${server.url}/3`);
      expect({ url: answer.url, body: Buffer.from(answer.body).toString() }).to.deep.equal({
        url: `${server.url}/0`,
        body: 'there',
      });
      await failureOf(get(outbound, `${server.url}/4`), 'invalid_answer');
    });

    it('keep method and body, or become a GET, according to the status', async () => {
      const { server, outbound } = await reachable((response, { url }) => {
        if (url === '/end') response.end();
        else response.writeHead(Number(url.slice(1)), { location: '/end' }).end();
      });
      const become = async (status: number, method: 'POST' | 'PUT' = 'POST') => {
        const headers = { 'content-type': 'text/plain', 'x-a': '1' };
        await outbound.send({ method, url: `${server.url}/${status}`, headers, body: 'b' }, usual, unaborted);
        const { headers: sent, ...last } = server.seen.at(-1) as Seen;
        return [last.method, last.body, sent['content-type'], sent['x-a']];
      };
      for (const status of [301, 302, 303]) expect(await become(status)).to.deep.equal(['GET', '', undefined, '1']);
      expect(await become(303, 'PUT')).to.deep.equal(['GET', '', undefined, '1']);
      for (const status of [307, 308]) expect(await become(status)).to.deep.equal(['POST', 'b', 'text/plain', '1']);
      expect(await become(302, 'PUT')).to.deep.equal(['PUT', 'b', 'text/plain', '1']);
    });

    it('send no credentials to another origin', async () => {
      const other = await serve((response) => response.end());
      const first = await serve((response) => response.writeHead(307, { location: other.url }).end());
      const headers = {
        authorization: 'Bearer a',
        cookie: 'a=b',
        'X-Api-Key': 'k',
        'x-custom': 'c',
        accept: 'text/html',
        'content-type': 'text/plain',
      };
      await make([first.host, other.host]).send(
        { method: 'POST', url: first.url, headers, body: 'b' },
        usual,
        unaborted,
      );
      const sent = other.seen[0]?.headers ?? {};
      for (const name of ['authorization', 'cookie', 'x-api-key', 'x-custom'])
        expect(sent, name).to.not.have.property(name);
      expect(sent).to.include({ accept: 'text/html', 'content-type': 'text/plain' });
    });

    it('are checked like first addresses', async () => {
      const hidden = await serve((response) => response.end('secret'));
      const to = [
        hidden.url,
        `http://localhost:${hidden.port}/`,
        `http://[::1]:${hidden.port}/`,
        'http://169.254.169.254/latest/',
        `http://0x7f000001:${hidden.port}/`,
      ];
      for (const location of to) {
        const { server, outbound } = await reachable((response) => response.writeHead(302, { location }).end());
        await failureOf(get(outbound, server.url), 'refused');
      }
      for (const location of [
        'file:///etc/passwd',
        'ftp://example.com/',
        'http://user:pass@example.com/',
        'data:text/plain,a',
      ]) {
        const { server, outbound } = await reachable((response) => response.writeHead(302, { location }).end());
        await failureOf(get(outbound, server.url), 'refused');
      }
      expect(hidden.seen).to.deep.equal([]);
    });
  });

  describe('sizes', () => {
    const big = Buffer.alloc(200_000, 'a');

    it('are capped while the body comes', async () => {
      let written = 0;
      const { server, outbound } = await reachable((response) => {
        const more = () => {
          while (!response.destroyed && response.write(big)) written += big.length;
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      });
      expect(await failureOf(get(outbound, server.url), 'too_large')).to.include('100000 bytes');
      expect(written).to.be.below(200 * big.length);
    });

    it('count once a body is decompressed', async () => {
      const bomb = gzipSync(Buffer.alloc(50_000_000));
      expect(bomb.length).to.be.below(100_000);
      const { server, outbound } = await reachable((response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      );
      const before = process.memoryUsage().arrayBuffers;
      await failureOf(get(outbound, server.url), 'too_large');
      expect(process.memoryUsage().arrayBuffers - before).to.be.below(20_000_000);
      expect((await get(outbound, server.url, { read: 'beginning', maxBytes: 1000 })).body).to.have.length(1000);
    });

    it('count of what decompresses to nothing', async () => {
      const empty = Buffer.concat(Array.from({ length: 10_000 }, () => gzipSync('')));
      const { server, outbound } = await reachable((response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(empty),
      );
      await failureOf(get(outbound, server.url), 'too_large');
    });

    it('decompresses what it asked for', async () => {
      const { server, outbound } = await reachable((response, { url, headers }) => {
        expect(headers['accept-encoding']).to.equal('gzip, br');
        const [encoding, body] = url === '/br' ? ['br', brotliCompressSync('text')] : ['gzip', gzipSync('text')];
        response.writeHead(200, { 'content-encoding': encoding }).end(url === '/none' ? '' : body);
      });
      for (const path of ['/gzip', '/br'])
        expect(Buffer.from((await get(outbound, server.url + path)).body).toString()).to.equal('text');
      expect((await get(outbound, `${server.url}/none`)).body).to.have.length(0);
    });

    it('refuses what it cannot decompress', async () => {
      const { server, outbound } = await reachable((response, { url }) =>
        response.writeHead(200, { 'content-encoding': url === '/gzip' ? 'gzip' : 'compress' }).end('not compressed'),
      );
      await failureOf(get(outbound, `${server.url}/gzip`), 'invalid_answer');
      await failureOf(get(outbound, `${server.url}/compress`), 'invalid_answer');
      expect((await get(outbound, `${server.url}/gzip`, { read: 'beginning' })).status).to.equal(200);
    });

    it('cuts where only the beginning matters', async () => {
      const { server, outbound } = await reachable((response) => response.end(big));
      const { body } = await get(outbound, server.url, { read: 'beginning', maxBytes: 1024 });
      expect(Buffer.from(body).toString()).to.equal('a'.repeat(1024));
    });

    it('are capped for headers', async () => {
      const { server, outbound } = await reachable((response) =>
        response.writeHead(200, { 'x-long': 'a'.repeat(60_000) }).end(),
      );
      await failureOf(get(outbound, server.url), 'invalid_answer');
    });
  });

  describe('time', () => {
    const quick = { timeoutSeconds: 0.2 };

    it('is up when no answer comes', async () => {
      const { server, outbound } = await reachable(() => {});
      expect(await failureOf(get(outbound, server.url, quick), 'timeout'))
        .to.include('127.0.0.1')
        .and.include('0.2 seconds');
    });

    it('counts for everything together: a body that drips, redirects that wait', async () => {
      const { server, outbound } = await reachable((response, { url }) => {
        if (url === '/drip') {
          const drip = setInterval(() => response.write('a'), 20);
          response.once('close', () => clearInterval(drip));
        } else setTimeout(() => response.writeHead(302, { location: '/again' }).end(), 90);
      });
      await failureOf(get(outbound, `${server.url}/drip`, quick), 'timeout');
      await failureOf(get(outbound, `${server.url}/wait`, { ...quick, redirects: 100 }), 'timeout');
      const dripped = await get(outbound, `${server.url}/drip`, { ...quick, read: 'beginning' });
      expect(dripped).to.include({ status: 200, brokeOff: true });
    });

    it('ends when the caller aborts, with the reason given', async () => {
      const { server, outbound } = await reachable(() => {});
      const abort = new AbortController();
      const sent = outbound
        .send({ method: 'GET', url: server.url, headers: {}, body: null }, usual, abort.signal)
        .catch((error) => error);
      while (server.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const reason = new Error('enough');
      abort.abort(reason);
      expect(await sent).to.equal(reason);
      while (server.sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(
        await outbound
          .send({ method: 'GET', url: server.url, headers: {}, body: null }, usual, abort.signal)
          .catch((error) => error),
      ).to.equal(reason);
    });
  });

  it('explains what is wrong with an answer or a connection', async () => {
    const tcp = createTcpServer((socket) =>
      socket.once('data', () => socket.end('SSH-2.0-x\r\n')).on('error', () => {}),
    );
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const { port } = tcp.address() as AddressInfo;
    const outbound = make([`127.0.0.1:${port}`]);
    await failureOf(get(outbound, `http://127.0.0.1:${port}`), 'invalid_answer');
    await failureOf(get(outbound, `https://127.0.0.1:${port}`), 'unreachable');
    await new Promise((resolve) => tcp.close(resolve));
    await new Promise<void>((resolve) => connect(port, '127.0.0.1').on('error', () => resolve()));
    expect(await failureOf(get(outbound, `http://127.0.0.1:${port}`), 'unreachable')).to.include(
      'refuses the connection',
    );
    const { server, outbound: other } = await reachable((response) => response.socket?.destroy());
    await failureOf(get(other, server.url), 'unreachable');
  });

  it('takes no part of an answer for all of it', async () => {
    const { server, outbound } = await reachable((response, { url }) => {
      if (url === '/whole') return response.end('half and half');
      if (url === '/length') response.setHeader('content-length', 13);
      response.write('half', () => response.socket?.end());
    });
    expect(await get(outbound, `${server.url}/whole`, { read: 'beginning' })).to.include({ brokeOff: false });
    await failureOf(get(outbound, `${server.url}/chunks`), 'unreachable');
    await failureOf(get(outbound, `${server.url}/length`), 'unreachable');
    for (const path of ['/chunks', '/length']) {
      const { body, brokeOff } = await get(outbound, server.url + path, { read: 'beginning' });
      expect([Buffer.from(body).toString(), brokeOff], path).to.deep.equal(['half', true]);
    }
  });

  it('allows a host for this request alone', async () => {
    const server = await serve((response) => response.end());
    const outbound = make([]);
    await failureOf(get(outbound, server.url), 'refused');
    for (const host of ['127.0.0.1', server.host])
      expect((await get(outbound, server.url, { allowedHosts: [host] })).status).to.equal(200);
    await failureOf(get(outbound, server.url, { allowedHosts: [`127.0.0.1:${server.port === 1 ? 2 : 1}`] }), 'refused');
    await failureOf(get(outbound, server.url), 'refused');
    expect(server.seen).to.have.length(2);
  });
};
