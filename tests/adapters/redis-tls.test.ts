import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer, type Server } from 'node:tls';
import { expect } from 'chai';
import { connector } from '../../src/adapters/rate-limiter/redis-connection.ts';
import { containerRedis } from '../support/backends.ts';
import { type Certified, certify } from '../support/certificates.ts';
import { listening } from '../support/listen.ts';

/** Ends TLS in front of a Redis that has none. */
const tlsBefore = async (url: string, { key, cert }: Certified) => {
  const { hostname, port } = new URL(url);
  const server = createServer({ key: await readFile(key), cert: await readFile(cert) }, (secure) => {
    const plain = connect(Number(port), hostname);
    for (const [from, to] of [[secure, plain] as const, [plain, secure] as const]) {
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  await listening(server);
  return server;
};

describe(`the limiter over TLS (made by openssl), before ${containerRedis.name}`, () => {
  let certified: Certified | null = null;
  let server: Server;

  before(async function () {
    const url = await containerRedis.url();
    certified = await certify('DNS:localhost');
    if (url === null || certified === null) return this.skip();
    server = await tlsBefore(url, certified);
  });

  after(async () => {
    server?.close();
    await certified?.remove();
  });

  /** A process that trusts the authority only if its environment names it: Node reads that at the start. */
  const counting = async (host: string, env: NodeJS.ProcessEnv) => {
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const program = path.join(import.meta.dirname, 'redis-child.ts');
    const child = spawn(
      process.execPath,
      [program, `rediss://${host}:${port}`, `tls-${port}-${process.pid}`, '3', '5'],
      {
        env: { ...process.env, ...env },
      },
    );
    child.stdin.end('go\n');
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { out, error };
  };

  it('counts over a connection whose certificate it can verify', async () => {
    const { out, error } = await counting('localhost', { NODE_EXTRA_CA_CERTS: certified?.ca });
    expect(error).to.equal('');
    expect(out).to.equal('ready\n{"allowed":3}\n');
  });

  it('says what may be wrong where one side speaks TLS and the other does not', async () => {
    const said = (url: string) =>
      connector(
        url,
        'x',
      )(1000).then(
        () => 'it connected',
        ({ message }: Error) => message,
      );
    const plain = new URL((await containerRedis.url()) ?? '');
    expect(await said(`rediss://${plain.host}`)).to.match(/rediss:\/\/ is for a Redis with TLS: is it one without\?/);
    const { port } = server.address() as AddressInfo;
    expect(await said(`redis://127.0.0.1:${port}`)).to.match(/without TLS: does it take rediss:\/\/ alone\?/);
    expect(await said('rediss://127.0.0.1:1')).to.match(/cannot be used: ECONNREFUSED$/);
  });

  it('does not start with an untrusted certificate', async () => {
    const { out, error } = await counting('localhost', {});
    expect(out).to.equal('');
    expect(error).to.match(/REDIS_URL: Redis at localhost:\d+ cannot be used: UNABLE_TO_VERIFY_LEAF_SIGNATURE\./);
  });

  it('does not start with a certificate for another host', async () => {
    const { out, error } = await counting('127.0.0.1', { NODE_EXTRA_CA_CERTS: certified?.ca });
    expect(out).to.equal('');
    expect(error).to.match(/REDIS_URL: Redis at 127.0.0.1:\d+ cannot be used: ERR_TLS_CERT_ALTNAME_INVALID\./);
  });
});
