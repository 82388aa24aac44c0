import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/adapters/postgres/connection/embedded.ts';
import { isAlive } from '../../src/adapters/postgres/connection/postmaster.ts';
import { quiet } from '../support/log.ts';

const NOBODY = 65534;
const program = path.resolve(import.meta.dirname, '../support/embedded-program.ts');

const ask = async <Row extends object>(url: string, sql: string) => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
};

const eventually = async (holds: () => Promise<boolean> | boolean) => {
  while (!(await holds())) await sleep(25);
};
const works = (url: string) =>
  ask(url, 'select 1').then(
    () => true,
    () => false,
  );

describe('embedded PostgreSQL', () => {
  let made: string;
  let dir: string;
  let ends: (() => Promise<unknown>)[];
  before(async () => {
    made = await mkdtemp(path.join(tmpdir(), 'portico-made-'));
    await (await startEmbeddedPostgres({ dir: made, log: quiet })).stop();
  });
  after(() => rm(made, { recursive: true, force: true }));
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'portico-embedded-'));
    ends = [
      async () => {
        const pid = await postmaster();
        if (process.platform === 'linux') await eventually(() => Number.isNaN(pid) || !isAlive(pid));
        await rm(dir, { recursive: true, force: true });
      },
    ];
  });
  afterEach(async () => {
    for (const end of ends.reverse()) await end();
  });

  /** The data of a server that ran before, in place of an empty folder: making it anew is most of what a start takes. */
  const fromBefore = () => cp(made, dir, { recursive: true });

  const start = async (): Promise<EmbeddedPostgres> => {
    const server = await startEmbeddedPostgres({ dir, log: quiet });
    ends.push(() => server.stop());
    return server;
  };

  const elsewhere = async (options: { env?: NodeJS.ProcessEnv; uid?: number } = {}) => {
    const child: ChildProcess = fork(program, [dir], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], ...options });
    const exit = once(child, 'exit');
    ends.push(() => {
      child.kill('SIGKILL');
      return exit;
    });
    const [answer] = (await Promise.race([once(child, 'message'), exit])) as [{ url: string; reused: boolean }];
    return { ...answer, child, exit };
  };

  /** NaN where none runs. */
  const postmaster = async () =>
    Number.parseInt(await readFile(path.join(dir, 'data/postmaster.pid'), 'utf8').catch(() => ''), 10);

  it('keeps its data, its port and its password, and is open to nobody without it', async () => {
    const first = await start();
    await ask(first.url, 'create table kept as select 1 as n');
    expect((await stat(path.join(dir, 'password'))).mode & 0o777).to.equal(0o600);
    const stranger = new URL(first.url);
    stranger.password = 'guess';
    expect(await works(stranger.href)).to.equal(false);
    await first.stop();
    expect(await works(first.url)).to.equal(false);
    const second = await start();
    expect(second.url).to.equal(first.url);
    expect(await ask(second.url, 'select n from kept')).to.deep.equal([{ n: 1 }]);
    expect(await ask(second.url, `select current_setting('listen_addresses') as at`)).to.deep.equal([
      { at: '127.0.0.1' },
    ]);
  });

  it('comes back by itself after it was killed, with everything that was committed', async () => {
    await fromBefore();
    const { url } = await start();
    await ask(url, 'create table kept (n int)');
    for (let n = 0; n < 3; n += 1) {
      await ask(url, `insert into kept values (${n})`);
      process.kill(await postmaster(), 'SIGKILL');
      await eventually(async () => !(await works(url)));
      await eventually(() => works(url));
    }
    expect(await ask(url, 'select count(*)::int as n from kept')).to.deep.equal([{ n: 3 }]);
  });

  it('is shared with a second process, which carries on when the first stops', async () => {
    await fromBefore();
    const first = await elsewhere();
    expect(first.reused).to.equal(false);
    const second = await start();
    expect([second.reused, second.url]).to.deep.equal([true, first.url]);
    first.child.send('stop');
    await first.exit;
    await eventually(() => works(second.url));
    await second.stop();
    expect(await works(second.url)).to.equal(false);
  });

  it('is one server for processes that start at the same moment', async () => {
    const started = await Promise.all([elsewhere(), elsewhere(), elsewhere()]);
    expect(new Set(started.map(({ url }) => url)).size).to.equal(1);
    expect(started.filter(({ reused }) => !reused)).to.have.length(1);
    expect(await works(started[0].url)).to.equal(true);
  });

  it('stops with a process that is killed, and starts again from what it left', async function () {
    await fromBefore();
    if (process.platform !== 'linux') this.skip();
    const killed = await elsewhere();
    await ask(killed.url, 'create table kept as select 1 as n');
    const pid = await postmaster();
    killed.child.kill('SIGKILL');
    await eventually(() => !isAlive(pid));
    const again = await start();
    expect(again.reused).to.equal(false);
    expect(await ask(again.url, 'select n from kept')).to.deep.equal([{ n: 1 }]);
  });

  it('is in a group of processes of its own, because a terminal sends Ctrl-C to all of a group', async function () {
    if (process.platform !== 'linux') return this.skip();
    const groupOf = async (pid: number | string) =>
      (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ')[2];
    await fromBefore();
    await start();
    expect(await groupOf(await postmaster())).to.not.equal(await groupOf('self'));
  });

  it('is not misled by a process number that belongs to another program now', async function () {
    await fromBefore();
    if (process.platform !== 'linux') this.skip();
    const first = await start();
    const file = path.join(dir, 'data/postmaster.pid');
    const stale = (await readFile(file, 'utf8')).replace(/^\d+/, String(process.pid));
    await first.stop();
    await writeFile(file, stale);
    expect(await works((await start()).url)).to.equal(true);
  });

  it('makes its data anew where a process of the same number was killed while it made them', async () => {
    const draft = path.join(dir, `data.${process.pid}`);
    await mkdir(draft);
    await writeFile(path.join(draft, 'PG_VERSION'), '18');
    expect(await works((await start()).url)).to.equal(true);
    expect(await readdir(dir)).to.have.members(['data', 'owner', 'password', 'port']);
  });

  it('takes another port where the one it had is taken', async () => {
    await fromBefore();
    const first = await start();
    await first.stop();
    const blocker = await startEmbeddedPostgres({ dir: await blockedDir(new URL(first.url).port), log: quiet });
    ends.push(() => blocker.stop());
    const second = await start();
    expect(new URL(second.url).port).to.not.equal(new URL(first.url).port);
  });

  /** A folder whose server will take that port. */
  const blockedDir = async (port: string) => {
    const other = path.join(dir, 'other');
    await cp(made, other, { recursive: true });
    await writeFile(path.join(other, 'port'), port);
    return other;
  };

  it('says in one line why it does not start', async () => {
    await mkdir(path.join(dir, 'data'), { mode: 0o700 });
    await writeFile(path.join(dir, 'data/PG_VERSION'), '12\n');
    const outcome = await start().catch((error: Error) => error.message);
    expect(outcome).to.match(/^The embedded PostgreSQL did not start: .+$/);
  });

  it('says so when its password was lost', async () => {
    await fromBefore();
    const server = await start();
    await server.stop();
    await writeFile(path.join(dir, 'password'), 'another');
    const outcome = await start().catch((error: Error) => error.message);
    expect(outcome).to.equal('The embedded PostgreSQL refuses its stored password.');
  });

  describe('where it may not run as root', () => {
    before(function () {
      if (process.getuid?.() !== 0 || process.platform !== 'linux') this.skip();
      const isReadable = spawnSync('test', ['-r', program], { uid: NOBODY, cwd: '/' }).status === 0;
      if (!isReadable) this.skip();
    });

    it('runs for a user', async () => {
      await chmod(dir, 0o777);
      const { url } = await elsewhere({ uid: NOBODY });
      expect(await works(url)).to.equal(true);
    });

    it('runs as nobody where root may not make namespaces, on data from before that', async () => {
      await fromBefore();
      const before = await start();
      await ask(before.url, 'create table kept as select 1 as n');
      await before.stop();
      const bin = path.join(dir, 'bin');
      await mkdir(bin);
      await symlink('/usr/bin/setpriv', path.join(bin, 'setpriv'));
      const { url, child, exit } = await elsewhere({ env: { ...process.env, PATH: bin } });
      expect(await ask(url, 'select n from kept')).to.deep.equal([{ n: 1 }]);
      child.send('stop');
      await exit;
      expect(await ask((await start()).url, 'select n from kept')).to.deep.equal([{ n: 1 }]);
    });
  });
});
