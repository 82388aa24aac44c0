import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import path from 'node:path';
import { expect } from 'chai';
import { classOf } from '../../src/adapters/outbound/addresses.ts';
import { isAllowed, type Lookup, lookupOnce } from '../../src/adapters/outbound/destination.ts';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { failureOf, get, outboundContract } from '../contracts/outbound.ts';
import { closed, listening } from '../support/listen.ts';
import { receiver } from '../support/receiver.ts';

/** Answers every name with these addresses, one list after the other, and counts the questions. */
const names = (...answers: readonly (readonly string[])[]) => {
  const asked: string[] = [];
  const lookup: Lookup = async (hostname) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, lookup };
};

describe('Outbound', () => outboundContract((allowedHosts) => safeOutbound({ allowedHosts })));

describe('outbound addresses', () => {
  const kinds: Readonly<Record<string, readonly string[]>> = {
    unspecified: ['0.0.0.0', '0.1.2.3', '::', '::ffff:0.0.0.0', '64:ff9b::0.0.0.0'],
    loopback: [
      '127.0.0.1',
      '127.255.255.254',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::127.0.0.1',
      '64:ff9b::127.0.0.1',
      '::ffff:0:127.0.0.1',
    ],
    private: [
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      'fc00::1',
      'fdff::1',
      'fec0::1',
      '::ffff:10.1.2.3',
      '64:ff9b::a00:1',
    ],
    shared: ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
    'link-local': [
      '169.254.169.254',
      'fe80::1',
      'fe80::1%eth0',
      'febf::1',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
    ],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'FF05::2'],
    documentation: ['192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1'],
    transition: [
      '2002:7f00:1::',
      '2002:a00:1::1',
      '2001:0:4136:e378:8000:63bf:3fff:fdd2',
      '64:ff9b:1::1',
      '192.88.99.1',
    ],
    reserved: [
      '192.0.0.192',
      '198.18.0.1',
      '240.0.0.1',
      '255.255.255.255',
      '168.63.129.16',
      '2001:10::1',
      '100::1',
      '5f00::1',
      '4000::1',
      'x',
      '1.2.3',
      '',
    ],
  };
  for (const [kind, addresses] of Object.entries(kinds)) {
    it(`are ${kind}: ${addresses.slice(0, 3).join(', ')}, …`, () => {
      for (const address of addresses) expect(classOf(address), address).to.equal(kind);
    });
  }

  it('are on the internet otherwise', () => {
    const open = [
      '1.1.1.1',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.1',
      '169.253.255.255',
      '172.15.255.255',
      '172.32.0.0',
    ];
    const more = [
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
      '2606:4700::1111',
      '2a00:1450::1',
      '2001:4860:4860::8888',
      '::ffff:8.8.8.8',
      '64:ff9b::8.8.8.8',
    ];
    for (const address of [...open, ...more]) expect(classOf(address), address).to.equal(null);
  });
});

describe('outbound requests', () => {
  const refused = async (url: string, lookup: Lookup = names([]).lookup) =>
    failureOf(get(safeOutbound({ allowedHosts: [], lookup }), url), 'refused');

  it('go to web addresses only', async () => {
    for (const url of [
      '',
      'x',
      '/x',
      '//x',
      'http://',
      'file:///etc/passwd',
      'ftp://a/',
      'gopher://a/',
      'data:,a',
      'javascript:1',
      'ws://a/',
      'http:///',
    ]) {
      expect(await refused(url), url).to.match(/http/);
    }
    await refused(`http://example.com/${'a'.repeat(10_000)}`);
    await failureOf(
      get(safeOutbound({ allowedHosts: ['127.0.0.1'] }), 'http://127.0.0.1:9/', { httpsOnly: true }),
      'refused',
    );
  });

  it('have no credentials in their address, and errors do not repeat them', async () => {
    for (const url of ['http://user:hush-1@example.com/', 'http://hush-1@example.com/', 'http://:hush-1@example.com']) {
      expect(await refused(url))
        .to.include('password')
        .and.not.include('hush-1');
    }
  });

  it('never go to a private address, however it is written', async () => {
    const hostile = [
      'http://127.0.0.1/',
      'http://127.1/',
      'http://2130706433/',
      'http://0x7f000001/',
      'http://0x7f.1/',
      'http://0177.0.0.1/',
      'http://017700000001/',
      'http://127.0.0.1./',
      'http://１２７.０.０.１/',
      'http://127。0。0。1/',
      'http://%31%32%37.0.0.1/',
      'http://0/',
      'http://0.0.0.0:80/',
      'http://[::]/',
      'http://[::1]/',
      'http://[0:0:0:0:0:0:0:1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[::ffff:7f00:1]/',
      'http://[64:ff9b::7f00:1]/',
      'http://[::127.0.0.1]/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[fe80::1]/',
      'http://[fd00:ec2::254]/',
      'http://10.0.0.1/',
      'http://192.168.0.1/',
      'http://172.16.0.1/',
      'http://100.100.100.200/',
      'http://168.63.129.16/',
      'http://192.0.0.192/',
      'http://224.0.0.1/',
      'http://255.255.255.255/',
      'http://[ff02::1]/',
      'http://[2002:7f00:1::]/',
      'https://127.0.0.1/',
      'http://127.0.0.1:22/',
    ];
    for (const url of hostile) expect(await refused(url), url).to.match(/ is an? .*address/);
  });

  it('never go to a name with a private address, and errors do not contain the address', async () => {
    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '::1',
      'fd00::1',
      '::ffff:10.1.2.3',
      '64:ff9b::a01:203',
      '2002:a01:203::1',
      '0.0.0.0',
    ]) {
      const message = await refused('http://hooks.example.com/', names([address]).lookup);
      expect(message, address)
        .to.match(/^The host hooks\.example\.com leads to an? .*address/)
        .and.not.include(address);
    }
    await failureOf(get(safeOutbound({ allowedHosts: [] }), 'http://localhost:9/'), 'refused');
  });

  it('go nowhere when one of several addresses is private', async () => {
    await refused('http://hooks.example.com/', names(['93.184.216.34', '10.0.0.1']).lookup);
    await refused('http://hooks.example.com/', names(['2606:4700::1111', '::1']).lookup);
  });

  it('connect to the address that was looked at, whatever the name leads to a moment later', async () => {
    const server = await receiver((response) => response.end('here'));
    try {
      const { asked, lookup } = names(['127.0.0.1'], ['10.255.255.1']);
      const outbound = safeOutbound({ allowedHosts: [`hooks.test:${server.port}`], lookup });
      const answer = await get(outbound, `http://hooks.test:${server.port}/`);
      expect(Buffer.from(answer.body).toString()).to.equal('here');
      expect(asked).to.deep.equal(['hooks.test']);
      expect(server.seen[0]?.headers.host).to.equal(`hooks.test:${server.port}`);
    } finally {
      await server.close();
    }
  });

  it('look up the name of each redirect, and check its addresses', async () => {
    const server = await receiver((response) => response.writeHead(302, { location: 'http://inner.test/' }).end());
    try {
      const { asked, lookup } = names(['127.0.0.1'], ['127.0.0.1']);
      const outbound = safeOutbound({ allowedHosts: ['hooks.test'], lookup });
      expect(await failureOf(get(outbound, `http://hooks.test:${server.port}/`), 'refused')).to.include(
        'inner.test leads to a loopback address',
      );
      expect(asked).to.deep.equal(['hooks.test', 'inner.test']);
    } finally {
      await server.close();
    }
  });

  it('try the next address of an allowed name where one does not answer', async () => {
    const server = await receiver((response) => response.end());
    try {
      const { lookup } = names(['::1', '127.0.0.1']);
      expect(
        (await get(safeOutbound({ allowedHosts: ['hooks.test'], lookup }), `http://hooks.test:${server.port}/`)).status,
      ).to.equal(200);
    } finally {
      await server.close();
    }
  });

  it('know an allowed host by name and port, in any case and with its last dot', async () => {
    for (const [allowed, url] of [
      ['Erp.Local', 'http://erp.local/'],
      ['erp.local', 'http://ERP.local.:8080/'],
      ['erp.local:443', 'https://erp.local/'],
      ['erp.local:80', 'http://erp.local/'],
      ['10.0.0.1', 'http://0x0a000001/'],
      ['[::1]:8080', 'http://[0::1]:8080/'],
    ] as const) {
      expect(isAllowed(new URL(url), ['other', allowed]), `${allowed} ${url}`).to.equal(true);
    }
    for (const [allowed, url] of [
      ['erp.local:443', 'http://erp.local/'],
      ['erp.local', 'http://notErp.local/'],
      ['local', 'http://erp.local/'],
      ['erp.local', 'http://erp.local.evil.test/'],
      ['', 'http://erp.local/'],
      ['*', 'http://erp.local/'],
      ['[::1]:8080', 'http://[::1]/'],
    ] as const) {
      expect(isAllowed(new URL(url), [allowed]), `${allowed} ${url}`).to.equal(false);
    }
  });

  it('never go to an address without a service, not even for an allowed host', async () => {
    for (const address of ['0.0.0.0', '224.0.0.1', '255.255.255.255']) {
      await failureOf(
        get(safeOutbound({ allowedHosts: ['a.test'], lookup: names([address]).lookup }), 'http://a.test/'),
        'refused',
      );
    }
  });

  it('say that a name cannot be found', async () => {
    expect(
      await failureOf(
        get(safeOutbound({ allowedHosts: [], lookup: names([]).lookup }), 'http://nowhere.test/'),
        'unreachable',
      ),
    ).to.include('nowhere.test cannot be found');
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const lookup = () => Promise.reject(unknown);
    expect(
      await failureOf(get(safeOutbound({ allowedHosts: [], lookup }), 'http://nowhere.test/'), 'unreachable'),
    ).to.include('cannot be found');
  });

  it('do not wait for a name longer than they have time', async () => {
    const lookup = () => new Promise<never>(() => {});
    await failureOf(
      get(safeOutbound({ allowedHosts: [], lookup }), 'http://slow.test/', { timeoutSeconds: 0.1 }),
      'timeout',
    );
  });

  it('look a name up once, however many wait for it, and again afterwards', async () => {
    const asked: string[] = [];
    const answers = Promise.withResolvers<[]>();
    const lookup = lookupOnce((hostname) => {
      asked.push(hostname);
      return answers.promise;
    });
    const outbound = safeOutbound({ allowedHosts: [], lookup });
    const late = () => failureOf(get(outbound, 'http://slow.test/', { timeoutSeconds: 0.1 }), 'timeout');
    await Promise.all([late(), late()]);
    await late();
    expect(asked, 'those before have given up, and the name is still looked up').to.deep.equal(['slow.test']);
    answers.resolve([]);
    await answers.promise;
    for (const name of ['slow', 'other'])
      expect(await failureOf(get(outbound, `http://${name}.test/`), 'unreachable')).to.include('cannot be found');
    expect(asked).to.deep.equal(['slow.test', 'slow.test', 'other.test']);
  });

  it('check the certificate against the name', async () => {
    const file = (name: string) => readFile(path.join(import.meta.dirname, '../fixtures/tls', name), 'utf8');
    const [key, cert] = await Promise.all([file('hooks.key'), file('hooks.crt')]);
    const server = createServer({ key, cert }, (_request, response) => response.end('secure'));
    const port = await listening(server);
    const { lookup } = names(['127.0.0.1']);
    const allowedHosts = ['hooks.test', 'other.test'];
    try {
      const trusting = safeOutbound({ allowedHosts, lookup, ca: cert });
      const answer = await get(trusting, `https://hooks.test:${port}/`, { httpsOnly: true });
      expect(Buffer.from(answer.body).toString()).to.equal('secure');
      expect(await failureOf(get(trusting, `https://other.test:${port}/`), 'unreachable')).to.include('certificate');
      expect(
        await failureOf(get(safeOutbound({ allowedHosts, lookup }), `https://hooks.test:${port}/`), 'unreachable'),
      ).to.include('certificate');
    } finally {
      await closed(server);
    }
  });

  it('do not follow a redirect to an unencrypted address', async () => {
    const file = (name: string) => readFile(path.join(import.meta.dirname, '../fixtures/tls', name), 'utf8');
    const [key, cert] = await Promise.all([file('hooks.key'), file('hooks.crt')]);
    const server = createServer({ key, cert }, (_request, response) =>
      response.writeHead(302, { location: 'http://hooks.test/' }).end(),
    );
    const port = await listening(server);
    try {
      const outbound = safeOutbound({ allowedHosts: ['hooks.test'], lookup: names(['127.0.0.1']).lookup, ca: cert });
      expect(await failureOf(get(outbound, `https://hooks.test:${port}/`), 'refused')).to.include(
        'https:// to http://',
      );
    } finally {
      await closed(server);
    }
  });
});
