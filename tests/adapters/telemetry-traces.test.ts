import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { type CollectedSpan, collector } from '../support/collector.ts';
import { modelServer } from '../support/model-server.ts';
import { printed } from '../support/program.ts';
import { receiver } from '../support/receiver.ts';
import { aServer, type Server } from '../support/server.ts';

const MODEL_KEY = 'telemetry-model-key-5Rt9';
const WORDS = 'The harbour master paid in copper';
const [SERVER, CLIENT, INTERNAL, PRODUCER, CONSUMER] = [2, 3, 1, 4, 5];

const workspaceOf = (hook: string) => `
workspace: traced
users: [{ email: tracer@example.com, name: Tracer, role: admin }]
agents:
  - name: Researcher
    workflow_type: assistant
    model: openai/gpt-traced
    instructions: ${WORDS}.
    tools: [search_web]
webhooks:
  - { url: "${hook}", events: ["run.completed"], secret: "whsec_${Buffer.from('a secret of the webhook').toString('base64')}" }
`;

interface RunBody {
  readonly id: string;
  readonly trace_id: string;
  readonly status: string;
  readonly error: string | null;
  readonly conversations: readonly { readonly id: string }[];
}

/** A server whose traces go to a collector of ours, with a model of ours behind it. */
const traced = async () => {
  const [model, hook, otlp] = [
    await modelServer(MODEL_KEY),
    await receiver((response) => response.writeHead(204).end()),
    await collector(),
  ];
  const server = await aServer({
    env: {
      LOG_LEVEL: 'debug',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: MODEL_KEY,
      OUTBOUND_ALLOWED_HOSTS: hook.host,
      OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=collector-secret-0815',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    },
  });
  const close = async () => {
    await server.close();
    await Promise.all([model.close(), hook.close(), otlp.close()]);
  };
  try {
    await server.start();
    const applied = await server.command(['apply', '-f', '-', '--json'], {}, workspaceOf(`${hook.url}/hook`));
    expect(applied.code, applied.stderr).to.equal(0);
    const created = await server.command(['keys', 'create', '--user', 'tracer@example.com', '--json']);
    const { key } = printed<{ key: string }>(created);
    return { model, otlp, server, key, close };
  } catch (error) {
    await close();
    throw error;
  }
};

const clientOf = ({ baseUrl }: Server, key: string) => {
  const call = async (where: string, init: RequestInit = {}) => {
    const answer = await fetch(`${baseUrl}/api/v1${where}`, {
      ...init,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
    });
    return { answer, data: ((await answer.json()) as { data: never }).data };
  };
  const agentId = async () => {
    const { agents } = (await call('/agents')).data as { agents: readonly { id: string }[] };
    return agents[0]?.id ?? '';
  };
  const run = async (message: string, headers: Record<string, string> = {}): Promise<RunBody> => {
    const begun = (
      await call(`/agents/${await agentId()}/run`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ user_message: message }),
      })
    ).data as RunBody;
    for (;;) {
      const seen = (await call(`/runs/${begun.id}?wait=10`)).data as RunBody;
      if (seen.status === 'completed') return seen;
      expect(seen.status, seen.error ?? '').to.be.oneOf(['queued', 'running']);
    }
  };
  return { call, run, agentId };
};

describe('traces', () => {
  let open: Awaited<ReturnType<typeof traced>> | undefined;
  const world = () => {
    if (!open) throw new Error('The server is there in tests only.');
    return open;
  };
  before(async () => {
    open = await traced();
  });
  after(() => open?.close());

  const answers = () =>
    world().model.answer(
      { toolCalls: [{ id: 'c1', name: 'search_web', arguments: { query: WORDS } }], usage: { input: 21, output: 5 } },
      { text: `${WORDS}, as I found.`, usage: { input: 40, output: 9 } },
    );

  const one = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
    const found = spans.filter((span) => span.name === name);
    expect(found, `${name} among ${spans.map((span) => span.name).join(', ')}`).to.have.length.above(0);
    return found[0] as CollectedSpan;
  };

  const lines = async () =>
    (await world().server.logs())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('a run is found by its trace_id: request, run, unit, agent, steps, tools and delivery', async () => {
    const { otlp, server, key } = world();
    answers();
    const run = await clientOf(server, key).run('What did the harbour master pay in?');
    const spans = await otlp.trace(run.trace_id, 'deliver run.completed');
    const [unit, request] = [one(spans, 'unit'), one(spans, 'POST /api/v1/agents/{agent_id}/run')];
    const [root, agent] = [one(spans, 'run'), one(spans, 'invoke_agent Researcher')];
    const conversation = run.conversations[0]?.id;

    expect(request).to.include({ kind: SERVER });
    expect(request.parentSpanId ?? '').to.equal('');
    expect(request.attributes).to.include({
      'http.request.method': 'POST',
      'http.route': '/api/v1/agents/{agent_id}/run',
      'http.response.status_code': 200,
      'portico.operation': 'createRun',
    });
    expect(request.resource).to.include({ 'service.name': 'portico', 'deployment.environment.name': 'test' });
    expect(root).to.include({ kind: CONSUMER });
    expect(root.attributes).to.include({
      'portico.run.id': run.id,
      'portico.run.attempt': 1,
      'gen_ai.agent.name': 'Researcher',
    });
    expect(unit).to.include({ kind: INTERNAL, parentSpanId: root.spanId });
    expect(unit.attributes).to.include({ 'portico.unit.index': 0, 'gen_ai.conversation.id': conversation });
    expect(agent).to.include({ kind: INTERNAL, parentSpanId: unit.spanId });
    expect(agent.attributes).to.include({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': conversation,
    });

    const steps = spans.filter(({ name, parentSpanId }) => name === 'chat gpt-traced' && parentSpanId === agent.spanId);
    expect(steps.map(({ attributes }) => attributes['gen_ai.usage.input_tokens'])).to.have.members([21, 40]);
    expect(steps.map(({ attributes }) => attributes['gen_ai.response.finish_reasons'])).to.deep.include.members([
      ['tool_calls'],
      ['stop'],
    ]);
    for (const { kind, attributes } of steps) {
      expect(kind).to.equal(CLIENT);
      expect(attributes).to.include({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-traced',
        'gen_ai.response.model': 'stub',
        'gen_ai.conversation.id': conversation,
      });
    }
    const tool = one(spans, 'execute_tool search_web');
    expect(tool).to.include({ kind: INTERNAL, parentSpanId: agent.spanId });
    expect(tool.attributes).to.include({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'search_web' });
    expect(one(spans, 'chat offline').parentSpanId, 'the model that sums the pages up').to.equal(tool.spanId);
    const delivery = one(spans, 'deliver run.completed');
    expect(delivery).to.include({ kind: PRODUCER });
    expect(delivery.attributes).to.include({ 'portico.run.id': run.id, 'http.response.status_code': 204 });
  });

  it('a traceparent is continued, by the request as a child and by the run in the same trace', async () => {
    const { otlp, server, key } = world();
    answers();
    const [traceId, parentId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    const run = await clientOf(server, key).run('And then?', { traceparent: `00-${traceId}-${parentId}-01` });
    expect(run.trace_id).to.equal(traceId);
    const spans = await otlp.trace(traceId, 'run');
    expect(one(spans, 'POST /api/v1/agents/{agent_id}/run').parentSpanId).to.equal(parentId);
  });

  it('a turn of a conversation is part of the request that asked for it', async () => {
    const { otlp, server, key } = world();
    answers();
    const client = clientOf(server, key);
    const [conversation] = (await client.run('Hello?')).conversations;
    world().model.answer({ text: 'Yes.' });
    const traceId = 'ba7651916cd43dd8448eb211c80319cc';
    const body = JSON.stringify({ message: WORDS });
    const sent = { method: 'POST', body, headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } };
    const { answer } = await client.call(`/threads/${conversation?.id}/messages`, sent);
    expect(answer.status).to.equal(200);
    const spans = await otlp.trace(traceId, 'POST /api/v1/threads/{id}/messages');
    const agent = one(spans, 'invoke_agent Researcher');
    expect(agent.parentSpanId).to.equal(one(spans, 'POST /api/v1/threads/{id}/messages').spanId);
    expect(one(spans, 'chat gpt-traced').attributes).to.include({ 'gen_ai.conversation.id': conversation?.id });
  });

  it('a model that fails is told by its reason, not by its words', async () => {
    const { otlp, server, key, model } = world();
    model.answer({ status: 400, message: WORDS });
    const traceId = 'ca7651916cd43dd8448eb211c80319cc';
    const client = clientOf(server, key);
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    await client.call(`/agents/${await client.agentId()}/run`, {
      method: 'POST',
      headers,
      body: '{"user_message":"Hello"}',
    });
    const failed = one(await otlp.trace(traceId, 'run'), 'chat gpt-traced');
    expect(failed.status).to.deep.equal({ code: 2 });
    expect(failed.attributes['error.type']).to.equal('model_error');
  });

  it('what is written in the log of a run and of a request says the same trace', async () => {
    const { server, key, model } = world();
    answers();
    const run = await clientOf(server, key).run('Once more');
    const requests = (await lines()).filter(({ msg, route }) => msg === 'request' && route === 'createRun');
    expect(requests.map(({ trace_id: id }) => id)).to.include(run.trace_id);
    model.answer({ status: 429, headers: { 'retry-after': '0' } }, { text: 'Done.' });
    const patient = await clientOf(server, key).run('Again');
    const retries = (await lines()).filter(({ msg }) => msg === 'the model is called again');
    expect(retries.at(-1)).to.include({ run_id: patient.id, trace_id: patient.trace_id, unit: 0, attempt: 1 });
  });

  it('tells nothing of what was said, and no secret, and sends everything when it stops', async () => {
    const { otlp, server, key } = world();
    answers();
    const run = await clientOf(server, key).run(WORDS);
    await server.stop();
    one(await otlp.trace(run.trace_id, 'run'), 'invoke_agent Researcher');
    const said = otlp.said();
    const kept = (file: string) => readFile(path.join(server.dataDir, file), 'utf8').then((text) => text.trim());
    const secrets = [
      key,
      MODEL_KEY,
      'collector-secret-0815',
      WORDS,
      await kept('encryption.key'),
      await kept('postgres/password'),
    ];
    for (const secret of secrets) expect(said.includes(secret), secret.slice(0, 12)).to.equal(false);
    expect(said).not.to.include('process.command');
    const log = await server.logs();
    expect(log).not.to.include('traces cannot be sent');
    for (const secret of ['collector-secret-0815', MODEL_KEY]) expect(log.includes(secret), secret).to.equal(false);
  });
});
