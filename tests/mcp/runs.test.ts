import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { RunWorker } from '../../src/composition/modules/worker.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { anId } from '../support/builders.ts';
import { calling, rawClient, request } from './client.ts';
import { openWorld, RUN_TOOLS, type World } from './world.ts';

const reader = (name: string, tools = '') => `
  - name: ${name}
    workflow_type: document_extraction
    model: offline
    instructions: Read.
    document_schema: { type: object, properties: { total: { type: [number, 'null'] } } }
    tools: [${tools}]`;

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: vic@example.com, name: Vic, role: viewer }
agents:${reader('Reader')}${reader('Other')}${reader('Named', '{ http: { name: get_run, method: GET, url: "https://runs.example/run" } }')}
`;

interface Uploaded {
  readonly file: JsonObject;
  readonly upload: { readonly url: string; readonly method: string; readonly headers: Record<string, string> } | null;
}

describe('the runs of an agent as tools', () => {
  let world: World;
  let key: string;
  before(async () => {
    world = await openWorld({ workspace, env: { TOOL_TIMEOUT_SECONDS: '10' } });
    key = await world.key();
  });
  after(() => world.stop());

  const names = async (agent: string) =>
    (await rawClient(world.mcpUrl(agent), key)(request('tools/list'))).body.result.tools.map(({ name }) => name);
  const ask = async (name: string, input: object, { agent = 'Reader', as = key } = {}) => {
    const { body } = await rawClient(world.mcpUrl(agent), as)(calling(name, input));
    const { content, isError = false } = body.result;
    const text = content[0]?.text ?? '';
    return { isError, text, answer: (isError ? {} : JSON.parse(text)) as JsonObject };
  };

  it('are offered by every agent, and write nothing for a viewer', async () => {
    expect(await names('Reader')).to.deep.equal(RUN_TOOLS);
    const viewer = await world.key({ email: 'vic@example.com' });
    for (const [name, input] of [
      ['start_run', { user_message: 'Hello' }],
      ['upload_file', { file_name: 'a.txt', content_type: 'text/plain' }],
    ] as const)
      expect((await ask(name, input, { as: viewer })).text, name).to.match(/^Not run: /);
  });

  it('are waited for no longer than a call may take', async () => {
    const { answer: started } = await ask('start_run', { user_message: 'Total: 5' });
    const { isError, answer } = await ask('get_run', { run_id: started.run_id, wait: 25 });
    expect(isError).to.equal(false);
    expect(answer).to.include({ run_id: started.run_id, status: 'queued' });
    const cancel = `/api/v1/runs/${started.run_id}/cancel`;
    expect((await fetch(world.baseUrl + cancel, { method: 'POST', headers: { 'x-api-key': key } })).status).to.equal(
      200,
    );
  });

  it('give way to a tool of the agent that has such a name', async () => {
    expect(await names('Named')).to.deep.equal(['get_run', 'get_run_2', 'start_run', 'upload_file']);
  });

  it('are uploaded for, started and followed to their end by an official client', async () => {
    const client = new Client({ name: 'first', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(world.mcpUrl('Reader')), {
        requestInit: { headers: { 'x-api-key': key } },
      }),
    );
    await client.listTools();
    const call = async <T>(name: string, input: Record<string, unknown>): Promise<T> => {
      const result = await client.callTool({ name, arguments: input }, CallToolResultSchema);
      expect(result.isError, JSON.stringify(result.content)).to.not.equal(true);
      return result.structuredContent as T;
    };
    const worker = world.composition.container.get(RunWorker);
    worker.start();
    try {
      const large = await call<Uploaded>('upload_file', { file_name: 'large.txt', content_type: 'text/plain' });
      const { url = '', method, headers } = large.upload ?? {};
      expect((await fetch(url, { method, headers, body: 'Total: 12' } as RequestInit)).ok).to.equal(true);
      const small = await call<Uploaded>('upload_file', {
        file_name: 'small.txt',
        content_type: 'text/plain',
        content_base64: Buffer.from('Total: 13 €').toString('base64'),
      });
      expect(small.upload).to.equal(null);
      const started = await call<JsonObject>('start_run', {
        files: [large.file, small.file],
        user_message: 'Read both.',
      });
      expect(started).to.include({ status: 'queued' });
      let run: JsonObject = started;
      for (let each = 0; each < 20 && (run.status === 'queued' || run.status === 'running'); each += 1) {
        run = await call<JsonObject>('get_run', { run_id: started.run_id, wait: 2 });
      }
      expect(run).to.deep.include({ run_id: started.run_id, status: 'completed', error: null, next: null });
      const items = run.items as readonly JsonObject[];
      expect(items.map(({ file_names: files, status }) => [files, status])).to.deep.equal([
        [['large.txt'], 'completed'],
        [['small.txt'], 'completed'],
      ]);
      for (const { document } of items) expect(document).to.include({ status: 'ready' });
    } finally {
      await worker.stop(1000);
      await client.close();
    }
  });

  it('are those of the agent alone', async () => {
    const { answer } = await ask('start_run', { user_message: 'Hello' });
    for (const [agent, id] of [
      ['Other', answer.run_id],
      ['Reader', anId()],
    ] as const)
      expect((await ask('get_run', { run_id: id }, { agent })).text).to.equal('There is no such run.');
    expect((await ask('get_run', { run_id: answer.run_id })).answer).to.include({ status: 'queued' });
    const { answer: uploaded } = await ask('upload_file', {
      file_name: 'a.txt',
      content_type: 'text/plain',
      content_base64: 'QQ==',
    });
    const elsewhere = await ask('start_run', { files: [uploaded.file] }, { agent: 'Other' });
    expect([elsewhere.isError, elsewhere.text]).to.deep.equal([
      true,
      'files[0].file_key must be a key that was issued for an upload to this agent',
    ]);
  });

  it('are told what is wrong with them', async () => {
    const file = { file_name: 'a.txt', content_type: 'text/plain' };
    for (const [name, input, words] of [
      ['start_run', {}, /at least one file in files, or a user_message that is not blank/],
      ['start_run', { files: [{ file_key: 'x' }] }, /arguments of start_run are not valid/],
      ['upload_file', { ...file, file_name: '../a' }, /file_name/],
      ['upload_file', { ...file, content_type: 'text' }, /content_type/],
      ['upload_file', { ...file, content_base64: 'A' }, /content_base64/],
      ['upload_file', { ...file, content_base64: 'A'.repeat(1_398_108) }, /content_base64/],
      ['get_run', { run_id: 'nonsense' }, /arguments of get_run are not valid/],
      ['get_run', { run_id: anId(), wait: 26 }, /wait/],
    ] as const) {
      const { isError, text } = await ask(name, input);
      expect([isError, text], JSON.stringify(input).slice(0, 80)).to.satisfy(
        ([failed, said]: [boolean, string]) => failed && words.test(said),
      );
    }
  });

  it('with many files are read in pages that fit', async () => {
    const fileName = `${'é'.repeat(240)}.txt`;
    const upload = { file_name: fileName, content_type: 'text/plain', content_base64: 'QQ==' };
    const files: unknown[] = [];
    for (let each = 0; each < 60; each += 1) files.push((await ask('upload_file', upload)).answer.file);
    const { answer } = await ask('start_run', { files });
    const seen: unknown[] = [];
    for (let after: unknown = 0; after !== null; ) {
      const { answer: page, text } = await ask('get_run', { run_id: answer.run_id, after });
      expect(Buffer.byteLength(text)).to.be.below(20_000);
      seen.push(...(page.items as readonly JsonObject[]).map(({ index }) => index));
      after = page.next;
    }
    expect(seen).to.deep.equal(files.map((_, index) => index));
    const { answer: together } = await ask('start_run', { files, process_together: true });
    const { answer: whole } = await ask('get_run', { run_id: together.run_id });
    expect((whole.items as readonly JsonObject[])[0]).to.deep.include({
      file_count: 60,
      file_names: Array(10).fill(fileName),
    });
  });
});
