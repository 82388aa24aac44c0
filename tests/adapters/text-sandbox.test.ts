import { spawn, spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { startReader } from '../../src/adapters/text/reader-process.ts';
import { sandboxCommand, sandboxEnvironment } from '../../src/adapters/text/sandbox.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Places {
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly socketPath: string;
  readonly folder: string;
  readonly victim: number;
}

/** What a parser in the hands of a hostile file may try. Each is an asynchronous function's body that returns when it worked. */
const attempts = ({ tcpPort, udpPort, socketPath, folder, victim }: Places): Readonly<Record<string, string>> => {
  const connected = (options: object) =>
    `await new Promise((resolve, reject) => require('node:net').connect(${JSON.stringify(options)}, resolve).once('error', reject));`;
  const sent = (type: string, address: string) => `await new Promise((resolve, reject) => {
    const socket = require('node:dgram').createSocket(${JSON.stringify(type)}).once('error', reject);
    socket.send('x', ${udpPort}, ${JSON.stringify(address)}, (error) => (error ? reject(error) : resolve()));
  });`;
  return {
    'read a file of the system': `require('node:fs').readFileSync('/etc/passwd');`,
    'read a secret of the server': `require('node:fs').readFileSync(${JSON.stringify(path.join(folder, 'encryption.key'))});`,
    'read through an open directory': `require('node:fs').opendirSync(${JSON.stringify(folder)});`,
    'read the environment of the server': `require('node:fs').readFileSync('/proc/' + process.ppid + '/environ');`,
    'read the code of the server': `require('node:fs').readFileSync(${JSON.stringify(path.join(root, 'src/composition/main.ts'))});`,
    'read a blob': `await (await require('node:fs').openAsBlob('/etc/passwd')).text();`,
    'write a file': `require('node:fs').writeFileSync(${JSON.stringify(path.join(folder, 'written'))}, 'x');`,
    'open a database': `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path.join(folder, 'a.db'))}).exec('create table if not exists a (b)');`,
    'start a program': `require('node:child_process').execFileSync('true');`,
    // A process that may do this is no longer there to tell.
    'become a program': `if (process.permission !== undefined) process.execve('/bin/true', ['true']);`,
    'start a thread': `await require('node:events').once(new (require('node:worker_threads').Worker)('', { eval: true }), 'online');`,
    'load native code': `try { process.dlopen({ exports: {} }, '/nowhere.node'); } catch (error) { if (error.code !== 'ERR_DLOPEN_FAILED') throw error; }`,
    'open a debugger': `const session = new (require('node:inspector').Session)(); session.connect();`,
    'listen for a debugger': `require('node:inspector').open(0);`,
    'reach internals': `process.binding('tcp_wrap');`,
    'send a signal': `process.kill(${victim}, 0);`,
    'make another process debuggable': `process._debugProcess(${victim});`,
    'connect by TCP': connected({ host: '127.0.0.1', port: tcpPort }),
    'connect by TCP to a name': connected({ host: 'localhost', port: tcpPort }),
    'connect to a socket of the disk': connected({ path: socketPath }),
    'listen by TCP': `await new Promise((resolve, reject) => require('node:net').createServer().once('error', reject).listen(0, '127.0.0.1', resolve));`,
    'send by UDP': sent('udp4', '127.0.0.1'),
    'send by UDP to a name': sent('udp4', 'localhost'),
    'look a name up': `await require('node:dns').promises.lookup('localhost');`,
    'look a name up by import': `await (await import('node:dns/promises')).lookup('localhost');`,
    'ask a name server': `await new Promise((resolve, reject) => {
      const resolver = new (require('node:dns').Resolver)({ timeout: 200, tries: 1 });
      resolver.setServers(['127.0.0.1:${udpPort}']);
      resolver.resolve4('example.org', (error) => (error && error.code !== 'ETIMEOUT' ? reject(error) : resolve()));
    });`,
    'fetch a page': `await fetch('http://127.0.0.1:${tcpPort}/');`,
  };
};

const program = (bodies: Readonly<Record<string, string>>): string => {
  const steps = Object.entries(bodies).map(([name, body]) => `[${JSON.stringify(name)}, async () => { ${body} }]`);
  return `(async () => {
    const ends = {};
    for (const [name, attempt] of [${steps.join(',\n')}]) {
      ends[name] = await attempt().then(() => 'done', (error) => (error.cause ?? error).code ?? String(error));
    }
    require('node:fs').writeSync(1, JSON.stringify(ends));
    process.exit();
  })();`;
};

const endsOf = async (command: readonly string[], code: string): Promise<Readonly<Record<string, string>>> => {
  const [executable = '', ...args] = command;
  const child = spawn(executable, [...args, '-e', code, '1024'], {
    env: sandboxEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  let complaints = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  child.stderr.on('data', (chunk) => (complaints += chunk));
  await once(child, 'close');
  if (printed === '') throw new Error(complaints);
  return JSON.parse(printed);
};

describe('the sandbox of a reader of files', () => {
  let folder: string;
  let server: Server;
  let socketServer: Server;
  let udp: Socket;
  let victim: ReturnType<typeof spawn>;
  let connections = 0;
  let datagrams = 0;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portico-sandbox-'));
    enableCompileCache(path.join(folder, 'compiled'));
    await writeFile(path.join(folder, 'encryption.key'), 'secret');
    const answer = (socket: import('node:net').Socket) => {
      connections += 1;
      socket.on('error', () => undefined).end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
    };
    server = createServer(answer).listen(0, '127.0.0.1');
    socketServer = createServer(answer).listen(path.join(folder, 's'));
    udp = createSocket('udp4')
      .on('message', () => (datagrams += 1))
      .bind(0, '127.0.0.1');
    victim = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await Promise.all([
      once(server, 'listening'),
      once(socketServer, 'listening'),
      once(udp, 'listening'),
      once(victim, 'spawn'),
    ]);
  });

  after(async () => {
    for (const each of [server, socketServer, udp]) each.close();
    victim.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });

  const places = (): Places => ({
    tcpPort: (server.address() as AddressInfo).port,
    udpPort: udp.address().port,
    socketPath: path.join(folder, 's'),
    folder,
    victim: victim.pid ?? 0,
  });

  it('refuses what a plain process can do', async () => {
    const bodies = attempts(places());
    const free = await endsOf([process.execPath], program(bodies));
    expect(free).to.deep.equal(Object.fromEntries(Object.keys(bodies).map((name) => [name, 'done'])));
    expect({ tcp: connections > 0, udp: datagrams > 0 }).to.deep.equal({ tcp: true, udp: true });
    [connections, datagrams] = [0, 0];
    const ends = await endsOf(sandboxCommand(512), program(bodies));
    const kinds = Object.fromEntries(
      Object.entries(ends).map(([name, end]) => [
        name,
        /^(?:ERR_ACCESS_DENIED|ERR_DLOPEN_DISABLED|EACCES)$/.test(end) ? 'refused' : end,
      ]),
    );
    expect(kinds).to.deep.equal(Object.fromEntries(Object.keys(bodies).map((name) => [name, 'refused'])));
    expect({ connections, datagrams }).to.deep.equal({ connections: 0, datagrams: 0 });
  });

  it('lets WebAssembly run, which parsers are made of', async () => {
    const ends = await endsOf(
      sandboxCommand(512),
      program({ wasm: `await WebAssembly.compile(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));` }),
    );
    expect(ends).to.deep.equal({ wasm: 'done' });
  });

  it('takes code that the server has compiled (Node 26), and adds nothing to it', async () => {
    const compiled = getCompileCacheDir() ?? '';
    const bodies = {
      take: `throw String(require('node:module').getCompileCacheDir());`,
      add: `require('node:fs').writeFileSync(${JSON.stringify(path.join(compiled, 'x'))}, '');`,
    };
    const taken = Number.parseInt(process.versions.node, 10) < 26 ? 'undefined' : compiled;
    expect(await endsOf(sandboxCommand(512), program(bodies))).to.deep.equal({ take: taken, add: 'ERR_ACCESS_DENIED' });
  });

  it('is what readers run in, on Linux without a network too where the system allows it', async () => {
    const reader = startReader(256);
    const data = Buffer.from('read');
    const [part] = await reader.read(
      { fileName: 'a.txt', contentType: 'text/plain', maxCharacters: 100, isAlone: false },
      data,
    );
    expect(part?.pages[0]?.text).to.equal('read');
    const command = sandboxCommand(256);
    const started = (await readFile(`/proc/${reader.pid}/cmdline`, 'utf8')).split('\0');
    expect(started.slice(0, -3)).to.deep.equal(command.slice(command.indexOf(process.execPath)));
    const isApart = (await readlink(`/proc/${reader.pid}/ns/net`)) !== (await readlink('/proc/self/ns/net'));
    reader.kill();
    const options = process.getuid?.() === 0 ? [] : ['--map-current-user'];
    expect(isApart).to.equal(spawnSync('unshare', ['--net', ...options, 'true']).status === 0);
  });
});
