import { expect } from 'chai';
import { readExposition, sampled } from '../support/exposition.ts';
import { freePort } from '../support/listen.ts';
import { aServer, demoKey, type Server } from '../support/server.ts';

const NEWEST_RUN = 'Supplier: Alder Street Bakery\nInvoice number: M-1\nTotal: 84.00';

describe('/metrics', () => {
  let server: Server | undefined;
  let port = 0;
  let key = '';
  const running = () => {
    if (!server) throw new Error('The server is there in tests only.');
    return server;
  };
  before(async () => {
    port = await freePort();
    server = await aServer({ env: { MANAGEMENT_PORT: String(port), RATE_LIMIT_RUNS: '2', WORKER_CONCURRENCY: '3' } });
    await server.start();
    key = await demoKey(server);
  });
  after(() => server?.close());

  const scrape = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    return readExposition(await answer.text());
  };

  const send = async (path: string, init: RequestInit = {}) => {
    const headers = {
      'x-api-key': key,
      'content-type': 'application/json',
      ...(init.headers as Record<string, string>),
    };
    const answer = await fetch(`${running().baseUrl}${path}`, { ...init, headers });
    return { status: answer.status, body: (await answer.json()) as { data: never } };
  };

  const requests = async (labels: Record<string, string>) =>
    sampled(await scrape(), 'portico_http_request_duration_seconds_count', labels);

  /** A request is counted at the end of its connection's answer, a moment after the client has it. */
  const counted = async (labels: Record<string, string>, expected: number) => {
    for (let looks = 0; looks < 100 && (await requests(labels)) < expected; looks++);
    expect(await requests(labels), JSON.stringify(labels)).to.equal(expected);
  };

  it('counts requests by operation, method and status', async () => {
    for (let sent = 0; sent < 3; sent++) await send('/api/v1/agents');
    await send('/api/v1/agents', { headers: { 'x-api-key': 'svc-nobody' } });
    await send('/api/v1/nothing-here');
    await counted({ operation: 'listAgents', method: 'GET', status: '200' }, 3);
    await counted({ operation: 'listAgents', method: 'GET', status: '401' }, 1);
    await counted({ operation: 'unknown', status: '404' }, 1);
    const now = await scrape();
    expect(sampled(now, 'portico_http_requests_in_flight')).to.equal(0);
    expect(
      sampled(now, 'portico_http_request_duration_seconds_bucket', { operation: 'listAgents', le: '+Inf' }),
    ).to.equal(4);
  });

  it('counts what becomes of a run, its steps and tokens, and what the limit of runs refuses', async () => {
    const { agents } = (await send('/api/v1/agents')).body.data as { agents: readonly { id: string; name: string }[] };
    const id = agents.find(({ name }) => name === 'Invoice reader')?.id;
    const begin = () =>
      send(`/api/v1/agents/${id}/run`, { method: 'POST', body: JSON.stringify({ user_message: NEWEST_RUN }) });
    const run = (await begin()).body.data as { id: string };
    for (let status = ''; status !== 'completed'; ) {
      ({ status } = (await send(`/api/v1/runs/${run.id}?wait=10`)).body.data as { status: string });
      expect(status).to.be.oneOf(['queued', 'running', 'completed']);
    }
    await begin();
    expect((await begin()).status).to.equal(429);
    await counted({ operation: 'createRun', status: '429' }, 1);
    const now = await scrape();
    expect(sampled(now, 'portico_rate_limit_refusals_total', { limit: 'agent-runs' })).to.equal(1);
    expect(sampled(now, 'portico_run_transitions_total', { status: 'queued' })).to.equal(2);
    expect(sampled(now, 'portico_run_transitions_total', { status: 'completed' })).to.be.within(1, 2);
    expect(sampled(now, 'portico_run_units_total', { status: 'completed' })).to.be.within(1, 2);
    expect(sampled(now, 'portico_model_step_duration_seconds_count', { model: 'offline' })).to.be.within(1, 2);
    expect(sampled(now, 'portico_model_tokens_total', { model: 'offline', type: 'input' })).to.be.above(10);
    expect(sampled(now, 'portico_model_tokens_total', { model: 'offline', type: 'output' })).to.be.above(10);
  });

  it('shows the queue, the pool, the limits, the process and what is running', async () => {
    const now = await scrape();
    for (const status of ['queued', 'running']) {
      expect(now.get('portico_queue_runs')?.samples.map(({ labels }) => labels.status)).to.include(status);
    }
    expect(sampled(now, 'portico_queue_oldest_seconds')).to.be.at.least(0);
    expect(sampled(now, 'portico_posting_queue_documents')).to.equal(0);
    expect(sampled(now, 'portico_posting_queue_oldest_seconds')).to.equal(0);
    expect(sampled(now, 'portico_database_connections')).to.be.at.least(1);
    expect(sampled(now, 'portico_limits_shared'), 'without Redis').to.equal(0);
    expect(sampled(now, 'portico_build_info', { node: process.version })).to.equal(1);
    expect(sampled(now, 'process_cpu_seconds_total')).to.be.above(0);
    expect([...now.keys()]).to.include.members(['nodejs_eventloop_lag_seconds', 'process_resident_memory_bytes']);
  });

  it('has no label that a client can choose, and no id', async () => {
    await send(`/api/v1/${'x'.repeat(50)}`, { method: 'PUT' });
    for (const { samples } of (await scrape()).values()) {
      for (const { labels } of samples) {
        expect(JSON.stringify(labels)).not.to.match(/[0-9a-f]{8}-[0-9a-f]{4}|svc-|xxx/);
      }
    }
  });

  it('is not served where the API is', async () => {
    const answer = await send('/metrics');
    expect(answer.status).to.equal(404);
  });
});
