import { expect } from 'chai';
import { applyTo } from '../support/operator.ts';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aServer, type Server } from '../support/server.ts';
import { client } from './client.ts';
import { heldFor, holdAll } from './held.ts';
import { extraction, type SlowModel, slowModel } from './model.ts';
import { asking, endLease, type Stage, setUp, workspace } from './stage.ts';

describe('an agent that is changed while its run is interrupted', () => {
  let model: SlowModel;
  let postgres: OwnDatabase;
  let server: Server;
  let stage: Stage;

  before(async () => {
    [postgres, model] = await Promise.all([embeddedDatabase(), slowModel()]);
    server = await aServer({ env: { ...asking(model), DATABASE_URL: postgres.url } });
    await server.start();
    stage = await setUp(server, postgres.url);
  });

  after(async () => {
    await server?.close();
    await model?.close();
    await postgres?.drop();
  });

  const change = async () => {
    const file = workspace('openai/later')
      .replace('Read it.', 'Read it twice.')
      .replace('read_by: {', 'checked_by: {')
      .replaceAll('read_by', 'checked_by');
    await applyTo(server, stage.database, file, { LEDGER_URL: stage.ledger });
  };

  const read = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { 'x-api-key': stage.key, 'content-type': 'application/json' };
    const answer = await fetch(`${stage.baseUrl}/api/v1${path}`, { headers, ...init });
    const body = (await answer.json()) as { data: T };
    expect(answer.status, JSON.stringify(body)).to.equal(200);
    return body.data;
  };

  it('has the run end with the version that it began with, and begins the next one with the new one', async () => {
    const use = client(stage);
    const held = holdAll(model);
    const id = await use.createRun({ units: ['UNIT-first', 'UNIT-second'], files: true });
    const first = await heldFor(held, 'UNIT-first');
    const begun = await heldFor(held, 'UNIT-second');
    first.answer(extraction('UNIT-first'));
    while ((await use.run(id, 1)).items.every(({ status }) => status === 'running'));

    await server.kill();
    await endLease(stage.database, id);
    await change();
    await server.start();

    const resumed = await heldFor(held, 'UNIT-second');
    expect(resumed).not.to.equal(begun);
    for (const { call } of [begun, resumed]) {
      expect(call.model).to.equal('stub');
      expect(call.instructions).to.include('Read it.').and.not.include('Read it twice.');
    }
    resumed.answer(extraction('UNIT-second'));
    const ended = await use.ended(id);
    expect(ended.status, JSON.stringify(ended)).to.equal('completed');
    expect(ended.attempt).to.equal(2);
    const bound = { agent_version: 1, model: 'openai/stub' };
    expect(ended).to.include(bound);
    expect(ended.documents).to.have.length(2);
    for (const document of ended.documents) {
      expect(document).to.include(bound);
      const found = await use.document(document.id);
      expect(found).to.include({ ...bound, status: 'ready' });
      expect(Object.keys(found.document_data ?? {})).to.deep.equal(['unit', 'read_by']);
    }

    const next = await use.createRun({ units: ['UNIT-next'] });
    const { call, answer } = await heldFor(held, 'UNIT-next');
    expect(call.model).to.equal('later');
    expect(call.instructions).to.include('Read it twice.');
    answer(JSON.stringify({ document: { unit: 'UNIT-next', checked_by: 'model' }, evidence: [] }));
    expect(await use.ended(next)).to.include({ status: 'completed', agent_version: 2, model: 'openai/later' });

    const { conversations } = await read<{ conversations: { id: string }[] }>(`/runs/${id}`);
    model.forget();
    model.behave(async () => 'I did.');
    await read(`/threads/${conversations[0]?.id}/messages`, {
      method: 'POST',
      body: JSON.stringify({ message: 'Did you read it?' }),
    });
    expect(
      model.calls.map((each) => each.model),
      'a conversation goes on with the live version',
    ).to.deep.equal(['later']);
  });
});
