import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import {
  type FollowOptions,
  PorticoError,
  type PorticoEvent,
  type PorticoOptions,
  portico,
  type Retry,
} from '../../src/client/portico.ts';
import { anId } from '../support/builders.ts';
import { type EventServer, eventServer } from '../support/event-server.ts';
import { listening } from '../support/listen.ts';
import { usePostgres } from '../support/postgres.ts';

/** What stands between a client and its server: connections that break, and a server that changes. */
const aProxy = async () => {
  const sockets = new Set<Socket>();
  let target = 0;
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => sockets.delete(one) && other.destroy());
      one.pipe(other);
    }
  });
  const port = await listening(server);
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    /** Nothing is sent any more, and nothing closed. */
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    leadTo: (port: number) => {
      target = port;
    },
    close: () => new Promise<void>((resolve) => [cut(), server.close(() => resolve())]),
  };
};

describe('the events of the client, from a real server', () => {
  const postgres = usePostgres();
  let dataDir: string;
  let apiKey: string;
  let agentId: string;
  let proxy: Awaited<ReturnType<typeof aProxy>>;
  let server: EventServer;
  const ends: AbortController[] = [];
  const retries: Retry[] = [];

  const launch = async () => {
    const launched = await eventServer(postgres.url, dataDir);
    proxy.leadTo(launched.port);
    return launched;
  };

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'portico-client-events-'));
    proxy = await aProxy();
    server = await launch();
    ({ apiKey, agentId } = await server.prepare());
  });
  afterEach(() => {
    retries.splice(0);
    for (const end of ends.splice(0)) end.abort();
  });
  after(async () => {
    await server.stop();
    await proxy.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const client = (more: Partial<PorticoOptions> = {}) =>
    portico({ baseUrl: proxy.url, apiKey, onRetry: (retry) => retries.push(retry), ...more });
  const create = async () => {
    const options = { params: { path: { agent_id: agentId } }, body: { user_message: 'Hello' } };
    return (await client().post('/api/v1/agents/{agent_id}/run', options)).id;
  };
  const now = async () => (await client().get('/api/v1/events', { params: { query: { after: 'now' } } })).next;
  /** Takes so many of the events, then leaves. */
  const take = async (events: AsyncIterable<PorticoEvent>, count: number) => {
    const taken: PorticoEvent[] = [];
    for await (const event of events) if (taken.push(event) === count) break;
    return taken;
  };
  const ofRun = (events: readonly PorticoEvent[]) =>
    events.map(({ type }) => type).filter((type) => type.startsWith('run.'));
  const aSignal = () => {
    const end = new AbortController();
    ends.push(end);
    return end;
  };

  describe('events', () => {
    it('are everything that happens, before they are asked for and afterwards', async () => {
      const after = await now();
      const [first] = [await create(), await server.finish()];
      const events = client().events({ after });
      const past = await take({ [Symbol.asyncIterator]: () => ({ next: () => events.next() }) }, 3);
      expect(ofRun(past)).to.deep.equal(['run.queued', 'run.running', 'run.completed']);
      expect(past.every(({ run_id }) => run_id === first)).to.equal(true);
      const next = events.next();
      const second = await create();
      expect((await next).value).to.include({ type: 'run.queued', run_id: second });
      await events.return();
      await server.finish();
    });

    it('are of the types and the run that are asked for', async () => {
      const after = await now();
      const [, second] = [await create(), await create()];
      await server.finish();
      await server.finish();
      const ended = await take(client().events({ after, types: ['run.completed', 'document.*', 'budget.*'] }), 2);
      expect(ofRun(ended)).to.deep.equal(['run.completed', 'run.completed']);
      const own = await take(client().events({ after, runId: second }), 3);
      expect(new Set(own.map(({ run_id }) => run_id))).to.deep.equal(new Set([second]));
    });

    it('go on after any of them, by its id, and after a position', async () => {
      const after = await now();
      await create();
      await server.finish();
      const positions: string[] = [];
      const events = client().events({ after, onPosition: (position) => positions.push(position) });
      const all = [await events.next(), await events.next(), await events.next()].map(
        ({ value }) => value as PorticoEvent,
      );
      expect(positions).to.deep.equal([]);
      const later = events.next();
      await create();
      const fourth = (await later).value as PorticoEvent;
      await events.return();
      expect(await take(client().events({ after: all[0]?.id }), 3)).to.deep.equal([all[1], all[2], fourth]);
      expect(await take(client().events({ after: positions[0] }), 1)).to.deep.equal([fourth]);
      await server.finish();
    });

    it('begin with what happens from now on, also where the first wait breaks', async () => {
      await create();
      await server.finish();
      const position = Promise.withResolvers<string>();
      const events = client().events({ after: 'now', onPosition: position.resolve });
      const next = events.next();
      await position.promise;
      proxy.cut();
      const runId = await create();
      expect((await next).value).to.include({ type: 'run.queued', run_id: runId });
      await events.return();
      await server.finish();
    });

    it('are waited for longer than a single request may take', async () => {
      const position = Promise.withResolvers<string>();
      const events = client({ timeoutSeconds: 6 }).events({ after: await now(), onPosition: position.resolve });
      const next = events.next();
      await Promise.race([position.promise, next]);
      const runId = await create();
      expect((await next).value).to.include({ type: 'run.queued', run_id: runId });
      expect(retries).to.deep.equal([]);
      await events.return();
      await server.finish();
    });

    it('end with the signal, and say which position the log no longer has', async () => {
      const end = aSignal();
      const waiting = client()
        .events({ after: await now(), signal: end.signal })
        .next();
      end.abort(new Error('enough'));
      expect(await waiting.catch((error: unknown) => error)).to.have.property('message', 'enough');
      const expired = await take(client().events({ after: 'AAAAAAAB' }), 1).catch((error: unknown) => error);
      expect(expired).to.be.instanceOf(PorticoError).and.include({ status: 410, code: 'cursor_expired' });
    });
  });

  describe('runEvents', () => {
    /** Follows a run in the background. */
    const follow = (runId: string, options: FollowOptions = {}) => {
      const seen: PorticoEvent[] = [];
      const waiting = new Set<() => void>();
      const whole = (async () => {
        for await (const event of client().runEvents(runId, options)) {
          seen.push(event);
          for (const look of waiting) look();
        }
        return seen;
      })();
      const until = (count: number) =>
        new Promise<void>((resolve, reject) => {
          const look = () => seen.length >= count && resolve();
          waiting.add(look);
          whole.catch(reject);
          look();
        });
      return { whole, until };
    };

    it('shows a run from its beginning as it happens, and ends with it', async () => {
      const runId = await create();
      const { whole, until } = follow(runId);
      await until(1);
      await server.finish();
      const events = await whole;
      expect(ofRun(events)).to.deep.equal(['run.queued', 'run.running', 'run.completed']);
      const listed = await client().get('/api/v1/runs/{id}/events', { params: { path: { id: runId } } });
      expect(events).to.deep.equal(listed.events);
      expect(retries).to.deep.equal([]);
    });

    it('goes on after an event, and ends at once where nothing more comes', async () => {
      const runId = await create();
      await server.finish();
      const [first, ...others] = await follow(runId).whole;
      expect(await follow(runId, { after: first?.id }).whole).to.deep.equal(others);
      expect(await follow(runId, { after: others.at(-1)?.id }).whole).to.deep.equal([]);
      expect(await follow(runId, { after: 'now' }).whole).to.deep.equal([]);
    });

    it('loses and repeats nothing where connections break and servers stop', async () => {
      const runId = await create();
      const { whole, until } = follow(runId);
      await until(1);
      proxy.cut();
      const leased = await server.lease();
      await until(2);
      const before = server;
      server = await launch();
      await before.stop();
      proxy.cut();
      await server.finish(leased);
      const events = await whole;
      expect(ofRun(events)).to.deep.equal(['run.queued', 'run.running', 'run.completed']);
      expect(new Set(events.map(({ id }) => id)).size).to.equal(events.length);
      expect(retries.length).to.be.at.least(2);
    });

    it('leaves a connection that is silent for too long', async () => {
      const runId = await create();
      const { whole, until } = follow(runId, { timeoutSeconds: 0.5 });
      await until(1);
      proxy.freeze();
      await server.finish();
      expect(ofRun(await whole)).to.deep.equal(['run.queued', 'run.running', 'run.completed']);
    });

    it('ends with its signal, and closes its stream when it is left', async () => {
      const runId = await create();
      const end = aSignal();
      const { whole, until } = follow(runId, { signal: end.signal });
      await until(1);
      end.abort(new Error('enough'));
      expect(await whole.catch((error: unknown) => error)).to.have.property('message', 'enough');
      // A credential has ten streams: the eleventh is open only because those before it are closed.
      for (let streams = 0; streams < 15; streams++) await take(client().runEvents(runId), 1);
      await server.finish();
    });

    it('fails as the server does', async () => {
      const error = await follow(anId()).whole.catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(PorticoError).and.include({ status: 404, code: 'not_found' });
    });
  });
});
