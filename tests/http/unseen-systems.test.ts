import { expect } from 'chai';
import { PostingWorker } from '../../src/composition/modules/worker.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { calling, rawClient, request } from '../mcp/client.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { callApi, sendToApi } from '../support/api.ts';
import { until } from '../support/until.ts';
import { documentMaker } from './documents-made.ts';

/** What only Ada sees has a name with this in it. */
const UNSEEN = /vault/i;

const posting = (name: string, connection: string, more = '') => `
  - name: ${name}
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { number: { type: string, title: Number }, total: { type: number } } }
    system_of_record: { connection: ${connection}, entity: public.vaults, columns: { number: /number, total: /total }, document_id_column: document_id }
    tools: [documents, { connection: vault ledger, write: true }, { database: vault_books }, { agent: Vault keeper }, { http: { name: rate, method: GET, url: "http://vault.localhost:9/", allow_hosts: ["vault.localhost:9"], input_schema: { type: object } } }]
    ${more}`;

const file = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
connections:
  - { name: vault ledger, type: postgresql, url: "\${LEDGER_URL}", visible_to: [ada@example.com] }
  - { name: vault far, type: postgresql, url: "postgres://u:p@127.0.0.1:9/vaultbase", visible_to: [ada@example.com] }
databases:
  - { id: vault_books, name: Vault books, connection: vault ledger, schemas: [public] }
agents:
${posting('Poster', 'vault ledger')}
${posting('Away', 'vault far')}
${posting('Automat', 'vault far', 'process: automatic')}
${posting('Own', 'vault ledger', 'visible_to: [ada@example.com]')}
  - { name: Asker, workflow_type: assistant, model: offline, instructions: Keep., tools: [{ connection: vault ledger, write: true, requires_approval: true }] }
  - { name: Own asker, workflow_type: assistant, model: offline, instructions: Keep., tools: [{ connection: vault ledger, write: true, requires_approval: true }], visible_to: [ada@example.com] }
  - { name: Vault keeper, workflow_type: assistant, model: offline, instructions: Keep., visible_to: [ada@example.com] }
`;

interface Answered {
  readonly status: number;
  readonly text: string;
}

describe('a system that the reader does not see', () => {
  let world: World;
  let ada: string;
  let bob: string;
  before(async () => {
    world = await openWorld({ workspace: file, env: { RATE_LIMIT_RUNS: '1000000' } });
    ada = await world.key();
    bob = await world.key({ email: 'bob@example.com' });
    await world.query(
      'create table public.vaults (document_id uuid, number text not null unique, total numeric check (total > 0))',
    );
    await world.query('create table public.vault_owners (id integer primary key)');
    await world.query(
      'create table public.keys (id integer primary key, owner integer references public.vault_owners)',
    );
  });
  after(() => world.stop());

  const make = documentMaker(
    () => world,
    () => ada,
  );
  const call = async (path: string, method = 'GET', key = bob): Promise<Answered> => {
    const answer = await sendToApi(world.baseUrl, key, path, { method });
    return { status: answer.status, text: await answer.text() };
  };
  const rehearse = (id: string, key = bob) => call(`/documents/${id}/rehearsal`, 'POST', key);
  const namesNothing = ({ text }: Answered, of: string) => expect(text, of).not.to.match(UNSEEN);

  it('is not named by the agent, its versions and its tools', async () => {
    const id = world.agentId('Poster');
    for (const path of ['/agents', `/agents/${id}/tools`, `/agents/${id}/versions`, `/agents/${id}/versions/1`])
      namesNothing(await call(path), path);
    namesNothing(await rawClient(world.mcpUrl('Poster'), bob)(request('tools/list')), 'tools/list');
  });

  it('is not named by a tool whose server cannot be reached', async () => {
    const { body } = await rawClient(world.mcpUrl('Poster'), bob)(calling('rate', {}));
    expect(body.result.isError).to.equal(true);
    expect(body.result.content[0]?.text)
      .to.match(/\[hidden\]/)
      .and.not.match(UNSEEN);
  });

  it('is not named by what rehearsals and postings come to, wherever that stands', async () => {
    const wrong: readonly JsonObject[] = [{ number: 'A-1', total: 1 }, { total: 1 }, { number: 'A-2', total: -1 }];
    const written = await make('Poster', { data: { number: 'A-1', total: 1 } });
    expect((await call(`/documents/${written}`, 'POST')).text).to.include('"status":"processed"');
    const reasons: string[] = [];
    const made = [written];
    for (const data of wrong) {
      const id = await make('Poster', { data });
      made.push(id);
      const rehearsed = await rehearse(id);
      namesNothing(rehearsed, 'a rehearsal');
      reasons.push((JSON.parse(rehearsed.text) as { data: { reason: string } }).data.reason);
      expect((await call(`/documents/${id}`, 'POST')).text).to.include('"status":"error"');
      const byModel = await rawClient(world.mcpUrl('Poster'), bob)(calling('rehearse_document', { document_id: id }));
      namesNothing(byModel, 'rehearse_document');
    }
    expect(reasons).to.deep.equal([
      'Number: duplicate key value violates unique constraint "[hidden]_number_key". Key (number)=(A-1) already exists.',
      'Number: null value in column "number" of relation "[hidden]" violates not-null constraint.',
      'new row for relation "[hidden]" violates check constraint "[hidden]_total_check".',
    ]);

    const far = await make('Away', { data: { number: 'A-1', total: 1 } });
    for (const { status, text } of [await rehearse(far), await call(`/documents/${far}`, 'POST')]) {
      expect(status).to.equal(500);
      expect(JSON.parse(text)).to.include({
        code: 'upstream_unavailable',
        detail: 'The connection "[hidden]" could not be reached.',
      });
    }

    const automatic = await make('Automat', { data: { number: 'A-1', total: 1 } });
    const worker = world.composition.container.get(PostingWorker);
    worker.start();
    await until('a posting fails', async () => (await call(`/documents/${automatic}`)).text.includes('[hidden]'));
    await worker.stop(1000);

    const { body } = await callApi<{ data: { runs: readonly { id: string }[] } }>(world.baseUrl, bob, '/runs');
    const runs = body.data.runs.flatMap(({ id }) => [`/runs/${id}`, `/runs/${id}/events`]);
    const documents = [...made, far, automatic].flatMap((id) => [`/documents/${id}`, `/documents/${id}/revisions`]);
    const lists = ['/documents', '/documents/export?format=ndjson', '/events?types=document.*', '/events?types=unit.*'];
    for (const path of [...documents, ...runs, ...lists]) namesNothing(await call(path), path);
  });

  it('is not named by the rehearsal of a call that waits for a person, nor are other tables of it', async () => {
    const ask = (agent: string, id: number) => {
      const row = { entity: 'public.keys', values: { id, owner: 1 } };
      return rawClient(world.mcpUrl(agent), ada)(calling('vault_ledger_insert_record', row));
    };
    await ask('Asker', 1);
    await ask('Own asker', 1);
    const rejectedIn = async (path: string, key: string) =>
      [...(await call(path, 'GET', key)).text.matchAll(/"rejected":"((?:[^"\\]|\\.)*)"/g)].map(
        ([, rejected]) => JSON.parse(`"${rejected}"`) as string,
      );
    const shown =
      'insert or update on table "[hidden]" violates foreign key constraint "[hidden]_owner_fkey". Key (owner)=(1) is not present in table "[hidden]".';
    expect(await rejectedIn('/approvals', bob)).to.deep.equal([shown]);
    expect(await rejectedIn('/events?types=approval.*', bob)).to.deep.equal([shown]);
    const [own, shared] = await rejectedIn('/approvals', ada);
    expect(own).to.match(/table "vault_owners"/);
    expect(shared).to.equal(shown);
  });

  it('is named to who sees it, in a rehearsal, and in a document that nobody else sees', async () => {
    const shared = await make('Poster', { data: { total: 1 } });
    expect((await rehearse(shared, ada)).text).to.include('of relation \\"vaults\\"');
    const own = await make('Own', { data: { total: 1 } });
    expect((await call(`/documents/${own}`, 'POST', ada)).text).to.include('of relation \\"vaults\\"');
  });
});
