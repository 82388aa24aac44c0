import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { openMetrics } from '../src/adapters/telemetry/metrics.ts';
import { readConfig, settings } from '../src/composition/config.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');
const run = promisify(execFile);

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
}

interface Container {
  readonly args: readonly string[];
  readonly securityContext: unknown;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Pods {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [Container];
        readonly securityContext: unknown;
        readonly automountServiceAccountToken: boolean;
        readonly terminationGracePeriodSeconds: number;
      };
    };
  };
}

const document = async <T>(file: string) => parse(await read(`deploy/kubernetes/${file}`)) as T;

/** A file of settings, as `configMapGenerator` reads it. */
const settingsIn = (text: string) =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

/** What the Secret has that docs/operations.md tells to make. */
const secrets = {
  DATABASE_URL: 'postgres://portico:secret@postgres:5432/portico',
  REDIS_URL: 'redis://redis:6379',
  ENCRYPTION_KEY: 'a'.repeat(64),
};

describe('the deployment on Kubernetes', () => {
  let env: Readonly<Record<string, string>>;
  let process: Pods;
  let migrate: Pods;

  before(async () => {
    env = settingsIn(await read('deploy/kubernetes/base/settings.env'));
    process = await document<Pods>('process/deployment.yaml');
    migrate = await document<Pods>('base/migrate.yaml');
  });

  it('sets nothing but settings of ours, to values that a start takes', () => {
    const known = new Set(Object.values(settings).map(({ env: name }) => name));
    for (const name of Object.keys(env)) expect(known.has(name), name).to.equal(true);
    expect(readConfig({ ...env, ...secrets })).to.include({ trustedProxies: 1, s3Bucket: 'portico' });
  });

  it('gives work under way its time before it is killed', () => {
    const { shutdownSeconds, shutdownDelaySeconds } = readConfig({ ...env, ...secrets });
    const { spec } = process.spec.template;
    expect(spec.terminationGracePeriodSeconds).to.be.above(shutdownSeconds);
    expect(spec.containers[0].readinessProbe.periodSeconds).to.be.below(shutdownDelaySeconds);
  });

  it('asks for health where the image answers, on the management port', async () => {
    const [container] = process.spec.template.spec.containers;
    const image = await read('Dockerfile');
    for (const { containerPort, name } of container.ports ?? [])
      expect(image).to.include(`${name === 'http' ? ' PORT' : 'MANAGEMENT_PORT'}=${containerPort}`);
    for (const probe of [container.startupProbe, container.livenessProbe])
      expect(probe.httpGet).to.deep.equal({ path: '/healthz', port: 'management' });
    expect(container.readinessProbe.httpGet).to.deep.equal({ path: '/readyz', port: 'management' });
  });

  it('runs without privileges, on a read-only root, and cannot speak to Kubernetes', () => {
    for (const { spec } of [process.spec.template, migrate.spec.template]) {
      expect(spec.automountServiceAccountToken).to.equal(false);
      expect(spec.securityContext).to.deep.include({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(spec.containers[0].securityContext).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    expect(migrate.spec.template.spec.containers[0].args).to.deep.equal(['migrate']);
  });

  it('names only roles, files and metrics that there are', async () => {
    const names = (await readdir(path.join(root, 'deploy/kubernetes'), { recursive: true })).filter((name) =>
      name.endsWith('.yaml'),
    );
    const texts = await Promise.all(names.map((name) => read(`deploy/kubernetes/${name}`)));
    const roles = texts.flatMap((text) => [...text.matchAll(/serve, --role, (\w+)/g)].map(([, role]) => role));
    expect(roles.toSorted()).to.deep.equal(['api', 'egress', 'worker']);
    for (const [index, text] of texts.entries())
      for (const { errors } of parseAllDocuments(text)) expect(errors, names[index]).to.deep.equal([]);
    const scaler = await read('deploy/kubernetes/overlays/apart/worker/autoscaler.yaml');
    expect(scaler).to.include('portico_queue_oldest_seconds');
  });
});

describe('the dashboard and the alert rules', () => {
  it('are printed from the metrics that there are', async () => {
    await run(globalThis.process.execPath, ['tools/monitoring.mjs', '--check'], { cwd: root });
  });

  it('show every metric', async () => {
    const dashboard = await read('deploy/monitoring/dashboard.json');
    const metrics = openMetrics({ version: '' });
    expect(metrics.describe().map(({ name }) => name)).to.include('portico_http_request_duration_seconds');
    for (const { name } of metrics.describe()) expect(dashboard, name).to.include(`"description": "${name}"`);
  });

  it('stand in the documentation, with the labels that they have', async () => {
    const text = await read('docs/observability.md');
    const dashboard = await read('deploy/monitoring/dashboard.json');
    const shown = [...dashboard.matchAll(/"description": "(portico_\w+)"/g)].map(([, name]) => name);
    const told = [...text.matchAll(/^\| `(portico_\w+)` \|/gm)].map(([, name]) => name);
    expect([...new Set(shown)].toSorted()).to.deep.equal(told.toSorted());
    for (const { name, type, labels } of openMetrics({ version: '' }).describe()) {
      const [, kind, inWords = ''] = new RegExp(`^\\| \`${name}\` \\| (\\w+) \\| ([^|]*)\\|`, 'm').exec(text) ?? [];
      expect(kind, name).to.equal(type);
      expect(
        [...inWords.matchAll(/`(\w+)`/g)].map(([, label]) => label),
        name,
      ).to.have.members([...labels]);
    }
  });
});
