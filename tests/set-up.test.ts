import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, link, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { readFrames, writeFrame } from '../src/adapters/text/frames.ts';

const run = promisify(execFile);
const PACKAGE = `node_modules/node-${process.platform}-${process.arch}`;

const lockOf = (packages: object) =>
  JSON.stringify({ name: 'checkout', version: '1.0.0', lockfileVersion: 3, packages });

/** A checkout without dependencies that already has a private Node: what is there after a first start. */
const checkout = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'portico-set-up-'));
  await mkdir(path.join(folder, 'tools'));
  for (const file of ['setup.mjs', 'lock.mjs', 'compile-cache.mjs'])
    await cp(`tools/${file}`, path.join(folder, 'tools', file));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: 'checkout', version: '1.0.0' }));
  await writeFile(path.join(folder, 'package-lock.json'), lockOf({ '': { name: 'checkout', version: '1.0.0' } }));
  await mkdir(path.join(folder, 'tools/postgresql'));
  await writeFile(path.join(folder, 'tools/postgresql/package-lock.json'), lockOf({ '': {} }));
  const runtime = path.join(folder, 'tools/runtime');
  const node = path.join(runtime, PACKAGE, 'bin/node');
  await mkdir(path.dirname(node), { recursive: true });
  await link(process.execPath, node).catch(() => cp(process.execPath, node));
  const packages = {
    '': { optionalDependencies: { [path.basename(PACKAGE)]: '1.0.0' } },
    [PACKAGE]: { version: '1.0.0', integrity: 'sha512-x', os: process.platform, cpu: process.arch, optional: true },
  };
  await writeFile(path.join(runtime, 'package-lock.json'), lockOf(packages));
  await writeFile(path.join(runtime, 'node_modules/.package-lock.json'), lockOf(packages));
  const linked = path.join(folder, 'node_modules/.bin/node');
  await mkdir(path.dirname(linked), { recursive: true });
  await symlink(node, linked);
  return { folder, linked };
};

describe('set-up', () => {
  it('runs no install script of a package', async () => {
    const { folder, linked } = await checkout();
    try {
      const dependency = {
        name: 'curious',
        version: '1.0.0',
        scripts: { postinstall: "node -e \"fs.writeFileSync('ran', '')\"" },
      };
      const manifest = { name: 'checkout', version: '1.0.0', dependencies: { curious: 'file:curious' } };
      await mkdir(path.join(folder, 'curious'));
      await writeFile(path.join(folder, 'curious/package.json'), JSON.stringify(dependency));
      await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
      const packages = {
        '': manifest,
        curious: { version: '1.0.0', hasInstallScript: true },
        'node_modules/curious': { resolved: 'curious', link: true },
      };
      await writeFile(path.join(folder, 'package-lock.json'), lockOf(packages));
      await run(linked, ['tools/setup.mjs'], { cwd: folder });
      expect(await readdir(path.join(folder, 'node_modules/curious'))).to.deep.equal(['package.json']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('fetches PostgreSQL beside the dependencies for what starts a server, unless DATABASE_URL names one', async () => {
    const { folder, linked } = await checkout();
    try {
      const manifest = { name: 'postgresql', version: '1.0.0', optionalDependencies: { server: 'file:server' } };
      const postgresql = path.join(folder, 'tools/postgresql');
      await mkdir(path.join(postgresql, 'server'), { recursive: true });
      await writeFile(
        path.join(postgresql, 'server/package.json'),
        JSON.stringify({ name: 'server', version: '1.0.0' }),
      );
      await writeFile(path.join(postgresql, 'package.json'), JSON.stringify(manifest));
      const packages = {
        '': manifest,
        server: { version: '1.0.0' },
        'node_modules/server': { resolved: 'server', link: true },
      };
      await writeFile(path.join(postgresql, 'package-lock.json'), lockOf(packages));
      const fetched = async (event: string, url: string) => {
        await run(linked, ['tools/setup.mjs'], {
          cwd: folder,
          env: { ...process.env, npm_lifecycle_event: event, DATABASE_URL: url },
        });
        return existsSync(path.join(postgresql, 'node_modules/server'));
      };
      expect(await fetched('prelint', '')).to.equal(false);
      expect(await fetched('prestart', 'postgres://db.example/portico')).to.equal(false);
      expect(await fetched('prestart', '')).to.equal(true);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('of a clone fetches what builds the console, in production too, unless the console is built', async () => {
    const { folder } = await checkout();
    try {
      const manifest = { name: 'checkout', version: '1.0.0', devDependencies: { bundler: 'file:bundler' } };
      const console = path.join(folder, 'src/adapters/console');
      for (const made of [path.join(folder, 'bundler'), console]) await mkdir(made, { recursive: true });
      await writeFile(path.join(folder, 'bundler/package.json'), JSON.stringify({ name: 'bundler', version: '1.0.0' }));
      await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
      const linkOfBundler = { resolved: 'bundler', link: true, dev: true };
      const packages = {
        '': manifest,
        bundler: { version: '1.0.0', dev: true },
        'node_modules/bundler': linkOfBundler,
      };
      await writeFile(path.join(folder, 'package-lock.json'), lockOf(packages));
      const env = { ...process.env, npm_lifecycle_event: 'prestart', NODE_ENV: 'production' };
      const fetched = async () => {
        await run(process.execPath, ['tools/setup.mjs'], { cwd: folder, env });
        return existsSync(path.join(folder, 'node_modules/bundler'));
      };
      await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--loglevel=error'], { cwd: folder });
      await writeFile(path.join(console, 'bundle.json'), '{}');
      expect(await fetched(), 'built').to.equal(false);
      await rm(path.join(console, 'bundle.json'));
      expect(await fetched(), 'not built').to.equal(true);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('that runs on the private Node keeps it when it installs the dependencies anew', async () => {
    const { folder, linked } = await checkout();
    try {
      await run(linked, ['tools/setup.mjs'], { cwd: folder });
      expect((await lstat(linked)).isSymbolicLink()).to.equal(true);
      expect((await run(linked, ['--version'])).stdout.trim()).to.equal(process.version);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('compiles what readers of files run, with the libraries of each format', async () => {
    const cache = await mkdtemp(path.join(tmpdir(), 'portico-compiled-'));
    try {
      const env = { NODE_COMPILE_CACHE: cache };
      await run(process.execPath, ['tools/compile-readers.mjs'], { env });
      const compiled = () => readdir(cache, { recursive: true });
      const before = await compiled();
      // Outside of its sandbox, a reader adds what it has to compile itself.
      const args = ['--import=./src/adapters/text/sandbox-preload.ts', 'src/adapters/text/reader-main.ts', '1024'];
      const reader = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
      const answers = readFrames(reader.stdio[3] as Socket);
      for (const fileName of await readdir('demo/samples')) {
        const data = await readFile(path.join('demo/samples', fileName));
        await writeFrame(reader.stdin as Socket, { fileName, contentType: '', maxCharacters: 100_000 }, [data]);
        expect((await answers.next()).done, fileName).to.equal(false);
      }
      reader.stdin?.end();
      await once(reader, 'exit');
      expect(await compiled()).to.have.members(before);
    } finally {
      await rm(cache, { recursive: true, force: true });
    }
  });
});
