import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { callApi } from '../support/api.ts';
import { applyTo } from '../support/operator.ts';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aFolder, aServer, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { lockedLedger, type Stage, setUp, sql, workspace } from './stage.ts';

const DOCUMENTS = 6;
const automatic = workspace('offline').replace('    system_of_record', '    process: automatic\n    system_of_record');

describe('workers that post, while they are killed', function () {
  this.timeout(300_000);
  let folder: string;
  let postgres: OwnDatabase;
  let stage: Stage;
  const servers: Server[] = [];

  const serverOf = async (role: 'api' | 'worker') => {
    const env = { DATABASE_URL: postgres.url, DEMO: 'false' };
    const server = await aServer({ role, dataDir: path.join(folder, 'data'), env });
    servers.push(server);
    return server;
  };

  before(async () => {
    folder = await aFolder();
    postgres = await embeddedDatabase();
    const api = await serverOf('api');
    await api.start();
    stage = await setUp(api, postgres.url, 'offline');
    await applyTo(api, stage.database, automatic, { LEDGER_URL: stage.ledger });
  });

  after(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await postgres?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const statuses = async () =>
    (await sql<{ status: string }>(stage.database, 'select status from documents')).map(({ status }) => status);
  const are = async (status: string) => {
    const found = await statuses();
    return found.length === DOCUMENTS && found.every((each) => each === status);
  };

  it('the next one goes on, and each document is in the system of record once; a server of the API alone posts none', async () => {
    const lock = await lockedLedger(stage);
    const workers = [await serverOf('worker'), await serverOf('worker')];
    await Promise.all(workers.map((worker) => worker.start()));
    const reading = Array.from({ length: DOCUMENTS }, (_, n) => {
      const body = { user_message: `unit: UNIT-${n}\nread_by: offline` };
      return callApi(stage.baseUrl, stage.key, `/agents/${stage.agentId}/run`, { body });
    });
    await Promise.all(reading);
    await until('all are read', async () => {
      const found = await statuses();
      return found.length === DOCUMENTS && !found.includes('extracting');
    });
    await until('some are being delivered', async () => (await statuses()).includes('processing'));
    for (const worker of workers) await worker.kill();
    await lock.release();
    await until('what was being delivered is free again', () => are('ready'), 60_000);
    await until(
      'all of them are due',
      async () => {
        const text = 'select count(*)::int as due from documents where post_at <= now()';
        return (await sql<{ due: number }>(stage.database, text))[0]?.due === DOCUMENTS;
      },
      60_000,
    );
    await sleep(3000);
    expect(await are('ready')).to.equal(true);
    expect(await sql(stage.ledger, 'select id from entries')).to.deep.equal([]);
    await Promise.all(workers.map((worker) => worker.start()));
    await until('all of them are posted', () => are('processed'), 60_000);
    const rows = await sql<{ unit: string }>(stage.ledger, 'select unit from entries order by unit');
    expect(rows.map(({ unit }) => unit)).to.deep.equal(Array.from({ length: DOCUMENTS }, (_, n) => `UNIT-${n}`));
  });
});
