import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { uuidIds } from '../adapters/system/ids.ts';
import { DomainError } from '../domain/errors.ts';

export interface RunningServer {
  readonly port: number;
  /** Takes no more connections, lets answers under way end within the grace, then cuts what is left. */
  stop(graceMs: number): Promise<void>;
}

const listen = (server: Server, host: string, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

const explain = (error: NodeJS.ErrnoException, host: string, port: number) => {
  if (error.code === 'EADDRINUSE') return new DomainError('invalid', `PORT ${port} is taken by another program: set PORT to a free one`);
  if (error.code === 'EACCES') return new DomainError('invalid', `PORT ${port} may not be used by this user: set PORT to one above 1023`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new DomainError('invalid', `HOST ${host} is not an address of this machine`);
  return error;
};

/** What cannot even be parsed as HTTP is answered in the same form as any other error. */
const refuseMalformed = (server: Server) =>
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const large = error.code === 'HPE_HEADER_OVERFLOW';
    const [status, reason] = large ? [431, 'Request Header Fields Too Large'] : [400, 'Bad Request'];
    const detail = large ? 'The headers are too large.' : 'This is not a well-formed HTTP request.';
    const requestId = uuidIds.next();
    const body = JSON.stringify({ detail, status, code: 'invalid_request', request_id: requestId });
    const headers = [
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
    ];
    socket.end([`HTTP/1.1 ${status} ${reason}`, ...headers, '', body].join('\r\n'));
  });

/** A filter of records may be long, and it is part of the address. */
const options = {
  ...{ requireHostHeader: false, maxHeaderSize: 131_072 },
  ...{ keepAliveTimeout: 65_000, headersTimeout: 60_000, requestTimeout: 3_600_000 },
};

export const startServer = async (listener: RequestListener, { host, port }: { host: string; port: number }): Promise<RunningServer> => {
  const server = createServer(options, listener);
  refuseMalformed(server);
  await listen(server, host, port).catch((error) => {
    throw explain(error, host, port);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async stop(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
};
