import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from '../resilience/stage.ts';
import { containerPostgres, containerRedis, containerS3, s3At } from '../support/backends.ts';
import type { Environment } from '../support/program.ts';
import { aServer, unlimited } from '../support/server.ts';
import type { Kind } from './installations.ts';
import { roundRobin } from './round-robin.ts';

const createBucket = path.resolve(import.meta.dirname, '../../deploy/create-bucket.mjs');
const LEDGER_DATABASE = 'portico_ledger';

/** A login of its own, which is no superuser, with a database of its own. */
const aDatabase = async (server: string) => {
  const [name, password] = [`t_${randomBytes(6).toString('hex')}`, randomBytes(24).toString('hex')];
  await sql(server, `create role ${name} login createdb password '${password}'`);
  await sql(server, `create database ${name} owner ${name}`);
  const drop = async () => {
    const owned = await sql<{ datname: string }>(server, 'select datname from pg_database where datdba = $1::regrole', [
      name,
    ]);
    for (const { datname } of owned) await sql(server, `drop database ${datname} with (force)`);
    await sql(server, `drop role ${name}`);
  };
  return {
    url: Object.assign(new URL(server), { username: name, password, pathname: `/${name}` }).href,
    password,
    drop,
  };
};

/** A bucket of its own, made as an operator makes it. */
const aBucket = async (store: string): Promise<Environment> => {
  const { endpoint, region, credentials } = s3At(store);
  const env = {
    S3_BUCKET: `portico-${randomBytes(6).toString('hex')}`,
    S3_ENDPOINT: endpoint,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  await promisify(execFile)(process.execPath, [createBucket], { env });
  return env;
};

/** Where the stores are; null where this machine cannot run one of them. */
const stores = async () => {
  const [postgres, redis, s3] = await Promise.all([containerPostgres.url(), containerRedis.url(), containerS3.url()]);
  return postgres !== null && redis !== null && s3 !== null ? { postgres, redis, s3 } : null;
};

/** What compose.yaml starts, with the default of every setting that it leaves alone. */
export const cluster: Kind = {
  name: 'two API and two worker processes with PostgreSQL, Redis and S3 in containers',
  commandsElsewhere: true,
  async make(env) {
    const at = await stores();
    if (!at) return null;
    await sql(at.postgres, `drop database if exists ${LEDGER_DATABASE} with (force)`);
    const [database, bucket, proxy] = await Promise.all([aDatabase(at.postgres), aBucket(at.s3), roundRobin()]);
    const encryptionKey = randomBytes(32).toString('base64');
    const settings: Environment = {
      ...unlimited,
      BASE_URL: proxy.baseUrl,
      TRUSTED_PROXIES: '1',
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: encryptionKey,
      REDIS_URL: at.redis,
      REDIS_PREFIX: bucket.S3_BUCKET ?? '',
      ...bucket,
      ...env,
    };
    const api = () => aServer({ role: 'api', defaults: true, env: { DEMO: 'true', ...settings } });
    const worker = () => aServer({ role: 'worker', defaults: true, env: { ...settings, DEMO: 'false' } });
    const [first, ...others] = await Promise.all([api(), api(), worker(), worker()]);
    const all = [first, ...others];
    proxy.upstreams.push(first.baseUrl, others[0].baseUrl);
    const ofAll = async <T>(ask: (server: typeof first) => Promise<T>): Promise<readonly T[]> =>
      Promise.all(all.map(ask));
    return {
      baseUrl: proxy.baseUrl,
      databaseUrl: async () => database.url,
      start: async () => void (await ofAll((server) => server.start())),
      kill: async () => void (await ofAll((server) => server.kill())),
      command: (args, more = {}, stdin = '') => first.command(args, { PORTICO_URL: proxy.baseUrl, ...more }, stdin),
      logs: async () => (await ofAll((server) => server.logs())).join(''),
      said: async () => (await ofAll((server) => server.said())).join(''),
      secrets: async () =>
        new Map([
          ['the password of the database', database.password],
          ['the secret key of the store', bucket.S3_SECRET_ACCESS_KEY ?? ''],
          ['the encryption key', encryptionKey],
        ]),
      async close() {
        await ofAll((server) => server.close());
        await proxy.close();
        await database.drop();
      },
    };
  },
};
