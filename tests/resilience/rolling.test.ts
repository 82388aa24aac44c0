import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aFolder, aServer, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { client } from './client.ts';
import { heldFor, holdAll } from './held.ts';
import { extraction, type SlowModel, slowModel } from './model.ts';
import { rollingProxy } from './rolling-proxy.ts';
import { asking, type Stage, setUp } from './stage.ts';

const ROUNDS = 2;
const LANES = 12;
/** Between two runs of a lane: servers that are kept busy to the last start and stop no other way, only slower. */
const MOST_PAUSE_MS = 600;

/** A connection that is kept by hand. */
const connection = async (baseUrl: string) => {
  const { hostname, port } = new URL(baseUrl);
  const socket: Socket = connect(Number(port), hostname);
  let seen = '';
  let closed = false;
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    seen += chunk;
  });
  socket.on('error', (error) => {
    seen += `[${error.message}]`;
  });
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve())).then(() => {
    closed = true;
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return {
    /** The whole answer, headers and body. */
    async ask(key: string, target: string) {
      seen = '';
      socket.write(`GET ${target} HTTP/1.1\r\nHost: portico\r\nX-API-Key: ${key}\r\n\r\n`);
      await until(`${target} is answered`, () => closed || /\r\n\r\n[\s\S]*\}$/.test(seen));
      return seen;
    },
    ended,
    isClosed: () => closed,
    end: () => socket.destroy(),
  };
};

describe('a server that is told to stop', () => {
  let folder: string;
  let postgres: OwnDatabase;
  let model: SlowModel;
  let stage: Stage;
  const servers: Server[] = [];
  const apis = () => servers.slice(0, 2) as [Server, Server];

  const serverOf = async (role: 'api' | 'worker') => {
    const stopping = { SHUTDOWN_SECONDS: '4', SHUTDOWN_DELAY_SECONDS: '1' };
    const env = { ...asking(model, role), SEARCH_MODEL: 'openai/stub', DATABASE_URL: postgres.url, ...stopping };
    const server = await aServer({ role, dataDir: path.join(folder, 'data'), env });
    servers.push(server);
    return server;
  };

  before(async () => {
    folder = await aFolder();
    [postgres, model] = await Promise.all([embeddedDatabase(), slowModel()]);
    for (const role of ['api', 'api', 'worker'] as const) await serverOf(role);
    await Promise.all(servers.map((server) => server.start()));
    stage = await setUp(apis()[0], postgres.url);
  });

  after(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await model?.close();
    await postgres?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const untilUnready = ({ baseUrl }: Server) =>
    until('it is no longer ready', async () => (await fetch(`${baseUrl}/readyz`).catch(() => null))?.status === 503);

  /** A search whose model keeps its request waiting. */
  const heldSearch = async ({ baseUrl }: Server) => {
    const held = holdAll(model);
    const answered = fetch(`${baseUrl}/api/v1/search-web`, {
      method: 'POST',
      headers: { 'x-api-key': stage.key, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'How is coffee roasted?' }),
    });
    await until('the model is asked', () => held.length > 0);
    return { answered };
  };

  afterEach(async () => {
    model.behave(async ({ unit }) => extraction(unit));
    await Promise.all(servers.map((server) => server.start()));
  });

  it('answers on the connections that are kept, each a last time, and is not ready for others', async () => {
    const [api] = apis();
    const kept = await connection(api.baseUrl);
    expect(await kept.ask(stage.key, '/api/v1/agents')).to.match(/^HTTP\/1\.1 200 [\s\S]*Connection: keep-alive/);
    const stopping = api.stop();
    await untilUnready(api);
    expect(await kept.ask(stage.key, '/api/v1/agents')).to.match(/^HTTP\/1\.1 200 [\s\S]*Connection: close/);
    await until('the connection ends', kept.isClosed);
    expect(await stopping).to.equal(0);
  });

  it('hands a long poll back at once, and ends before the poll would have', async () => {
    const [api] = apis();
    const held = holdAll(model);
    const use = client(stage);
    const id = await use.createRun({ units: ['UNIT-poll'] });
    const { answer } = await heldFor(held, 'UNIT-poll');
    const polling = fetch(`${api.baseUrl}/api/v1/runs/${id}?wait=25`, { headers: { 'x-api-key': stage.key } });
    await sleep(300);
    const since = performance.now();
    const stopping = api.stop();
    const polled = await polling;
    expect([polled.status, polled.headers.get('connection')]).to.deep.equal([200, 'close']);
    expect(((await polled.json()) as { data: { status: string } }).data.status).to.equal('running');
    expect(await stopping).to.equal(0);
    console.log(
      `      stopped within ${Math.round(performance.now() - since)} ms of 25 s that the poll would have taken`,
    );
    answer(extraction('UNIT-poll'));
    expect((await client({ ...stage, baseUrl: apis()[1].baseUrl }).ended(id)).status).to.equal('completed');
  });

  it('asks whoever is not answered by the end of the grace to come again, and logs no error', async () => {
    const [api] = apis();
    const logged = (await api.logs()).length;
    const { answered } = await heldSearch(api);
    expect(await api.stop()).to.equal(0);
    const answer = await answered;
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('connection')]).to.deep.equal([
      503,
      '1',
      'close',
    ]);
    expect(await answer.json()).to.include({ status: 503, code: 'stopping' });
    expect((await api.logs()).slice(logged)).not.to.include('"level":"error"');
  });

  it('waits for no connection on which nothing was asked', async () => {
    const [api] = apis();
    const { answered } = await heldSearch(api);
    const silent = await connection(api.baseUrl);
    const stopping = api.stop();
    const first = await Promise.race([
      silent.ended.then(() => 'the silent one'),
      answered.then(() => 'the one that waits for an answer'),
    ]);
    expect(first).to.equal('the silent one');
    expect([(await answered).status, await stopping]).to.deep.equal([503, 0]);
  });

  it('ends at once at a later signal, also of the other kind, and takes two at once for one', async () => {
    const [api] = apis();
    const { answered } = await heldSearch(api);
    const lost = answered.catch((error: Error) => error.message);
    const stopping = api.stop();
    api.signal('SIGINT');
    await untilUnready(api);
    await sleep(1100);
    expect(api.isRunning()).to.equal(true);
    api.signal('SIGINT');
    expect(await stopping).to.equal(130);
    expect(await lost).to.equal('fetch failed');
  });

  it('is missed by nobody while another takes its place', async () => {
    const proxy = await rollingProxy(apis().map(({ baseUrl }) => baseUrl));
    const headers = { 'x-api-key': stage.key, 'content-type': 'application/json' };
    const answers = new Map<string, number>();
    const ids: string[] = [];
    const errors: string[] = [];
    let over = false;

    const note = async (what: string, init: RequestInit, path_: string) => {
      const answer = await fetch(`${proxy.baseUrl}/api/v1${path_}`, { headers, ...init }).catch(
        (error: Error) => error,
      );
      if (answer instanceof Error) {
        errors.push(`${what}: ${answer.message} ${String(answer.cause)}`);
        return null;
      }
      const text = await answer
        .text()
        .catch((error: Error) => void errors.push(`${what}: ${answer.status}, but ${error.message}`));
      const label = `${what} ${answer.status}`;
      answers.set(label, (answers.get(label) ?? 0) + 1);
      const mayTryAgain = answer.status === 503 && answer.headers.has('retry-after');
      if (!answer.ok && !mayTryAgain) errors.push(`${label}: ${text}`);
      return answer.ok && text ? (JSON.parse(text) as { data: { id: string } }) : null;
    };

    const lane = async (_: unknown, number: number) => {
      for (let n = 0; !over; n++) {
        await note('agents', {}, '/agents');
        const body = JSON.stringify({ user_message: `This is UNIT-rolling-${number}-${n}.` });
        const created = await note('run', { method: 'POST', body }, `/agents/${stage.agentId}/run`);
        if (!created) continue;
        ids.push(created.data.id);
        await note('poll', {}, `/runs/${created.data.id}?wait=3`);
        await sleep(Math.random() * MOST_PAUSE_MS);
      }
    };

    const lanes = Array.from({ length: LANES }, lane);
    try {
      await sleep(500);
      for (let round = 0; round < ROUNDS; round++) {
        for (const api of apis()) {
          expect(await api.stop()).to.equal(0);
          await api.start();
          // As an orchestrator does: the next one only once this one is sent requests.
          await until('the proxy sees it', () => proxy.isReady(api.baseUrl));
          await sleep(500);
        }
      }
    } finally {
      over = true;
      await Promise.all(lanes);
      await proxy.close();
    }
    console.log(`      ${JSON.stringify(Object.fromEntries([...answers].toSorted()))}`);
    expect(errors.slice(0, 10)).to.deep.equal([]);
    expect(proxy.broken.slice(0, 10)).to.deep.equal([]);
    const use = client(stage);
    for (const id of ids) expect((await use.ended(id)).status).to.equal('completed');
    expect(new Set(ids).size).to.equal(ids.length);
    expect(model.overlaps).to.deep.equal([]);
  });
});
