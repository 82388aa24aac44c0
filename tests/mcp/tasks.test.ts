import { expect } from 'chai';
import { RunWorker } from '../../src/composition/modules/worker.ts';
import { anId } from '../support/builders.ts';
import { modern, rawClient, request, type Send } from './client.ts';
import { openWorld, type World } from './world.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: vic@example.com, name: Vic, role: viewer }
agents:
  - { name: Clerk, workflow_type: assistant, model: offline, instructions: Help., tools: [{ agent: Reader }] }
  - { name: Reader, workflow_type: assistant, model: offline, instructions: Read. }
  - { name: Other, workflow_type: assistant, model: offline, instructions: Help. }
`;

interface Task {
  readonly resultType: string;
  readonly taskId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: null;
  readonly pollIntervalMs: number;
  readonly result?: {
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent: Record<string, unknown>;
  };
  readonly error?: object;
}

describe('a run as a task of the protocol', () => {
  let world: World;
  let key: string;
  before(async () => {
    world = await openWorld({ workspace });
    key = await world.key();
  });
  after(() => world.stop());

  const ask = async (
    method: string,
    params: Record<string, unknown>,
    {
      declares = true,
      agent = 'Clerk',
      as = key,
      headers: more = {},
    }: { declares?: boolean; agent?: string; as?: string; headers?: Record<string, string> } = {},
  ) => {
    const meta = declares ? { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } } } : {};
    const { message, headers } = modern(method, params, meta);
    const named: Record<string, string> = typeof params.taskId === 'string' ? { 'mcp-name': params.taskId } : {};
    const send: Send = rawClient(world.mcpUrl(agent), as);
    const { status, body } = await send(message, { headers: { ...headers, ...named, ...more } });
    return { status, error: body.error, task: body.result as unknown as Task };
  };
  const start = async (message = 'Hello') =>
    (await ask('tools/call', { name: 'run_reader', arguments: { message } })).task;
  const get = async (taskId: string) => (await ask('tasks/get', { taskId })).task;

  it('is announced as an extension, to clients that know of them', async () => {
    const { message, headers } = modern('server/discover');
    const { body } = await rawClient(world.mcpUrl(), key)(message, { headers });
    expect(body.result).to.deep.include({ capabilities: { tools: {}, extensions: { [TASKS]: {} } } });
    const hello = request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    });
    expect((await rawClient(world.mcpUrl(), key)(hello)).body.result).to.deep.include({ capabilities: { tools: {} } });
  });

  it('is followed to its end', async () => {
    const task = await start();
    expect(task).to.include({ resultType: 'task', status: 'working', ttlMs: null });
    expect(task).to.not.have.any.keys('result', 'error', 'content', 'task');
    expect(new Date(task.createdAt).toISOString()).to.equal(task.createdAt);
    const { result, ...working } = await get(task.taskId);
    expect(working).to.deep.include({ resultType: 'complete', taskId: task.taskId, status: 'working' });
    expect(result).to.equal(undefined);
    const worker = world.composition.container.get(RunWorker);
    worker.start();
    try {
      let now = await get(task.taskId);
      for (; now.status === 'working'; now = await get(task.taskId))
        await new Promise((resolve) => setTimeout(resolve, 50));
      expect(now).to.include({ resultType: 'complete', status: 'completed' });
      expect(now.result?.structuredContent).to.deep.include({ run_id: task.taskId, status: 'completed', next: null });
      expect(JSON.parse(now.result?.content[0]?.text ?? '')).to.deep.equal(now.result?.structuredContent);
    } finally {
      await worker.stop(1000);
    }
  });

  it('that failed is failed, with the reason', async () => {
    const { taskId } = await start();
    await world.query(
      `update runs set status = 'failed', error = 'The model is gone.', completed_at = now() where id = $1`,
      [taskId],
    );
    const failed = await get(taskId);
    expect(failed).to.deep.include({ status: 'failed', error: { code: -32603, message: 'The model is gone.' } });
    expect(failed).to.not.have.property('result');
  });

  it('is cancelled once, and cancelling what is over is no error', async () => {
    const { taskId } = await start();
    for (let time = 0; time < 2; time += 1) {
      const { task } = await ask('tasks/cancel', { taskId });
      expect(task).to.include({ resultType: 'complete' }).and.to.not.have.any.keys('taskId', 'status');
    }
    expect(await get(taskId)).to.include({ status: 'cancelled' });
    await world.query(`update runs set status = 'completed' where id = $1`, [taskId]);
    expect((await ask('tasks/cancel', { taskId })).task).to.include({ resultType: 'complete' });
    expect((await ask('tasks/update', { taskId, inputResponses: {} })).task).to.include({ resultType: 'complete' });
  });

  it('is for clients that declare the extension; others get the result of the call', async () => {
    const { task } = await ask(
      'tools/call',
      { name: 'run_reader', arguments: { message: 'Hello' } },
      { declares: false },
    );
    expect(task).to.include({ resultType: 'complete' }).and.to.not.have.property('taskId');
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { status, error } = await ask(method, { taskId: anId() }, { declares: false });
      expect([status, error.code, error.data], method).to.deep.equal([
        400,
        -32021,
        { requiredCapabilities: { extensions: { [TASKS]: {} } } },
      ]);
    }
    const old = await rawClient(world.mcpUrl(), key)(request('tasks/get', { taskId: anId() }));
    expect(old.body.error.code).to.equal(-32601);
  });

  it('is there for those who see it, at the agent whose tool starts such runs', async () => {
    const { taskId } = await start();
    expect((await ask('tasks/get', { taskId }, { agent: 'Other' })).error.code).to.equal(-32602);
    for (const unknown of [anId(), 'nonsense', undefined])
      expect((await ask('tasks/get', { taskId: unknown })).error.code).to.equal(-32602);
    const viewer = await world.key({ email: 'vic@example.com' });
    expect((await ask('tasks/get', { taskId }, { as: viewer })).task).to.include({ status: 'working' });
    expect((await ask('tasks/cancel', { taskId }, { as: viewer })).error.code).to.equal(-32602);
    expect(await get(taskId)).to.include({ status: 'working' });
  });

  it('is named in a header, as the body names it', async () => {
    const { taskId } = await start();
    const { status, error } = await ask('tasks/get', { taskId }, { headers: { 'mcp-name': anId() } });
    expect([status, error.code]).to.deep.equal([400, -32020]);
    for (const removed of ['tasks/result', 'tasks/list']) {
      const answer = await ask(removed, {});
      expect([answer.status, answer.error.code]).to.deep.equal([404, -32601]);
    }
  });
});
