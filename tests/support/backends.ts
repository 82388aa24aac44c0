import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { PostgreSqlContainer, type StartedPostgreSqlContainer } from '@testcontainers/postgresql';
import {
  GenericContainer,
  getContainerRuntimeClient,
  ImageName,
  type StartedTestContainer,
  Wait,
} from 'testcontainers';
import { startEmbeddedPostgres } from '../../src/adapters/postgres/connection/embedded.ts';
import { quiet } from './log.ts';

/** A server of some kind that contract suites run on. */
export interface Backend {
  readonly name: string;
  /** Where it answers; null where this machine cannot run it. Started once in a test run. */
  url(): Promise<string | null>;
}

const stops: (() => Promise<unknown>)[] = [];

/** Ends every server that the tests of this process started. */
export const stopBackends = async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
};

/** Where the servers are that this process shares with the one that started it, by their names. */
const shared: Readonly<Record<string, string | null>> = JSON.parse(process.env.TEST_SHARED_BACKENDS ?? '{}');

const unsharedBackend = (name: string, start: () => Promise<string | null>): Backend => {
  let url: Promise<string | null> | undefined;
  const startOnce = async () => {
    stops.push(async () => {
      url = undefined;
    });
    return start();
  };
  return {
    name,
    url() {
      url ??= startOnce();
      return url;
    },
  };
};

const backend = (name: string, start: () => Promise<string | null>): Backend =>
  unsharedBackend(name, async () => (name in shared ? (shared[name] ?? null) : start()));

/** Nothing here outlives the tests, so nothing is forced to the disk or cleaned up; several test files use the server at the same time. */
const hasty = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '400',
};

const startEmbedded = async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'portico-test-'));
  const server = await startEmbeddedPostgres({ dir, log: quiet, settings: hasty });
  stops.push(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });
  return server.url;
};

export const embeddedPostgres = backend('embedded PostgreSQL', startEmbedded);

const PULL_MILLISECONDS = 180_000;
const pulls = new Map<string, Promise<string | null>>();

/** The image to test with, where Docker answers and has it; one that is named is fetched when it is not there, and in CI the official one. */
export const usableImage = async (named: string | undefined, official: string): Promise<string | null> => {
  const docker = await getContainerRuntimeClient().catch(() => null);
  if (!docker) return null;
  if (named) return named;
  const image = ImageName.fromString(official);
  if (await docker.image.exists(image)) return official;
  if (!process.env.CI) return null;
  const begun = pulls.get(official);
  if (begun) return begun;
  const pulled = docker.image.pull(image).then(
    () => official,
    () => null,
  );
  const pull = Promise.race([pulled, sleep(PULL_MILLISECONDS, null, { ref: false })]);
  pulls.set(official, pull);
  return pull;
};

/** What can befall a container. */
export const controlOf = async (container: StartedTestContainer) => {
  const docker = (await getContainerRuntimeClient()).container.dockerode.getContainer(container.getId());
  /** Docker refuses at times on a busy machine: what stays paused would look like an outage without an end. */
  const unpause = async () => {
    for (const giveUp = Date.now() + 60_000; ; await sleep(200)) {
      const error = await docker.unpause().catch((caught: unknown) => caught);
      if (!(await docker.inspect()).State.Paused) return;
      if (Date.now() > giveUp) throw new Error('The container stays paused.', { cause: error });
    }
  };
  return {
    pause: async () => void (await docker.pause()),
    unpause,
    kill: async () => void (await docker.kill()),
    start: async () => void (await docker.start()),
  };
};

/** A PostgreSQL of one's own; null where this machine cannot run it. */
export const startPostgres = async (
  prepare: (container: PostgreSqlContainer) => PostgreSqlContainer = (container) => container,
): Promise<StartedPostgreSqlContainer | null> => {
  const image = await usableImage(process.env.TEST_POSTGRES_IMAGE, 'postgres:18-alpine');
  if (image === null) return null;
  // The usual health check starts a shell and a session in the container four times a second, for as long as the tests run.
  const container = new PostgreSqlContainer(image)
    .withHealthCheck({ test: ['CMD', 'true'], interval: 3_600_000 })
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2));
  return prepare(container).start();
};

const startContainer = async () => {
  if (process.env.TEST_POSTGRES_URL) return process.env.TEST_POSTGRES_URL;
  const settings = Object.entries(hasty).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const inMemory = { PGDATA: '/ram/data' };
  const container = await startPostgres((each) =>
    each
      .withCommand(['postgres', ...settings])
      .withTmpFs({ '/ram': 'rw,mode=1777' })
      .withEnvironment(inMemory),
  );
  if (!container) return null;
  stops.push(() => container.stop());
  return container.getConnectionUri();
};

const containerName = process.env.TEST_POSTGRES_URL ? 'PostgreSQL at TEST_POSTGRES_URL' : 'PostgreSQL in a container';

export const containerPostgres = backend(containerName, startContainer);

/** For tests that look at everything on a server: what other tests do at the same time is not on these. */
export const unsharedPostgres = {
  embedded: unsharedBackend(embeddedPostgres.name, startEmbedded),
  container: unsharedBackend(containerName, startContainer),
};

const redisImage = () => usableImage(process.env.TEST_REDIS_IMAGE, 'redis:8-alpine');

/** A Redis of one's own, with these options of the server and ports of this machine; null where this machine cannot run it. */
export const startRedis = async (
  options: readonly string[] = [],
  ports: readonly (number | { readonly container: number; readonly host: number })[] = [6379],
): Promise<StartedTestContainer | null> => {
  const image = await redisImage();
  if (!image) return null;
  return new GenericContainer(image)
    .withCommand(['redis-server', '--save', '', ...options])
    .withExposedPorts(...ports)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start();
};

export const containerRedis = backend(
  process.env.TEST_REDIS_URL ? 'Redis at TEST_REDIS_URL' : 'Redis in a container',
  async () => {
    if (process.env.TEST_REDIS_URL) return process.env.TEST_REDIS_URL;
    const container = await startRedis();
    if (!container) return null;
    stops.push(() => container.stop());
    return `redis://${container.getHost()}:${container.getMappedPort(6379)}/0`;
  },
);

const S3_KEYS = { accessKeyId: 'testaccess', secretAccessKey: 'testsecret1234' };

/** MinIO, or any image that takes its keys and serves on port 8000 as our Ceph does. */
const s3Container = (image: string) =>
  image.includes('minio')
    ? new GenericContainer(image)
        .withCommand(['server', '/data', '--address', ':8000'])
        .withEnvironment({ MINIO_ROOT_USER: S3_KEYS.accessKeyId, MINIO_ROOT_PASSWORD: S3_KEYS.secretAccessKey })
        .withWaitStrategy(Wait.forHttp('/minio/health/ready', 8000))
    : new GenericContainer(image)
        .withEnvironment({ S3_ACCESS_KEY: S3_KEYS.accessKeyId, S3_SECRET_KEY: S3_KEYS.secretAccessKey })
        .withWaitStrategy(Wait.forHttp('/', 8000));

/** An S3 store as `http://<access key>:<secret key>@<host>:<port>`, where a test makes buckets of its own. */
export const containerS3 = backend(
  process.env.TEST_S3_URL ? 'the S3 store at TEST_S3_URL' : 'an S3 store in a container',
  async () => {
    if (process.env.TEST_S3_URL) return process.env.TEST_S3_URL;
    const image = await usableImage(process.env.TEST_S3_IMAGE, 'quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z');
    if (image === null) return null;
    const container = await s3Container(image).withExposedPorts(8000).withStartupTimeout(180_000).start();
    stops.push(() => container.stop());
    const { accessKeyId, secretAccessKey } = S3_KEYS;
    return `http://${accessKeyId}:${secretAccessKey}@${container.getHost()}:${container.getMappedPort(8000)}`;
  },
);

/** Starts every server, for this process and those that it starts. */
export const shareBackends = async () => {
  const all = [embeddedPostgres, containerPostgres, containerRedis, containerS3];
  const urls = await Promise.all(all.map(async ({ name, url }) => [name, await url()] as const));
  process.env.TEST_SHARED_BACKENDS = JSON.stringify(Object.fromEntries(urls));
};

/** Makes a bucket at such an address. */
export const makeBucket = async (url: string, bucket: string) => {
  const admin = new S3Client({ ...s3At(url), forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });
  await admin.send(new CreateBucketCommand({ Bucket: bucket }));
  admin.destroy();
};

/** What such an address says. */
export const s3At = (url: string) => {
  const { origin, username, password } = new URL(url);
  const credentials = { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) };
  return { endpoint: origin, region: 'us-east-1', credentials };
};
