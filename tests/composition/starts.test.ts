import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { containerRedis, containerS3, embeddedPostgres, makeBucket, s3At } from '../support/backends.ts';
import { freePort } from '../support/listen.ts';
import { emptyDatabase, freshDatabase } from '../support/postgres.ts';
import { type Environment, portico, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const SECRET = 'not-to-be-seen-71';
const BUCKET = `portico-starts-${process.pid}`;

describe('a start with a backend that cannot be used', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let dataDir: string;
  /** Takes connections and says nothing. */
  let silent: Server;

  before(async () => {
    const url = await embeddedPostgres.url();
    if (url === null) throw new Error('no PostgreSQL can be started');
    database = await freshDatabase(url);
    dataDir = await mkdtemp(path.join(tmpdir(), 'portico-test-'));
    silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  });
  after(async () => {
    silent?.close();
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const silentPort = () => (silent.address() as { port: number }).port;

  /** The program ends with 1 and one line. */
  const start = async (env: Environment) => {
    const settings = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PORT: String(await freePort()),
      DEMO: 'false',
      LOG_LEVEL: 'warn',
    };
    const ended = await portico(['serve'], { ...settings, ...env });
    expect(ended.code, ended.stderr).to.equal(1);
    expect(ended.stdout).to.equal('');
    expect(ended.stderr).to.match(/^portico: .*\n$/);
    expect(ended.stderr).not.to.contain(SECRET);
    return ended.stderr.slice('portico: '.length).trimEnd();
  };

  const withPassword = (url: string) => Object.assign(new URL(url), { password: SECRET }).href;

  it('names DATABASE_URL: nobody there, no such database, a wrong password, silence, and what is no address', async () => {
    expect(await start({ DATABASE_URL: `postgres://ada:${SECRET}@127.0.0.1:9/x` })).to.equal(
      'DATABASE_URL: PostgreSQL at 127.0.0.1:9 cannot be used: nothing answers there.',
    );
    expect(await start({ DATABASE_URL: `${database.url}x` })).to.match(
      /^DATABASE_URL: .* it has no database of that name\.$/,
    );
    expect(await start({ DATABASE_URL: withPassword(database.url) })).to.match(
      /^DATABASE_URL: .* it refuses the user name or the password\.$/,
    );
    const away = `postgres://ada:${SECRET}@127.0.0.1:${silentPort()}/x`;
    expect(await start({ DATABASE_URL: away, DATABASE_CONNECT_TIMEOUT_SECONDS: '1' })).to.match(
      /^DATABASE_URL: .* no answer in time\.$/,
    );
    expect(await start({ DATABASE_URL: `mysql://ada:${SECRET}@127.0.0.1/x` })).to.match(
      /^DATABASE_URL must be an address such as/,
    );
    expect(await start({ DATABASE_URL: `${database.url}?sslmode=verify-full` })).to.match(
      /^DATABASE_URL: .* it speaks no TLS/,
    );
  });

  it('names DATABASE_URL: a user who may make nothing there, and a database that takes no writes', async () => {
    const own = await emptyDatabase(database.url);
    const client = new pg.Client({ connectionString: own.url });
    const role = `portico_starts_${process.pid}`;
    try {
      await client.connect();
      await client.query(`create role ${role} login password '${SECRET}'; revoke create on schema public from public`);
      const asRole = Object.assign(new URL(own.url), { username: role, password: SECRET }).href;
      expect(await start({ DATABASE_URL: asRole })).to.match(
        /^DATABASE_URL: .* it does not let this user make what Portico needs: make the user the owner of the database\.$/,
      );
      await client.query(`alter role ${role} set default_transaction_read_only = on`);
      expect(await start({ DATABASE_URL: asRole })).to.match(
        /^DATABASE_URL: .* it takes no writes, because it is a replica or read only\.$/,
      );
    } finally {
      await client.query(`drop role if exists ${role}`);
      await client.end();
      await own.drop();
    }
  });

  it('names DATA_DIR: a file, what is below a file, and where no folder can be made', async () => {
    const file = path.join(dataDir, 'a-file');
    await writeFile(file, '');
    for (const folder of [file, path.join(file, 'below'), '/proc/portico/data'])
      expect(await start({ DATA_DIR: folder }), folder).to.match(
        /^DATA_DIR must be a folder that this user may make and write \(\w+: /,
      );
  });

  it('names REDIS_URL: nobody there, silence, and what is no address', async () => {
    expect(await start({ REDIS_URL: `redis://:${SECRET}@127.0.0.1:9` })).to.equal(
      'REDIS_URL: Redis at 127.0.0.1:9 cannot be used: ECONNREFUSED.',
    );
    expect(await start({ REDIS_URL: `redis://:${SECRET}@127.0.0.1:${silentPort()}` })).to.match(
      /^REDIS_URL: .* no answer/,
    );
    expect(await start({ REDIS_URL: `http://:${SECRET}@127.0.0.1` })).to.match(/^REDIS_URL must be an address such as/);
    expect(await start({ REDIS_PREFIX: '{all}' })).to.match(/^REDIS_PREFIX must be/);
  });

  it('names what is wrong with the bucket: nobody there, and half a pair of keys', async () => {
    const keys = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: SECRET };
    expect(await start({ S3_BUCKET: BUCKET, S3_ENDPOINT: 'http://127.0.0.1:9', ...keys })).to.equal(
      'S3_ENDPOINT: 127.0.0.1:9 cannot be reached (ECONNREFUSED).',
    );
    expect(await start({ S3_BUCKET: BUCKET, S3_SECRET_ACCESS_KEY: SECRET })).to.equal(
      'S3_ACCESS_KEY_ID must be set where S3_SECRET_ACCESS_KEY is',
    );
  });

  it(`names what ${containerS3.name} says: no such bucket, another key, another secret`, async function () {
    const url = await containerS3.url();
    if (url === null) return this.skip();
    await makeBucket(url, BUCKET);
    const { endpoint, credentials } = s3At(url);
    const right = {
      S3_BUCKET: BUCKET,
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    expect(await start({ ...right, S3_BUCKET: 'not-there' })).to.match(/^S3_BUCKET: there is no bucket "not-there" at/);
    expect(await start({ ...right, S3_ACCESS_KEY_ID: 'nobody' })).to.match(
      /does not know the access key \(S3_ACCESS_KEY_ID\)\.$/,
    );
    expect(await start({ ...right, S3_SECRET_ACCESS_KEY: SECRET })).to.match(
      /refuses the secret key \(S3_SECRET_ACCESS_KEY\)\.$/,
    );
  });

  it('is told by `portico doctor` among all that is well, and does not stop other commands', async function () {
    const [redis, s3] = await Promise.all([containerRedis.url(), containerS3.url()]);
    if (redis === null || s3 === null) return this.skip();
    const { endpoint, credentials } = s3At(s3);
    const keys = { S3_ACCESS_KEY_ID: credentials.accessKeyId, S3_SECRET_ACCESS_KEY: credentials.secretAccessKey };
    const well = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      REDIS_URL: redis,
      S3_BUCKET: BUCKET,
      S3_ENDPOINT: endpoint,
      ...keys,
    };
    const doctor = async (env: Environment) => {
      const { code, stdout } = await portico(['doctor', '--json'], { ...well, ...env });
      const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; detail: string }[] };
      return { code, of: (name: string) => checks.find((each) => each.name === name) };
    };
    const healthy = await doctor({});
    expect(healthy.code).to.equal(0);
    expect(healthy.of('database')?.detail).to.match(/^PostgreSQL \d+\.\d+, not encrypted, answers in [\d.]+ ms$/);
    expect(healthy.of('limits')?.detail).to.match(/^counted in Redis, which answers in [\d.]+ ms$/);
    expect(healthy.of('file store')?.detail).to.match(
      /^bucket "[\w-]+": an object was written, read and removed in [\d.]+ ms$/,
    );
    const broken = { REDIS_URL: `redis://:${SECRET}@127.0.0.1:9`, S3_SECRET_ACCESS_KEY: SECRET };
    const ill = await doctor(broken);
    expect(ill.code).to.equal(1);
    expect(ill.of('limits')).to.deep.include({
      status: 'fail',
      detail: 'REDIS_URL: Redis at 127.0.0.1:9 cannot be used: ECONNREFUSED.',
    });
    expect(ill.of('file store')?.detail).to.match(/refuses the secret key \(S3_SECRET_ACCESS_KEY\)\.$/);
    expect((await portico(['users', 'list'], { ...well, ...broken })).code).to.equal(0);
  });
});

describe('npm start', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let dataDir: string;
  before(async () => {
    const url = await embeddedPostgres.url();
    if (url === null) throw new Error('no PostgreSQL can be started');
    database = await freshDatabase(url);
    dataDir = await mkdtemp(path.join(tmpdir(), 'portico-test-'));
  });
  after(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** `npm start` with all it starts, in a process group of their own; resolves once it serves. */
  const npmStart = async (settings: Environment) => {
    const port = await freePort();
    const env = {
      ...process.env,
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PORT: `${port}`,
      DEMO: 'false',
      ...settings,
    };
    const npm = spawn('npm', ['start'], {
      cwd: path.resolve(import.meta.dirname, '../..'),
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const output of [npm.stdout, npm.stderr]) {
      output.on('data', (chunk) => {
        said += chunk;
      });
    }
    // The server holds the output of npm, which closes when both have ended.
    const closed = once(npm, 'close');
    while (!said.includes('Portico is ready.'))
      await Promise.race([once(npm.stdout, 'data'), closed.then(() => expect.fail(said))]);
    return { npm, port, closed, said: () => said };
  };

  it('ends with its server when it is told to, and says how to begin where there is no demo', async () => {
    const { npm, port, closed, said } = await npmStart({ SHUTDOWN_SECONDS: '1' });
    expect(said()).to.include('npx portico apply -f workspace.yaml').and.not.include('demo@');
    npm.kill('SIGTERM');
    await closed;
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch((error: Error) => error.message);
    expect(answer).to.equal('fetch failed');
  });

  it('greets whoever starts the demo, with no line of the log before that', async () => {
    const { npm, closed, said } = await npmStart({ DEMO: 'true', SHUTDOWN_SECONDS: '1' });
    expect(said().split('Portico is ready.')[0]).not.to.include('"level"');
    npm.kill('SIGTERM');
    await closed;
  });

  it('says that another key has sealed what is stored, and what to do, and starts all the same', async () => {
    const sealed = await freshDatabase((await embeddedPostgres.url()) as string);
    try {
      const env = { DATABASE_URL: sealed.url, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
      const workspace =
        'workspace: demo\nconnections: [{ name: ledger, type: postgresql, url: "postgres://u:p@127.0.0.1/x" }]';
      expect((await portico(['apply', '-f', '-'], { ...env, DATA_DIR: dataDir }, workspace)).code).to.equal(0);
      const { npm, closed, said } = await npmStart({ DATABASE_URL: sealed.url, DEMO: 'true', SHUTDOWN_SECONDS: '1' });
      npm.kill('SIGTERM');
      await closed;
      expect(said())
        .to.include('"lost":1,"stored":1,"msg":"the encryption key does not open all secrets')
        .and.include('Put that one back (ENCRYPTION_KEY, or encryption.key in DATA_DIR)')
        .and.include('apply -f workspace.yaml --reseal');
    } finally {
      await sealed.drop();
    }
  });

  it('is not what the demo needs: the server that it starts ends with it, also where it is interrupted', async () => {
    const port = await freePort();
    const files = { out: path.join(dataDir, 'demo.out'), err: path.join(dataDir, 'demo.err') };
    const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: `${port}`, SHUTDOWN_SECONDS: '5' };
    const program = startProgram(['demo'], env, files);
    const ended = once(program, 'exit');
    await until('a run is under way', async () => (await readFile(files.out, 'utf8')).includes('GET  /api/v1/runs/'));
    program.kill('SIGINT');
    expect(await ended).to.deep.equal([130, null]);
    expect(await readFile(files.err, 'utf8')).to.match(/^Interrupted: what was sent so far is kept/);
    expect(existsSync(path.join(dataDir, 'server.json')), 'the address of a server').to.equal(false);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`stops in peace where ${signal} goes to all of its processes at once, as a terminal and a service manager send it`, async () => {
      // Stopping takes longer than the server needs to see that the shell of npm is gone.
      const { npm, closed, said } = await npmStart({ SHUTDOWN_SECONDS: '2', SHUTDOWN_DELAY_SECONDS: '1' });
      process.kill(-(npm.pid as number), signal);
      await closed;
      expect(said()).to.include('Portico has stopped');
    });
  }
});
