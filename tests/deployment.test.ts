import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse, parseDocument } from 'yaml';
import { readConfig, settings } from '../src/composition/config.ts';

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly args: Readonly<Record<string, string>> };
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly [key: string]: unknown;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');
const exists = (file: string) =>
  stat(path.join(root, file)).then(
    () => true,
    () => false,
  );
const variables = new Set(Object.values(settings).map(({ env }) => env));
const run = promisify(execFile);

/** Compose's own substitution, as far as the file uses it. */
const substituted = (text: string, env: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)(?::([-?])((?:[^{}]|\{[^}]*\})*))?\}/g, (_, name: string, kind?: string, word = '') => {
    const value = env[name] ?? '';
    if (value !== '') return value;
    if (kind !== '-') throw new Error(`${name} is needed: ${word}`);
    return substituted(word, env);
  });

/** What `deploy/env.sh` writes, in a folder of its own. */
const madeEnv = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'portico-deploy-'));
  try {
    await cp(path.join(root, 'deploy'), path.join(folder, 'deploy'), { recursive: true });
    await run('sh', [path.join(folder, 'deploy/env.sh')]);
    const file = path.join(folder, '.env');
    const [first, { mode }] = [await readFile(file, 'utf8'), await stat(file)];
    const { stdout } = await run('sh', [path.join(folder, 'deploy/env.sh')]);
    const lines = first.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const env = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    return {
      env,
      mode: mode & 0o777,
      kept: (await readFile(file, 'utf8')) === first,
      said: stdout,
      files: await readdir(folder),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

describe('the deployment', () => {
  let text: string;
  let made: Awaited<ReturnType<typeof madeEnv>>;
  let compose: Compose;
  let own: readonly (readonly [string, Service])[];

  const composeWith = (env: Readonly<Record<string, string>>): Compose =>
    parse(text, (_, value: unknown) => (typeof value === 'string' ? substituted(value, env) : value), { merge: true });

  before(async () => {
    text = await read('compose.yaml');
    made = await madeEnv();
    compose = composeWith(made.env);
    own = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);
  });

  it('makes its secrets once, for their owner only', () => {
    expect(made.mode).to.equal(0o600);
    expect(made.kept).to.equal(true);
    expect(made.said).to.include('nothing was changed');
    expect(made.files.toSorted()).to.deep.equal(['.env', 'deploy']);
    const secrets = Object.entries(made.env).filter(([name]) => name !== 'S3_ACCESS_KEY_ID');
    for (const [name, secret] of secrets) expect(secret, name).to.match(/^[0-9a-f]{64}$/);
    expect(new Set(Object.values(made.env)).size).to.equal(Object.keys(made.env).length);
  });

  it('says what to do where the secrets were not made', () => {
    expect(() => substituted(text, {})).to.throw('run sh deploy/env.sh first');
    const needed = [...text.matchAll(/\$\{(\w+):\?([^}]*)\}/g)].map(([, name]) => name);
    expect([...new Set(needed)].toSorted()).to.deep.equal(Object.keys(made.env).toSorted());
  });

  it('sets nothing but settings of ours, to values that a start takes', () => {
    expect(own.map(([name]) => name)).to.include.members(['api', 'worker', 'migrate', 'bucket']);
    for (const [name, { environment = {} }] of own) {
      for (const variable of Object.keys(environment))
        expect(variables.has(variable), `${variable} of ${name}`).to.equal(true);
      const config = readConfig(environment);
      expect(config, name).to.include({
        trustedProxies: 1,
        baseUrl: 'http://localhost:3000',
        s3PublicEndpoint: 'http://localhost:9000',
      });
      for (const kept of ['databaseUrl', 'redisUrl', 's3Bucket', 'encryptionKey'] as const)
        expect(config[kept], kept).to.be.a('string');
    }
  });

  it('names the ports that it publishes in its addresses', () => {
    const { services } = composeWith({ ...made.env, PORTICO_PORT: '8080', S3_PORT: '9090' });
    expect([services.proxy?.ports, services.s3?.ports]).to.deep.equal([
      ['127.0.0.1:8080:3000'],
      ['127.0.0.1:9090:9000'],
    ]);
    expect(services.api?.environment).to.include({
      BASE_URL: 'http://localhost:8080',
      S3_PUBLIC_ENDPOINT: 'http://localhost:9090',
    });
  });

  it('runs two of the API and two workers, without privileges and on a read-only root', () => {
    for (const role of ['api', 'worker']) {
      expect(compose.services[role]).to.deep.include({ command: ['serve', '--role', role], deploy: { replicas: 2 } });
    }
    for (const [name, service] of own) {
      expect(service, name).to.deep.include({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        tmpfs: ['/tmp'],
      });
    }
    for (const [name, service] of Object.entries(compose.services)) {
      expect(service, name).not.to.have.any.keys('privileged', 'network_mode', 'pid', 'cap_add');
    }
  });

  it('gives work under way its time before it is killed', () => {
    const seconds = Number(/^(\d+)s$/.exec(String(compose.services.api?.stop_grace_period))?.[1]);
    expect(seconds).to.be.above(settings.shutdownSeconds.fallback);
  });

  it('waits for what is there, in an order that has a beginning', () => {
    const started = new Set<string>();
    const waiting = new Map(Object.entries(compose.services));
    while (waiting.size > 0) {
      const next = [...waiting].filter(([, { depends_on: needs = {} }]) =>
        Object.keys(needs).every((need) => started.has(need)),
      );
      expect(next, `something waits for itself: ${[...waiting.keys()]}`).not.to.deep.equal([]);
      for (const [name] of next) {
        started.add(name);
        waiting.delete(name);
      }
    }
    for (const { depends_on: needs = {} } of Object.values(compose.services)) {
      for (const [need, { condition }] of Object.entries(needs)) {
        const { healthcheck, build } = compose.services[need] ?? {};
        if (condition === 'service_healthy')
          expect(healthcheck ?? build, `a health check of ${need}`).not.to.equal(undefined);
      }
    }
  });

  it('publishes the proxy and the file store, on this machine only', () => {
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name]) => name).toSorted()).to.deep.equal(['proxy', 's3']);
    for (const [, { ports = [] }] of published) for (const port of ports) expect(port).to.match(/^127\.0\.0\.1:/);
    expect(compose.networks.stores).to.deep.equal({ internal: true });
    for (const name of ['postgres', 'redis']) expect(compose.services[name]?.networks, name).to.deep.equal(['stores']);
  });

  it('names images with their digest, each of which can be exchanged', () => {
    for (const [, image] of text.matchAll(/^\s+image: (.+)$/gm)) {
      expect(image).to.match(/^\$\{[A-Z0-9]+_IMAGE:-(?:[\w./-]+:v?\d[\w.-]*@sha256:[0-9a-f]{64}|portico:local)\}$/);
    }
  });

  it('mounts only what is there', async () => {
    for (const { volumes = [] } of Object.values(compose.services)) {
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        expect(source.startsWith('./') ? await exists(source) : source in compose.volumes, volume).to.equal(true);
      }
    }
  });

  it('lets SearXNG answer in JSON', async () => {
    const { search } = parse(await read('deploy/searxng.yml')) as { search: { formats: readonly string[] } };
    expect(search.formats).to.include('json');
  });
});

describe('the image', () => {
  let lines: readonly string[];
  const all = (instruction: string) =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));

  before(async () => {
    lines = (await read('Dockerfile')).replaceAll('\\\n', ' ').split('\n');
  });

  it('is made from the official one of the version that the project runs on, or another', async () => {
    expect(all('ARG')).to.have.lengthOf(1);
    expect(all('ARG')[0]).to.match(/^NODE_IMAGE=node:26-slim@sha256:[0-9a-f]{64}$/);
    const [, inCompose] = /NODE_IMAGE: \$\{NODE_IMAGE:-(.+)\}$/m.exec(await read('compose.yaml')) ?? [];
    expect(all('ARG'), 'the same as in compose.yaml').to.deep.equal([`NODE_IMAGE=${inCompose}`]);
    for (const from of all('FROM')) expect(from).to.match(/^(?:\$\{NODE_IMAGE\}|portico)(?: AS |$)/);
    expect(all('FROM').at(-1), 'without LibreOffice unless it is asked for').to.equal('portico');
  });

  it('holds what the program needs and runs no script of a package', () => {
    expect(all('RUN').join()).to.include('npm ci --omit=dev --ignore-scripts');
  });

  it('copies what is there, all of which its context lets through', async () => {
    const allowed = (await read('.dockerignore'))
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    expect((await read('.dockerignore')).split('\n')).to.include('*');
    const copied = all('COPY').filter((copy) => !copy.startsWith('--from'));
    for (const source of copied.flatMap((copy) => copy.split(' ').slice(0, -1))) {
      expect(await exists(source), source).to.equal(true);
      expect(allowed, source).to.include(source);
    }
    for (const secret of ['.env', '.portico', '.git', 'node_modules']) expect(allowed).not.to.include(secret);
    const fromStages = all('COPY').filter((copy) => copy.startsWith('--from'));
    expect(fromStages, 'the console as it was built').to.include(
      '--from=console /app/bundle.json src/adapters/console/',
    );
    // PostgreSQL is a server of its own there: what would fetch the embedded one stays out.
    expect(allowed).not.to.include('tools');
  });

  it('is not root, tells its health, and serves unless it is told otherwise', () => {
    const stages = lines.join('\n').split(/^FROM /m);
    const users = stages.flatMap((stage) => stage.match(/^USER .*$/gm)?.at(-1) ?? []);
    expect(users, 'of the image and of that with LibreOffice').to.deep.equal(['USER 1000:1000', 'USER 1000:1000']);
    expect(all('HEALTHCHECK').join()).to.include('/healthz');
    expect([all('ENTRYPOINT'), all('CMD')]).to.deep.equal([['["portico"]'], ['["serve"]']]);
  });

  it('sets nothing but settings of ours', () => {
    const names = all('ENV').flatMap((line) => line.split(' ').map((entry) => entry.split('=')[0] ?? ''));
    for (const name of names) expect(name === 'NODE_ENV' || variables.has(name), name).to.equal(true);
  });
});

describe('the documentation', () => {
  let pages: readonly (readonly [string, string])[];

  before(async () => {
    const inFolders = ['docs', 'docs/decisions', 'examples'].map(async (folder) =>
      (await readdir(path.join(root, folder))).map((name) => path.posix.join(folder, name)),
    );
    const names = [...(await readdir(root)), ...(await Promise.all(inFolders)).flat()].filter((name) =>
      name.endsWith('.md'),
    );
    pages = await Promise.all(names.map(async (name) => [name, await read(name)] as const));
    expect(names).to.include.members([
      'README.md',
      'CONTRIBUTING.md',
      'docs/architecture.md',
      'docs/decisions/README.md',
      'examples/README.md',
    ]);
  });

  it('links only to what is there', async () => {
    for (const [name, text] of pages) {
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)) {
        expect(await exists(path.join(path.dirname(name), target)), `${target} in ${name}`).to.equal(true);
      }
    }
  });

  it('names only files and folders that are there', async () => {
    for (const [name, text] of pages) {
      for (const [, file = ''] of text.matchAll(
        /`((?:src|tests|deploy|docs|demo|examples|bench|bin)\/[\w./-]*\w|tools\/[\w./-]+\.\w+)`/g,
      )) {
        expect(await exists(file), `${file} in ${name}`).to.equal(true);
      }
    }
  });

  it('names only source files that some folder has', async () => {
    const folders = await Promise.all(
      ['src', 'tests', 'examples'].map((folder) => readdir(path.join(root, folder), { recursive: true })),
    );
    const known = new Set(folders.flat().map((file) => path.basename(file)));
    for (const [name, text] of pages) {
      for (const [, file = ''] of text.matchAll(/`([\w.-]+\.tsx?)`/g))
        expect(known.has(file), `${file} in ${name}`).to.equal(true);
    }
  });

  it('shows YAML that is read as it stands', () => {
    const shown = pages.flatMap(([name, text]) => [
      ...[...text.matchAll(/^ *```yaml\n(.*?)^ *```$/gms)].map(([, yaml = '']) => ({ name, yaml })),
      ...[...text.matchAll(/`(\w+: [^`\n]*\$\{[^`\n]*)`/g)].map(([, yaml = '']) => ({ name, yaml })),
    ]);
    expect(shown).to.have.length.above(10);
    for (const { name, yaml } of shown)
      expect(
        parseDocument(yaml).errors.map(({ message }) => message),
        `${yaml} in ${name}`,
      ).to.deep.equal([]);
  });

  it('quotes code as it stands in the file that it names', async () => {
    const quoted = pages.flatMap(([name, text]) =>
      [...text.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)].map(([, file = '', code = '']) => ({ name, file, code })),
    );
    expect(quoted).to.have.length.above(3);
    for (const { name, file, code } of quoted) {
      const lines = new Set((await read(file)).split('\n'));
      for (const line of code.split('\n').filter((each) => each.trim() !== '…'))
        expect(lines.has(line), `${line} of ${file} in ${name}`).to.equal(true);
    }
  });
});
