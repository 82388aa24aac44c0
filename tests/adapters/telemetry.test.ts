import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { pinoLog } from '../../src/adapters/system/log.ts';
import { bounded, openMetrics } from '../../src/adapters/telemetry/metrics.ts';
import { requestTelemetry } from '../../src/adapters/telemetry/requests.ts';
import { logFields, tracedIds } from '../../src/adapters/telemetry/scope.ts';
import { tracer } from '../../src/adapters/telemetry/tracing.ts';
import { traceContextOf } from '../../src/domain/trace-context.ts';
import { readExposition, sampled } from '../support/exposition.ts';
import { freePort } from '../support/listen.ts';
import { aServer } from '../support/server.ts';

const end = { operation: 'listRuns', route: '/api/v1/runs', status: 200, aborted: false, seconds: 0.01 };
const state = {
  postingQueue: async () => ({ waiting: 4, oldestSeconds: 7.5 }),
  sources: async () => ({ well: 3, waiting: 2, failing: 1, lateSeconds: 12 }),
  heldBack: async () => ({ transaction: 120, standby: 0 }),
  budgets: async () => [{ action: 'stop', state: 'spent', count: 2 }],
  retentionBehind: async () => 90,
  listReads: () => ({ replica: 5, primary: 1 }),
  connections: () => ({ total: 3, idle: 1, waiting: 0 }),
  limitsAreShared: () => true,
};

describe('telemetry', () => {
  const metrics = () => openMetrics({ version: '1.2.3' });

  it('gives a label no more values than it may have', () => {
    const label = bounded(2);
    expect(['a', 'b', 'c', 'a', 'd', 'b'].map(label)).to.deep.equal(['a', 'b', 'other', 'a', 'other', 'b']);
    expect(bounded(2)('x'.repeat(1000))).to.equal('other');
  });

  it('asks for the depth of the queue once, however often and however much at once it is read', async () => {
    let asked = 0;
    const opened = metrics();
    opened.observe({ ...state, queue: async () => ({ queued: ++asked, running: 2, oldestSeconds: 1.5 }) });
    await Promise.all([opened.expose(), opened.expose()]);
    const families = readExposition((await opened.expose()).body);
    expect(asked).to.equal(1);
    expect(sampled(families, 'portico_queue_runs', { status: 'running' })).to.equal(2);
    expect(sampled(families, 'portico_database_connections', { state: 'in_use' })).to.equal(2);
    expect(sampled(families, 'portico_posting_queue_documents')).to.equal(4);
    expect(sampled(families, 'portico_posting_queue_oldest_seconds')).to.equal(7.5);
    expect(sampled(families, 'portico_sources', { state: 'failing' })).to.equal(1);
    expect(sampled(families, 'portico_sources', { state: 'waiting' })).to.equal(2);
    expect(sampled(families, 'portico_sources', { state: 'well' })).to.equal(3);
    expect(sampled(families, 'portico_sources_late_seconds')).to.equal(12);
    expect(sampled(families, 'portico_database_held_back_transactions', { by: 'transaction' })).to.equal(120);
    expect(sampled(families, 'portico_database_list_reads_total', { server: 'replica' })).to.equal(5);
    expect(sampled(families, 'portico_limits_shared')).to.equal(1);
    expect(sampled(families, 'portico_budgets', { action: 'stop', state: 'spent' })).to.equal(2);
    expect(sampled(families, 'portico_retention_behind_seconds')).to.equal(90);
  });

  it('says nothing of retention where everything is kept', async () => {
    const opened = metrics();
    const queue = async () => ({ queued: 0, running: 0, oldestSeconds: 0 });
    opened.observe({ ...state, queue, retentionBehind: async () => null });
    const families = readExposition((await opened.expose()).body);
    expect(families.get('portico_retention_behind_seconds')?.samples).to.deep.equal([]);
  });

  it('leaves the queue out, and nothing else, while the database cannot be asked', async () => {
    const opened = metrics();
    const away = () => Promise.reject(new Error('the database is away'));
    const all = {
      queue: away,
      postingQueue: away,
      sources: away,
      heldBack: away,
      budgets: away,
      retentionBehind: away,
    };
    opened.observe({ ...state, ...all });
    const families = readExposition((await opened.expose()).body);
    for (const name of [
      'queue_runs',
      'queue_oldest_seconds',
      'posting_queue_documents',
      'posting_queue_oldest_seconds',
      'sources',
      'sources_late_seconds',
      'database_held_back_transactions',
      'budgets',
      'retention_behind_seconds',
    ])
      expect(families.get(`portico_${name}`)?.samples, name).to.deep.equal([]);
    expect(sampled(families, 'portico_database_connections')).to.equal(3);
  });

  it('counts requests under way, and those whose client went away as 499', async () => {
    const opened = metrics();
    const telemetry = requestTelemetry(null, opened);
    const [one] = [telemetry.request('GET', 'a', null), telemetry.request('BREW', 'b', null)];
    one.end({ ...end, aborted: true });
    const families = readExposition((await opened.expose()).body);
    expect(sampled(families, 'portico_http_requests_in_flight')).to.equal(1);
    expect(sampled(families, 'portico_http_request_duration_seconds_count', { status: '499' })).to.equal(1);
  });

  it('adds to the lines of the log what they are part of, until that is over', async () => {
    const lines: string[] = [];
    const log = pinoLog({ level: 'info', lines: { write: (line) => lines.push(line) }, context: logFields });
    const request = requestTelemetry(null, metrics()).request('GET', 'r-1', {
      traceId: 'ab'.repeat(16),
      parentId: 'cd'.repeat(8),
      sampled: true,
    });
    let late = () => {};
    await request.during(async () => {
      log.info({ answer: 42 }, 'within');
      const bound = (await import('node:async_hooks')).AsyncLocalStorage.snapshot();
      late = () => bound(() => log.info({}, 'late'));
      late();
    });
    request.end(end);
    late();
    const said = lines.map((line) => JSON.parse(line));
    expect(said[0]).to.include({ answer: 42, request_id: 'r-1', trace_id: 'ab'.repeat(16) });
    expect(said[1]).to.include({ request_id: 'r-1' });
    expect(said[2]).not.to.have.any.keys('request_id', 'trace_id');
  });

  it('names a trace once, for the request and for the run that it begins', async () => {
    const ids = tracedIds({ next: () => '', traceId: () => 'f'.repeat(32), nonce: () => '' });
    const request = requestTelemetry(null, metrics()).request('POST', 'r-2', null);
    expect(request.traceId).to.equal(null);
    await request.during(async () => void expect(ids.traceId()).to.equal('f'.repeat(32)));
    expect(request.traceId).to.equal('f'.repeat(32));
  });

  it('keeps the lines of one run apart from those of another that began in it', async () => {
    const fields: object[] = [];
    const task = tracer(null);
    const run = (id: string, traceId: string | null, work: () => Promise<void>) =>
      task({ name: 'run', kind: 4, attributes: {}, fields: { run_id: id }, traceId }, work);
    const note = async () => void fields.push(logFields());
    await run('a', 'a'.repeat(32), () => run('b', 'b'.repeat(32), note));
    await run('a', 'a'.repeat(32), () => run('b', null, note));
    expect(fields).to.deep.equal([{ run_id: 'b', trace_id: 'b'.repeat(32) }, { run_id: 'b' }]);
  });
});

describe('a traceparent', () => {
  const valid = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;

  it('says its trace, its span and whether it is sampled', () => {
    expect(traceContextOf(valid)).to.deep.equal({ traceId: 'ab'.repeat(16), parentId: 'cd'.repeat(8), sampled: true });
    expect(traceContextOf(valid.replace(/01$/, '02'))?.sampled).to.equal(false);
    expect(traceContextOf(`01${valid.slice(2)}-more`)?.sampled, 'of a later version').to.equal(true);
  });

  const wrong = [
    `${valid}-more`,
    `ff${valid.slice(2)}`,
    valid.toUpperCase(),
    valid.replace(/ab/g, '00'),
    valid.replace(/cd/g, '00'),
    '',
    null,
    [valid],
  ];
  for (const value of wrong)
    it(`is as good as none: ${JSON.stringify(value)}`, () => expect(traceContextOf(value)).to.equal(null));

  it('of any text is a context or nothing', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/));
    const property = fc.property(text, (value) => {
      const found = traceContextOf(value);
      return (
        found === null || (/^(?!0+$)[0-9a-f]{32}$/.test(found.traceId) && /^(?!0+$)[0-9a-f]{16}$/.test(found.parentId))
      );
    });
    fc.assert(property, { verbose: 1 });
  });
});

describe('the OpenTelemetry SDK', () => {
  /** The modules of OpenTelemetry that a server loads from its start to its end. */
  const loadedWith = async (env: Record<string, string>): Promise<readonly string[]> => {
    const folder = await mkdtemp(path.join(tmpdir(), 'portico-modules-'));
    const [spy, list] = [path.join(folder, 'spy.cjs'), path.join(folder, 'modules.json')];
    await writeFile(
      spy,
      `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache))));`,
    );
    const server = await aServer({ env: { ...env, DEMO: 'false', NODE_OPTIONS: `--require=${spy}` } });
    try {
      await server.start();
      await server.stop();
      const modules = JSON.parse(await readFile(list, 'utf8')) as readonly string[];
      return [...new Set(modules.flatMap((file) => /node_modules\/(@opentelemetry\/[\w-]+)\//.exec(file)?.[1] ?? []))];
    } finally {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    }
  };

  it('is not loaded where nothing asks for traces', async () => {
    const loaded = await loadedWith({ OTEL_SERVICE_NAME: 'shop' });
    expect(loaded.filter((name) => name !== '@opentelemetry/api')).to.deep.equal([]);
  });

  it('is not loaded where it is disabled', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    const loaded = await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'True' });
    expect(loaded.filter((name) => name !== '@opentelemetry/api')).to.deep.equal([]);
  });

  it('is loaded where there is a collector, and one that is away stops nothing', async () => {
    const loaded = await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` });
    expect(loaded).to.include('@opentelemetry/sdk-node');
  });
});
