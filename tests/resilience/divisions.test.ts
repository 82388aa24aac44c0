import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { callApi } from '../support/api.ts';
import { applyTo, keyOn } from '../support/operator.ts';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aFolder, aServer, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type Bundled, bundleOf, divisionAnswer, documentsOf, questionIn, routingWorkspace } from './division.ts';
import { extraction, type SlowModel, slowModel } from './model.ts';
import { asking, endLease, sql } from './stage.ts';
import { randomOf } from './traffic.ts';

/** Each round kills the worker while it divides, and its successor while it reads the parts. */
const ROUNDS = Number(process.env.TEST_KILLS ?? 2);
const PAGES = 100;
const MANY_PAGES = 400;

/** How often a model is asked about a file: about 40 pages, of which two were shown before. */
const windowsOf = (pages: number) => 1 + Math.ceil((pages - 40) / 38);

interface Run {
  readonly status: string;
  readonly attempt: number;
  readonly error: string | null;
  readonly items: readonly { readonly status: string }[];
  readonly parts: readonly { name: string; pages: number[]; status: string; document_id: string }[];
  readonly unassigned: readonly unknown[];
}

describe('dividing a file, while workers are killed', function () {
  this.timeout(600_000);
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));
  const random = randomOf(seed);
  const bundles = new Map<string, readonly Bundled[]>();
  const servers: Server[] = [];
  let folder: string;
  let postgres: OwnDatabase;
  let model: SlowModel;
  let api: Server;
  let worker: Server;
  let key: string;
  let agentId: string;
  /** The last document of a bundle is read once this is over. */
  let held: Promise<void> = Promise.resolve();

  before(async () => {
    console.log(`    seed: TEST_SEED=${seed}`);
    folder = await aFolder();
    [postgres, model] = await Promise.all([embeddedDatabase(), slowModel()]);
    const settings = { dataDir: path.join(folder, 'data'), env: { ...asking(model), DATABASE_URL: postgres.url } };
    api = await aServer({ ...settings, role: 'api' });
    worker = await aServer({ ...settings, role: 'worker' });
    servers.push(api, worker);
    await api.start();
    await applyTo(api, postgres.url, routingWorkspace);
    key = await keyOn(api, postgres.url, 'errors@example.com');
    const { agents } = await get<{ agents: readonly { id: string; name: string }[] }>('/agents');
    agentId = agents.find(({ name }) => name === 'Post room')?.id ?? '';
    model.behave(async ({ unit, body }) => {
      const question = questionIn(body);
      await sleep(20 + random() * 60);
      if (question !== null) return divisionAnswer(question, bundles.get(question.file_name.replace('.pdf', '')) ?? []);
      const isLast = [...bundles.values()].some((documents) => documents.at(-1)?.unit === unit);
      if (isLast) await held;
      return extraction(unit);
    });
  });

  after(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await model?.close();
    await postgres?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const call = async <T>(to: string, body?: object) => {
    const answer = await callApi<{ data: T }>(api.baseUrl, key, to, body ? { body } : {});
    expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 201]);
    return answer.body.data;
  };
  const get = <T>(to: string) => call<T>(to);

  const start = async (bundle: string, pages = PAGES): Promise<string> => {
    const documents = documentsOf(bundle, pages, random);
    bundles.set(bundle, documents);
    const asked = { files: [{ file_name: `${bundle}.pdf`, content_type: 'application/pdf' }] };
    const { files } = await call<{ files: { upload_url: string; headers: Record<string, string> }[] }>(
      `/agents/${agentId}/upload-urls`,
      asked,
    );
    const [{ upload_url: url, headers }] = files as [(typeof files)[0]];
    const stored = await fetch(url, {
      method: 'PUT',
      headers,
      body: (await bundleOf(documents)) as Uint8Array<ArrayBuffer>,
    });
    expect(stored.ok).to.equal(true);
    return (await call<{ id: string }>(`/agents/${agentId}/run`, { files })).id;
  };

  const ended = async (id: string): Promise<Run> => {
    for (;;) {
      const run = await get<Run>(`/runs/${id}?wait=10`);
      if (!['queued', 'running'].includes(run.status)) return run;
    }
  };

  const counted = async (id: string) => {
    const [row] = await sql(
      postgres.url,
      `select (select count(*)::int from documents where run_id = $1) as documents,
        (select count(*)::int from document_revisions v join documents d on d.id = v.document_id where d.run_id = $1) as revisions,
        (select count(*)::int from run_units where run_id = $1) as units,
        (select count(*)::int from conversations where run_id = $1) as conversations,
        (select count(*)::int from run_sheets where run_id = $1) as sheets,
        (select count(*)::int from events where run_id = $1 and type = 'document.ready') as told`,
      [id],
    );
    return row;
  };

  /** The run is what it is when nothing happens to it: what the documents of the bundle are. */
  const verify = async (bundle: string, id: string, run: Run) => {
    const documents = bundles.get(bundle) ?? [];
    expect(run.status, run.error ?? '').to.equal('completed');
    expect(run.unassigned).to.deep.equal([]);
    expect(run.parts.map(({ name, pages, status }) => ({ name, pages, status }))).to.deep.equal(
      documents.map(({ name, pages }) => ({ name, pages, status: 'ready' })),
    );
    for (const [index, { document_id: of }] of run.parts.entries()) {
      const { document_data: data } = await get<{ document_data: { unit: string } }>(`/documents/${of}`);
      expect(data.unit).to.equal(documents[index]?.unit);
    }
    const count = documents.length;
    expect(await counted(id)).to.deep.equal({
      documents: count,
      revisions: count,
      told: count,
      sheets: 1,
      units: count + 1,
      conversations: count + 1,
    });
    expect(model.overlaps).to.deep.equal([]);
  };

  const asked = (isDivision: boolean) =>
    model.calls.filter(({ body }) => (questionIn(body) !== null) === isDivision).length;

  it(`makes its parts and documents of ${MANY_PAGES} pages when nothing happens`, async () => {
    await worker.start();
    const id = await start('calm', MANY_PAGES);
    await verify('calm', id, await ended(id));
    expect(asked(true)).to.equal(windowsOf(MANY_PAGES));
  });

  it(`makes the same ones, and each once, when it is killed ${2 * ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      model.forget();
      await worker.start();
      const bundle = `round-${round}`;
      const hold = Promise.withResolvers<void>();
      held = hold.promise;
      const id = await start(bundle);
      const windows = 1 + Math.floor(random() * 3);
      await until('the model is asked to divide', () => asked(true) >= windows);
      await sleep(random() * 120);
      await worker.kill();
      await endLease(postgres.url, id);
      await worker.start();
      const count = bundles.get(bundle)?.length ?? 0;
      const wanted = 1 + Math.floor(random() * (count - 1));
      await until('the model is asked to read', () => asked(false) >= wanted);
      await sleep(random() * 120);
      await worker.kill();
      await endLease(postgres.url, id);
      hold.resolve();
      await worker.start();
      const run = await ended(id);
      expect(run.attempt, 'each of the two has lost it').to.equal(3);
      await verify(bundle, id, run);
      // No window of an answer that is stored is asked about again, and no part that is read.
      expect(asked(true)).to.be.at.most(windowsOf(PAGES) + 1);
    }
  });
});
