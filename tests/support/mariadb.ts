import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { GenericContainer, Wait } from 'testcontainers';
import { usableImage } from './backends.ts';
import { freePort } from './listen.ts';

/** A server of MySQL or MariaDB of one's own, as an address with the user that administers it. */
export interface MariadbServer {
  readonly url: string;
  stop(): Promise<unknown>;
}

export interface MariadbBackend {
  readonly name: string;
  /** With further options of the server; null where this machine cannot run it. */
  start(options?: readonly string[]): Promise<MariadbServer | null>;
}

const PASSWORD = 'administers';
const START_SECONDS = 60;
const NOBODY = 65534;

const installed = async (command: string): Promise<string | null> =>
  promisify(execFile)('sh', ['-c', `command -v ${command} || ls /usr/sbin/${command}`]).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );

/** Nothing here outlives the tests, so nothing is forced to the disk. */
const hasty = [
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-flush-method=nosync',
  '--innodb-buffer-pool-size=32M',
  '--innodb-log-file-size=8M',
  '--skip-log-bin',
  '--performance-schema=off',
  '--max-connections=300',
  '--max-allowed-packet=64M',
];

/** It refuses to run as root. */
const asNobody = () => (process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {});

const answers = async (url: string): Promise<boolean> => {
  const session = await createConnection(url).catch(() => null);
  await session?.end();
  return session !== null;
};

const untilItAnswers = async (url: string, hasEnded: () => string | null) => {
  for (const giveUp = Date.now() + START_SECONDS * 1000; !(await answers(url)); await sleep(100)) {
    const ended = hasEnded();
    if (ended !== null || Date.now() > giveUp) throw new Error(`mariadbd did not start: ${ended ?? 'it is too slow'}`);
  }
};

/** The one that this machine has installed (Debian's package mariadb-server), with a folder of its own. */
export const installedMariadb: MariadbBackend = {
  name: 'the MariaDB of this machine',
  async start(options = []) {
    const [server, install] = await Promise.all(['mariadbd', 'mariadb-install-db'].map(installed));
    if (!server || !install) return null;
    const folder = await mkdtemp(path.join(tmpdir(), 'portico-test-'));
    if (process.getuid?.() === 0) await chown(folder, NOBODY, NOBODY);
    const data = `--datadir=${path.join(folder, 'data')}`;
    const temporary = `--tmpdir=${folder}`;
    await promisify(execFile)(
      install,
      [
        '--no-defaults',
        data,
        temporary,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
        '--skip-name-resolve',
        ...hasty,
      ],
      { ...asNobody(), cwd: folder },
    );
    const port = await freePort();
    const places = [`--socket=${path.join(folder, 'socket')}`, `--pid-file=${path.join(folder, 'pid')}`];
    const child = spawn(
      server,
      [
        '--no-defaults',
        data,
        temporary,
        ...places,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--skip-name-resolve',
        ...hasty,
        ...options,
      ],
      { ...asNobody(), cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const ended = once(child, 'exit');
    let said = '';
    child.stderr.on('data', (text: Buffer) => {
      said = `${said}${text}`.slice(-2000);
    });
    const stop = async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    };
    try {
      const bare = `mysql://root@127.0.0.1:${port}/`;
      await untilItAnswers(bare, () => (child.exitCode === null ? null : said));
      const session = await createConnection(bare);
      await session.query(`alter user root@localhost identified by '${PASSWORD}'`);
      await session.query(`grant all on *.* to root@'127.0.0.1' identified by '${PASSWORD}' with grant option`);
      await session.end();
      return { url: `mysql://root:${PASSWORD}@127.0.0.1:${port}/`, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

/** An image of MariaDB or MySQL, or a server at TEST_MYSQL_URL. */
export const containerMariadb: MariadbBackend = {
  name: process.env.TEST_MYSQL_URL ? 'the server at TEST_MYSQL_URL' : 'MariaDB in a container',
  async start() {
    if (process.env.TEST_MYSQL_URL) return { url: process.env.TEST_MYSQL_URL, stop: async () => {} };
    const image = await usableImage(process.env.TEST_MARIADB_IMAGE, 'mariadb:11.8');
    if (image === null) return null;
    const container = await new GenericContainer(image)
      .withEnvironment({ MARIADB_ROOT_PASSWORD: PASSWORD, MYSQL_ROOT_PASSWORD: PASSWORD, MYSQL_ROOT_HOST: '%' })
      .withTmpFs({ '/var/lib/mysql': 'rw' })
      .withExposedPorts(3306)
      // The image starts the server once to set it up, and then once more.
      .withWaitStrategy(Wait.forLogMessage(/ready for connections.*(?:\n.*)*port: 3306/i))
      .withStartupTimeout(180_000)
      .start();
    const url = `mysql://root:${PASSWORD}@${container.getHost()}:${container.getMappedPort(3306)}/`;
    await untilItAnswers(url, () => null);
    return { url, stop: () => container.stop() };
  },
};
