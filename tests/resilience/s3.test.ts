import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { callApi } from '../support/api.ts';
import { containerS3, makeBucket, s3At } from '../support/backends.ts';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aServer, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { wayTo } from '../support/way.ts';
import { extraction, type SlowModel, slowModel } from './model.ts';
import { asking, type Stage, setUp } from './stage.ts';
import { randomOf, traffic } from './traffic.ts';

const BUCKET = 'portico-errors';

// The way to the store stalls, not the store: one that is frozen for as long as this takes may not come back by itself.
describe(`a server whose S3 store, ${containerS3.name}, does not answer`, function () {
  this.timeout(600_000);
  let way: Awaited<ReturnType<typeof wayTo>>;
  let model: SlowModel;
  let postgres: OwnDatabase;
  let server: Server;
  let stage: Stage;
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));

  before(async function () {
    const store = await containerS3.url();
    if (store === null) return this.skip();
    console.log(`    seed: TEST_SEED=${seed}`);
    await makeBucket(store, BUCKET);
    way = await wayTo(store);
    const { endpoint, credentials } = s3At(way.url);
    const keys = { S3_ACCESS_KEY_ID: credentials.accessKeyId, S3_SECRET_ACCESS_KEY: credentials.secretAccessKey };
    [postgres, model] = await Promise.all([embeddedDatabase(), slowModel()]);
    server = await aServer({
      env: {
        ...asking(model),
        DATABASE_URL: postgres.url,
        ...keys,
        S3_BUCKET: BUCKET,
        S3_ENDPOINT: endpoint,
        WORKER_CONCURRENCY: '16',
      },
    });
    await server.start();
    stage = await setUp(server, postgres.url);
  });
  afterEach(async () => {
    way?.goOn();
    await untilAwake((await uploadUrl('after.txt')).file);
  });
  after(async () => {
    await server?.close();
    await model?.close();
    await postgres?.drop();
    way?.close();
  });

  const call = <T>(path: string, body?: object) => callApi<T>(stage.baseUrl, stage.key, path, { body });

  interface Target {
    readonly upload_url: string;
    readonly headers: Readonly<Record<string, string>>;
  }

  const uploadUrl = async (name: string) => {
    const files = [{ file_name: name, content_type: 'text/plain' }];
    const answer = await call<{ data: { files: readonly Target[] } }>(`/agents/${stage.agentId}/upload-urls`, {
      files,
    });
    return { status: answer.status, file: answer.body.data.files[0] as Target };
  };

  const put = ({ upload_url: url, headers }: Target) =>
    fetch(url, {
      method: 'PUT',
      headers: { ...headers },
      body: 'This is UNIT-s3-single.',
      signal: AbortSignal.timeout(20_000),
    });

  /** A store that wakes up may need longer for its first answers than the one that asks waits. */
  const untilAwake = (target: Target) =>
    until('the store takes files again', async () => (await put(target).catch(() => null))?.status === 200, 240_000);

  it('says so in plain words where files are needed, and goes on with everything else', async () => {
    const { file } = await uploadUrl('before.txt');
    expect((await put(file)).status).to.equal(200);
    expect(new URL(file.upload_url).pathname, 'uploads go to the store itself').to.match(new RegExp(`^/${BUCKET}/`));
    way.stall();
    const refused = await call<{ code: string; detail: string }>(`/agents/${stage.agentId}/run`, { files: [file] });
    expect(refused.status).to.be.oneOf([500, 503]);
    expect(refused.body).to.deep.include({ code: 'upstream_unavailable' });
    expect(refused.body.detail).to.equal('The file store cannot be reached at the moment. Please try again.');
    expect((await call('/runs')).status).to.equal(200);
    const later = await uploadUrl('later.txt');
    expect(later.status).to.equal(200);
    way.goOn();
    await untilAwake(later.file);
    await until(
      'a run is created',
      async () => (await call(`/agents/${stage.agentId}/run`, { files: [file] })).status === 200,
    );
  });

  it('loses and doubles nothing: what was asked for is done once the store is back', async () => {
    const random = randomOf(seed);
    model.behave(async ({ unit }) => {
      await sleep(10 + random() * 100);
      return extraction(unit);
    });
    // Some runs have to be at work when the store stops to answer.
    const load = traffic(stage, 's3', ['interrupted', 'worker_lost'], randomOf(seed + 1), 100);
    for (let round = 0; round < 2; round++) {
      const isInterrupted = async () => (await server.logs()).split('the run was interrupted').length > round + 1;
      // A stall in which no run happens to read a file interrupts none: another one does.
      await until(
        'a run is interrupted',
        async () => {
          const answered = load.answered();
          await until('runs are answered', () => load.answered() > answered + 5, 180_000);
          way.stall();
          for (const end = Date.now() + 30_000; Date.now() < end && !(await isInterrupted()); ) await sleep(200);
          way.goOn();
          return isInterrupted();
        },
        300_000,
      );
    }
    const answered = load.answered();
    await until('runs are answered again', () => load.answered() > answered + 5, 180_000);
    await load.stop();
    await load.verify();
    expect(model.overlaps).to.deep.equal([]);
    expect(await server.logs())
      .not.to.contain('X-Amz-Signature')
      .and.not.to.contain('testsecret1234');
  });
});
