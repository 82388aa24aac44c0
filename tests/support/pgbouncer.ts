import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { GenericContainer, Wait } from 'testcontainers';
import { usableImage } from './backends.ts';
import { freePort } from './listen.ts';

export interface Pooler {
  /** Of a database behind it, as the user of the server. */
  url(database?: string): string;
  stop(): Promise<unknown>;
}

type Mode = 'transaction' | 'session' | 'statement';

const UP = /process up/;

/** It has the one database of this address, and lets its user in by the password. */
const configuration = (server: URL, port: number, mode: Mode, more: string) =>
  [
    '[databases]',
    `${server.pathname.slice(1)} = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
    'auth_type = scram-sha-256\nauth_file = /etc/pgbouncer/userlist.txt',
    `pool_mode = ${mode}\nignore_startup_parameters = extra_float_digits\n${more}\n`,
  ].join('\n');

const usersOf = ({ username, password }: URL) =>
  `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`;

const through = (server: URL, port: number, stop: () => Promise<unknown>): Pooler => ({
  url: (database) =>
    Object.assign(new URL(server), { port: String(port), ...(database && { pathname: `/${database}` }) }).href,
  stop,
});

/** The one that this machine has installed: Debian 12 has 1.18, which knows nothing of prepared statements. */
export const installedPgbouncer = {
  name: 'the PgBouncer of this machine',
  async start(url: string, mode: Mode, more = ''): Promise<Pooler | null> {
    const command = await promisify(execFile)('sh', ['-c', 'command -v pgbouncer || ls /usr/sbin/pgbouncer']).catch(
      () => null,
    );
    if (command === null) return null;
    const [server, port] = [new URL(url), await freePort()];
    const folder = await mkdtemp(path.join(tmpdir(), 'portico-test-'));
    // It refuses to run as root, and the user that it runs as then has to read its files.
    await chmod(folder, 0o755);
    const file = path.join(folder, 'pgbouncer.ini');
    const text = configuration(server, port, mode, more).replace(
      '/etc/pgbouncer/userlist.txt',
      path.join(folder, 'userlist.txt'),
    );
    await Promise.all([writeFile(file, text), writeFile(path.join(folder, 'userlist.txt'), usersOf(server))]);
    const child = spawn(command.stdout.trim(), [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'exit');
    await new Promise<void>((resolve, reject) => {
      let said = '';
      child.stderr.on('data', (data: Buffer) => {
        said += data;
        if (UP.test(said)) resolve();
      });
      child.once('error', reject).once('exit', () => reject(new Error(said)));
    });
    return through(server, port, async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    });
  },
};

/** 1.21 or later, in the network of this machine: the server behind it is reached as from here. */
export const containerPgbouncer = {
  name: 'PgBouncer in a container',
  async start(url: string, mode: Mode, more = ''): Promise<Pooler | null> {
    const image = await usableImage(process.env.TEST_PGBOUNCER_IMAGE, 'edoburu/pgbouncer:v1.24.1-p1');
    if (image === null) return null;
    const [server, port] = [new URL(url), await freePort()];
    const container = await new GenericContainer(image)
      .withNetworkMode('host')
      .withCopyContentToContainer([
        {
          content: configuration(server, port, mode, `max_prepared_statements = 100\n${more}`),
          target: '/etc/pgbouncer/pgbouncer.ini',
        },
        { content: usersOf(server), target: '/etc/pgbouncer/userlist.txt' },
      ])
      .withWaitStrategy(Wait.forLogMessage(UP))
      .start();
    return through(server, port, () => container.stop());
  },
};
