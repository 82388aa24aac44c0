import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { DomainError } from '../../domain/errors.ts';
import { BODY_MS, watchArrival } from './arrival.ts';
import type { ErrorCode } from './error-codes.ts';
import { answerLast } from './last-answer.ts';
import { boundStrangers, type StrangerLimits } from './strangers.ts';

export interface RunningServer {
  readonly port: number;
  /** Goes on answering, and from now on lets each answer be the last of its connection: its client opens another one, elsewhere. */
  leave(): void;
  /** Takes no more connections, lets answers under way end within the grace, sends away who waits for one, then cuts what is left. */
  stop(graceMs: number): Promise<void>;
}

interface Address {
  readonly host: string;
  readonly port: number;
  /** The setting that the port is from. */
  readonly portName?: string;
  /** How many proxies there are in front; connections are theirs then. */
  readonly trustedProxies?: number;
  /** How long the headers and the body of a request may take to arrive. */
  readonly headersMs?: number;
  readonly bodyMs?: number;
  readonly strangers?: StrangerLimits;
}

const listen = (server: Server, host: string, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

const explain = (error: NodeJS.ErrnoException, { host, port, portName = 'PORT' }: Address) => {
  if (error.code === 'EADDRINUSE')
    return new DomainError('invalid', `${portName} ${port} is taken by another program: set ${portName} to a free one`);
  if (error.code === 'EACCES')
    return new DomainError('invalid', `${portName} ${port} may not be used by this user: set ${portName} to one above 1023`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new DomainError('invalid', `HOST ${host} is not an address of this machine`);
  return error;
};

interface Malformed {
  readonly status: number;
  readonly reason: string;
  readonly code: ErrorCode;
  readonly detail: string;
}

const notHttp: Malformed = {
  status: 400,
  reason: 'Bad Request',
  code: 'invalid_request',
  detail: 'This is not a well-formed HTTP request.',
};

const malformed: Readonly<Record<string, Malformed>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    code: 'invalid_request',
    detail: 'The headers are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    reason: 'Request Timeout',
    code: 'request_timeout',
    detail: 'The headers did not arrive in time.',
  },
};

/** What cannot even be parsed as HTTP is answered in the same form as any other error. */
const refuseMalformed = (server: Server) =>
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // On a connection that has said nothing, no client waits for an answer.
    if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) return socket.destroy();
    const { status, reason, code, detail } = malformed[error.code ?? ''] ?? notHttp;
    const requestId = randomUUID();
    const body = JSON.stringify({ detail, status, code, request_id: requestId });
    const headers = [
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
    ];
    socket.end([`HTTP/1.1 ${status} ${reason}`, ...headers, '', body].join('\r\n'));
  });

/** What it takes to send away whoever waits for an answer. */
const FLUSH_MS = 200;

const HEADERS_MS = 30_000;

/**
 * A filter of records may be long, and it is part of the address. Bodies are timed by `watchArrival`, for Node knows one limit
 * for all of them, files too. Connections are looked through six times within the limit.
 */
const optionsOf = ({ headersMs = HEADERS_MS }: Address) => ({
  ...{ requireHostHeader: false, maxHeaderSize: 131_072, keepAliveTimeout: 65_000 },
  ...{ headersTimeout: headersMs, requestTimeout: 0, connectionsCheckingInterval: Math.ceil(headersMs / 6) },
});

/** Who is not answered yet is asked to send the request again: another server may answer by then. */
const sendAway = (res: ServerResponse) => {
  const detail = 'The server was told to stop. Please send the request again.';
  if (!res.headersSent) answerLast(res, { status: 503, code: 'stopping', detail, retryAfterSeconds: 1 });
};

/** The answers under way, each the last of its connection once the server is leaving. */
const answersOf = (server: Server) => {
  const underWay = new Set<ServerResponse>();
  let leaving = false;
  function forget(this: ServerResponse) {
    underWay.delete(this);
    // An answer that had begun before the server was leaving did not announce the end of its connection.
    if (leaving && !server.listening) setImmediate(() => server.closeIdleConnections());
  }
  const begin = (res: ServerResponse) => {
    underWay.add(res);
    res.once('close', forget);
    if (leaving) res.shouldKeepAlive = false;
  };
  const leave = () => {
    leaving = true;
    for (const res of underWay) res.shouldKeepAlive = false;
  };
  return { begin, leave, sendAway: () => underWay.forEach(sendAway) };
};

/** Connections on which nothing was ever asked: Node does not count them among the idle ones, and nobody there waits for anything. */
const silentOf = (server: Server) => {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    close() {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    },
  };
};

export const startServer = async (listener: RequestListener, address: Address): Promise<RunningServer> => {
  const server = createServer(optionsOf(address));
  const answers = answersOf(server);
  const silent = silentOf(server);
  const { trustedProxies = 0, strangers, bodyMs = BODY_MS } = address;
  boundStrangers(server, { ...strangers, ...(trustedProxies > 0 && { perAddress: Number.POSITIVE_INFINITY }) });
  server.on('request', (req, res) => {
    answers.begin(res);
    watchArrival(req, res, bodyMs);
    listener(req, res);
  });
  refuseMalformed(server);
  await listen(server, address.host, address.port).catch((error) => {
    throw explain(error, address);
  });

  const close = async (graceMs: number) => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    silent.close();
    const patience = setTimeout(() => {
      answers.sendAway();
      cut.refresh();
    }, graceMs);
    const cut = setTimeout(() => server.closeAllConnections(), graceMs + FLUSH_MS);
    await closed;
    clearTimeout(patience);
    clearTimeout(cut);
  };

  return {
    port: (server.address() as AddressInfo).port,
    leave: answers.leave,
    async stop(graceMs) {
      answers.leave();
      await close(graceMs);
    },
  };
};
