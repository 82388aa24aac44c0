import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PostgreSqlContainer } from '@testcontainers/postgresql';
import { getContainerRuntimeClient, ImageName } from 'testcontainers';
import { startEmbeddedPostgres } from '../../src/adapters/postgres/embedded.ts';
import { quiet } from './log.ts';

/** A server of some kind that contract suites run on. */
export interface Backend {
  readonly name: string;
  /** Where it answers; null where this machine cannot run it. Started once in a test process. */
  url(): Promise<string | null>;
}

const stops: (() => Promise<unknown>)[] = [];

/** Ends every server that the tests of this process started. */
export const stopBackends = async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
};

const once = (start: () => Promise<string | null>): (() => Promise<string | null>) => {
  let url: Promise<string | null> | undefined;
  return () => {
    url ??= start();
    return url;
  };
};

/** Nothing here outlives the tests, so nothing is forced to the disk. */
const hasty = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

export const embeddedPostgres: Backend = {
  name: 'embedded PostgreSQL',
  url: once(async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'portico-test-'));
    const server = await startEmbeddedPostgres({ dir, log: quiet, settings: hasty });
    stops.push(async () => {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    });
    return server.url;
  }),
};

const OFFICIAL_IMAGE = 'postgres:18-alpine';

/** The image to test with, where Docker answers and has it; one that is named is fetched when it is not there. */
const usableImage = async (): Promise<string | null> => {
  const named = process.env.TEST_POSTGRES_IMAGE;
  const docker = await getContainerRuntimeClient().catch(() => null);
  if (!docker) return null;
  if (named) return named;
  return (await docker.image.exists(ImageName.fromString(OFFICIAL_IMAGE))) ? OFFICIAL_IMAGE : null;
};

export const containerPostgres: Backend = {
  name: process.env.TEST_POSTGRES_URL ? 'PostgreSQL at TEST_POSTGRES_URL' : 'PostgreSQL in a container',
  url: once(async () => {
    if (process.env.TEST_POSTGRES_URL) return process.env.TEST_POSTGRES_URL;
    const image = await usableImage();
    if (!image) return null;
    const container = await new PostgreSqlContainer(image).start();
    stops.push(() => container.stop());
    return container.getConnectionUri();
  }),
};
