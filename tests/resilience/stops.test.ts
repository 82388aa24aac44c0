import { expect } from 'chai';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aServer, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type Client, client } from './client.ts';
import { heldFor, holdAll } from './held.ts';
import { extraction, type SlowModel, slowModel } from './model.ts';
import { asking, setUp } from './stage.ts';

/** Far less than the lease, by which a worker would notice in the end. */
const PROMPTLY_MS = 15_000;

describe('work that nobody wants any more', () => {
  let model: SlowModel;
  let postgres: OwnDatabase;
  let server: Server;
  let use: Client;

  before(async () => {
    [postgres, model] = await Promise.all([embeddedDatabase(), slowModel()]);
    server = await aServer({ env: { ...asking(model), DATABASE_URL: postgres.url } });
    await server.start();
    use = client(await setUp(server, postgres.url));
  });

  after(async () => {
    await server?.close();
    await model?.close();
    await postgres?.drop();
  });

  it('is stopped when its run is cancelled: the model is asked no further', async () => {
    const held = holdAll(model);
    const units = ['UNIT-cancel-a', 'UNIT-cancel-b'];
    const id = await use.createRun({ files: true, units });
    const asked = await Promise.all(units.map((unit) => heldFor(held, unit)));
    expect(await use.cancel(id)).to.equal(200);
    await until('the model is left alone', () => asked.every(({ call }) => call.gone.aborted), PROMPTLY_MS);
    const run = await use.run(id);
    expect(run.status).to.equal('cancelled');
    expect(run.status_reason?.code).to.equal('cancelled_by_user');
    expect(run.items.map(({ status }) => status)).to.deep.equal(['cancelled', 'cancelled']);
    expect(run.documents.map(({ status }) => status)).to.deep.equal(['error', 'error']);
    expect(await use.cancel(id)).to.equal(200);
  });

  it('is stopped when its document is deleted, and the others go on', async () => {
    const held = holdAll(model);
    const id = await use.createRun({ files: true, units: ['UNIT-delete-a', 'UNIT-delete-b'] });
    const [unwanted, wanted] = await Promise.all(['UNIT-delete-a', 'UNIT-delete-b'].map((unit) => heldFor(held, unit)));
    const [document] = (await use.run(id)).documents;
    expect(await use.remove(document?.id as string)).to.equal(200);
    await until('the model is left alone', () => unwanted?.call.gone.aborted === true, PROMPTLY_MS);
    expect(wanted?.call.gone.aborted).to.equal(false);
    wanted?.answer(extraction('UNIT-delete-b'));
    const run = await use.ended(id);
    expect(run.items.map(({ status, document_ids: ids }) => [status, ids.length])).to.deep.equal([
      ['failed', 0],
      ['completed', 1],
    ]);
    expect(run.error).to.equal(
      '1 of 2 failed. UNIT-delete-a.txt: The document was moved to trash before it was extracted.',
    );
  });

  it('is stopped when the client of a long poll goes away, without a trace in the log', async () => {
    const held = holdAll(model);
    const id = await use.createRun({ units: ['UNIT-hang-up'] });
    await heldFor(held, 'UNIT-hang-up');
    for (let clients = 0; clients < 5; clients++) await use.hangUp(id);
    (await heldFor(held, 'UNIT-hang-up')).answer(extraction('UNIT-hang-up'));
    expect((await use.ended(id)).status).to.equal('completed');
    expect(await server.logs()).not.to.match(/"level":"(warn|error)"/);
  });
});
