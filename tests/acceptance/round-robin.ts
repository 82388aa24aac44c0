import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { closed, listening } from '../support/listen.ts';

export interface RoundRobin {
  readonly baseUrl: string;
  /** Where requests go, in turns. */
  readonly upstreams: string[];
  close(): Promise<void>;
}

/** A proxy in front of several processes, as a deployment has one: each request goes to the next of them. */
export const roundRobin = async (): Promise<RoundRobin> => {
  const upstreams: string[] = [];
  const agent = new Agent({ keepAlive: true });
  let turn = 0;

  const forward = (asked: IncomingMessage, response: ServerResponse) => {
    const { hostname, port } = new URL(upstreams[turn++ % upstreams.length] ?? '');
    const headers = { ...asked.headers, 'x-forwarded-for': asked.socket.remoteAddress };
    const onward = request({ agent, hostname, port, method: asked.method, path: asked.url, headers });
    onward.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.once('close', () => onward.destroy());
    asked.pipe(onward);
  };

  // Idle connections stay as long as the processes behind promise it: a client must not write into one that is being closed.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000 }, forward);
  const port = await listening(server);
  const close = () => {
    agent.destroy();
    return closed(server);
  };
  return { baseUrl: `http://127.0.0.1:${port}`, upstreams, close };
};
