import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { closed, listening } from './listen.ts';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Handler = (response: ServerResponse, seen: Seen) => void;

/** A server on this machine that keeps what it was asked. */
export const receiver = async (handle: Handler) => {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const body = (await buffer(request).catch(() => Buffer.alloc(0))).toString();
    const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    seen.push(one);
    handle(response, one);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await listening(server);
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    sockets,
    close: () => closed(server),
  };
};
