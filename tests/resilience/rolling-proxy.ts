import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { closed, listening } from '../support/listen.ts';

export interface RollingProxy {
  readonly baseUrl: string;
  /** What it answered 502 itself, because an upstream broke a connection off. */
  readonly broken: readonly string[];
  /** Whether it sends requests to this server. */
  isReady(upstream: string): boolean;
  close(): Promise<void>;
}

const LOOK_MS = 100;
/** A server that answers late is not gone: on a busy machine both of them do at times. */
const PATIENCE_MS = 10_000;

/**
 * What stands in front of several servers: round robin over those whose `/readyz` answers 200, on connections that it keeps. It tries
 * another server only where the first took no connection at all, for what was sent once may have been done.
 */
export const rollingProxy = async (upstreams: readonly string[]): Promise<RollingProxy> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const ready = new Set(upstreams);
  const broken: string[] = [];
  let turn = 0;

  const look = async (upstream: string) => {
    const answer = await fetch(`${upstream}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.status === 200) ready.add(upstream);
    else ready.delete(upstream);
  };
  let isClosed = false;
  // One look after the other: an answer that comes late may not undo what a later look saw.
  const watch = async (upstream: string) => {
    while (!isClosed) {
      await look(upstream);
      await sleep(LOOK_MS);
    }
  };
  const watching = upstreams.map(watch);

  const inOrder = () => {
    turn += 1;
    const rotated = upstreams.map((_, index) => upstreams[(index + turn) % upstreams.length] as string);
    return rotated.filter((upstream) => ready.has(upstream));
  };

  const forward = (
    req: IncomingMessage,
    body: Buffer,
    res: ServerResponse,
    [upstream, ...others]: readonly string[],
  ) => {
    if (upstream === undefined) return void res.writeHead(502).end('no server is ready');
    const { method, url, headers } = req;
    const onward = request(
      upstream + url,
      { method, agent, headers: { ...headers, connection: 'keep-alive' } },
      (answer) => {
        const { connection, ...rest } = answer.headers;
        res.writeHead(answer.statusCode ?? 502, rest);
        answer.pipe(res);
        answer.once('error', () => res.destroy());
      },
    );
    onward.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && !res.headersSent) return forward(req, body, res, others);
      broken.push(`${method} ${url}: ${error.code} ${onward.reusedSocket ? 'on a kept connection' : ''}`);
      if (res.headersSent) res.destroy();
      else res.writeHead(502).end();
    });
    onward.end(body);
  };

  const server = createServer({ keepAliveTimeout: 60_000 }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    forward(req, Buffer.concat(chunks), res, inOrder());
  });
  const port = await listening(server);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    broken,
    isReady: (upstream) => ready.has(upstream),
    async close() {
      isClosed = true;
      agent.destroy();
      await Promise.all([closed(server), ...watching]);
    },
  };
};
