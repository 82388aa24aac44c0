import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from './support/listen.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '..');
const { DATABASE_URL: _1, REDIS_URL: _2, ...inherited } = process.env;

/** A program in a project that has the package alone. */
const program = `
import { readFile } from 'node:fs/promises';
import { PorticoError, portico, type RunDetail } from 'portico/client';

const client = portico({ baseUrl: process.env.PORTICO_URL ?? '', apiKey: process.env.PORTICO_API_KEY ?? '' });
const { agents } = await client.get('/api/v1/agents');
const agent = agents.find(({ name }) => name === 'Invoice reader');
if (!agent) throw new Error('no agent');
const content = new Uint8Array(await readFile('node_modules/portico/demo/samples/harbour-row-paper.pdf'));
const files = await client.upload(agent.id, [{ name: 'paper.pdf', content }]);
const { id } = await client.post('/api/v1/agents/{agent_id}/run', { params: { path: { agent_id: agent.id } }, body: { files } });
const run: RunDetail = await client.waitForRun(id, { waitSeconds: 60 });
const documents = await Promise.all(run.documents.map(({ id }) => client.get('/api/v1/documents/{id}', { params: { path: { id } } })));
const refused = await client.get('/api/v1/runs/{id}', { params: { path: { id: agent.id } } }).catch((error: unknown) => error);
const code = refused instanceof PorticoError ? refused.code : null;
console.log(JSON.stringify({ status: run.status, number: documents[0]?.document_data?.invoice_number, code }));
`;
/** Each line is wrong, and the types say so. */
const wrong = `
import { portico } from 'portico/client';
const client = portico({ baseUrl: 'http://localhost', apiKey: 'svc-x' });
await client.get('/api/v1/nothing');
await client.get('/api/v1/runs', { params: { query: { status: 'paused' } } });
await client.get('/api/v1/runs/{id}');
`;
const options = {
  target: 'es2024',
  module: 'nodenext',
  strict: true,
  skipLibCheck: false,
  types: ['node'],
  noEmit: true,
};

/** A copy of what the package is made from: packing builds beside the source, where other tests look meanwhile. */
const copySource = async (to: string) => {
  const places = ['bin', 'demo', 'src', 'tools', 'LICENSE', 'README.md', 'package.json', 'package-lock.json'];
  const made = ['tsconfig.json', 'tsconfig.package.json', 'tsconfig.client.json', 'tsconfig.console.json'];
  const filter = (file: string) => !file.endsWith('node_modules');
  for (const place of [...places, ...made])
    await cp(path.join(root, place), path.join(to, place), { recursive: true, filter });
  await symlink(path.join(root, 'node_modules'), path.join(to, 'node_modules'));
};

/**
 * Gives a folder what this checkout runs with, as a project has it that uses the same packages: npm then fetches what is missing there,
 * takes away what the package does not ask for, and is done in a tenth of the time that fetching all of them takes.
 */
const copyPackages = async (folder: string) => {
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const places = Object.keys(lock.packages).filter(
    (place) => place.lastIndexOf('node_modules/') === 0 && !lock.packages[place]?.dev,
  );
  const here = places.filter((place) => existsSync(path.join(root, place)));
  for (const [parent, group] of Map.groupBy(here, path.dirname)) {
    await mkdir(path.join(folder, parent), { recursive: true });
    await run('cp', ['-R', ...group.map((place) => path.join(root, place)), path.join(folder, parent)]);
  }
};

describe('the package', function () {
  this.timeout(600_000);
  let place: string;
  let folder: string;
  let server: ChildProcess | null = null;
  const stopped = () =>
    new Promise((resolve) => (server?.exitCode === null ? server.once('exit', resolve) : resolve(null)));

  before(async () => {
    place = await mkdtemp(path.join(tmpdir(), 'portico-package-'));
    // Embedded PostgreSQL may not run as root, and another user has to reach it.
    await chmod(place, 0o755);
    folder = path.join(place, 'app');
    const source = path.join(place, 'source');
    await copySource(source);
    await run('npm', ['pack', '--loglevel=error'], { cwd: source });
    const tarball = (await readdir(source)).find((file) => file.endsWith('.tgz')) ?? '';
    expect(await readdir(source)).not.to.include('dist');
    await cp(path.join(source, tarball), path.join(folder, tarball));
    await copyPackages(folder);
    await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
    const install = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', [...install, `./${tarball}`], { cwd: folder });
  });
  after(async () => {
    server?.kill('SIGTERM');
    await stopped();
    await rm(place, { recursive: true, force: true });
  });

  it('holds what is needed and no source, test or tool of developers', async () => {
    const installed = path.join(folder, 'node_modules/portico');
    expect(await readdir(installed)).to.have.members([
      'LICENSE',
      'README.md',
      'bin',
      'demo',
      'dist',
      'package.json',
      'tools',
    ]);
    const files = await readdir(path.join(installed, 'dist'), { recursive: true });
    const declarations = files.filter((file) => file.endsWith('.d.ts'));
    expect(files.filter((file) => file.endsWith('.ts'))).to.deep.equal(declarations);
    expect(declarations.every((file) => file.startsWith('client'))).to.equal(true);
  });

  it('runs the whole server without a clone, and gives programs a typed client', async () => {
    const postgres = path.join(folder, 'node_modules/portico/tools/postgresql');
    expect(await readdir(postgres), 'PostgreSQL is fetched by the first server that needs one').to.not.include(
      'node_modules',
    );
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = {
      ...inherited,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: path.join(folder, 'data'),
      LOG_LEVEL: 'error',
    };
    server = spawn(path.join(folder, 'node_modules/.bin/portico'), ['serve'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const key = await new Promise<string>((resolve, reject) => {
      let said = '';
      const listen = (data: Buffer) => {
        said += data.toString();
        const found = /(svc-\S+) +\(shown this once,/.exec(said)?.[1];
        if (found) resolve(found);
      };
      server?.stdout?.on('data', listen);
      server?.stderr?.on('data', listen);
      server?.once('exit', () => reject(new Error(`the server ended: ${said}`)));
    });
    const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
    expect((await run('npx', ['--no', '--', 'portico', '--version'], { cwd: folder })).stdout).to.equal(`${version}\n`);
    expect(await readdir(postgres)).to.include('node_modules');
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    expect((await fetch(`${url}/docs`)).status).to.equal(200);
    const page = await (await fetch(`${url}/console`)).text();
    const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(page) ?? [];
    const samples = [...page.matchAll(/[^"&;]+\/files\/samples\/[^"&;]+/g)].map(([address]) => address);
    expect(samples, 'the samples of the demo').to.have.length(15);
    for (const address of [script, ...samples]) expect((await fetch(url + address)).status, address).to.equal(200);

    await cp(path.join(root, 'node_modules/@types/node'), path.join(folder, 'node_modules/@types/node'), {
      recursive: true,
    });
    await cp(path.join(root, 'node_modules/undici-types'), path.join(folder, 'node_modules/undici-types'), {
      recursive: true,
    });
    await writeFile(path.join(folder, 'program.ts'), program);
    const [, guide = ''] = /```ts\n(.*?)```/s.exec(await readFile(path.join(root, 'docs/client.md'), 'utf8')) ?? [];
    await writeFile(path.join(folder, 'guide.ts'), guide);
    const files = ['program.ts', 'guide.ts'];
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }));
    const tsc = [path.join(root, 'node_modules/typescript/bin/tsc'), '--project', folder];
    await run(process.execPath, tsc, { cwd: folder });
    const { stdout } = await run(process.execPath, ['program.ts'], {
      cwd: folder,
      env: { ...env, PORTICO_URL: url, PORTICO_API_KEY: key },
    });
    expect(JSON.parse(stdout)).to.deep.equal({ status: 'completed', number: 'HR-20417', code: 'not_found' });

    await writeFile(path.join(folder, 'program.ts'), wrong);
    const refused = await run(process.execPath, tsc, { cwd: folder }).catch((error: { stdout: string }) => error);
    const lines = [...refused.stdout.matchAll(/program\.ts\((\d+),/g)].map(([, line]) => Number(line));
    expect(lines).to.deep.equal([4, 5, 6]);
  });
});
