import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { later } from '../../application/shared/later.ts';
import { linkedList } from '../../application/shared/linked-list.ts';
import { DomainError } from '../../domain/errors.ts';
import { type ErrorAnswer, errorText } from './error-codes.ts';
import { limitUnauthenticatedConnections, type UnauthenticatedLimits } from './unauthenticated.ts';

interface Address {
  readonly host: string;
  readonly port: number;
  /** The setting that the port is from. */
  readonly portName?: string;
  /** How many proxies are in front: connections are theirs then. */
  readonly trustedProxies?: number;
  /** How long the headers and the body of a request may take to arrive. */
  readonly headersMs?: number;
  readonly bodyMs?: number;
  readonly unauthenticated?: UnauthenticatedLimits;
  /** The public address. */
  readonly baseUrl?: string;
}

/** How long a client may take to read its last answer. */
const READ_MS = 1_000;

/** Answers a request that another part of the server still works on, and closes its connection. */
const answerLast = (res: ServerResponse, answer: ErrorAnswer, base: string, more: OutgoingHttpHeaders = {}): void => {
  const { socket } = res;
  const end = () => socket?.destroy();
  if (res.headersSent) return void end();
  const requestId = String(res.getHeader('X-Request-Id') ?? randomUUID());
  const body = errorText(answer, { requestId, base });
  res.writeHead(answer.status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    ...more,
    Connection: 'close',
  });
  res.end(body, () => setTimeout(end, READ_MS).unref());
};

/** Long enough for 1 MiB over a slow line, too short to keep many connections busy with single bytes. */
const BODY_MS = 30_000;

const files = new WeakSet<IncomingMessage>();

/** The body is a file that the client may send: it has no deadline as long as bytes arrive. */
export const expectFile = (req: IncomingMessage): void => void files.add(req);

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const ignore = () => {};

/** Ends a request whose body does not arrive in time; answers what to call once it is answered. */
const limitBodyTime = (req: IncomingMessage, res: ServerResponse, limitMs: number, base: string): (() => void) => {
  if (!hasBody(req)) return ignore;
  let seen = req.socket.bytesRead;
  const isFlowing = () => files.has(req) && (req.socket.bytesRead > seen || req.readableLength > 0);
  const check = () => {
    if (req.complete || req.destroyed) return;
    if (isFlowing()) {
      seen = req.socket.bytesRead;
      leave = later(limitMs, check);
      return;
    }
    const detail = `The body did not arrive within ${limitMs / 1000} seconds.`;
    answerLast(res, { status: 408, code: 'request_timeout', detail }, base);
  };
  let leave = later(limitMs, check);
  return () => leave();
};

const listen = (server: Server, host: string, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

const explain = (error: NodeJS.ErrnoException, { host, port, portName = 'PORT' }: Address) => {
  if (error.code === 'EADDRINUSE')
    return new DomainError('invalid', `${portName} ${port} is taken by another program: set ${portName} to a free one`);
  if (error.code === 'EACCES')
    return new DomainError(
      'invalid',
      `${portName} ${port} may not be used by this user: set ${portName} to one above 1023`,
    );
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new DomainError('invalid', `HOST ${host} is not an address of this machine`);
  return error;
};

const notHttp: ErrorAnswer = {
  status: 400,
  code: 'invalid_request',
  detail: 'This is not a well-formed HTTP request.',
};

const noHost: ErrorAnswer = { ...notHttp, detail: 'The request must have one Host header, with the name of a host.' };

const malformed: Readonly<Record<string, ErrorAnswer>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'invalid_request', detail: 'The headers are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'request_timeout', detail: 'The headers did not arrive in time.' },
};

/** Answers what cannot be parsed as HTTP in the same form as any other error. */
const refuseMalformed = (server: Server, base: string) =>
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Without a byte from the client, no client waits for an answer.
    if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) return socket.destroy();
    const answer = malformed[error.code ?? ''] ?? notHttp;
    const requestId = randomUUID();
    const body = errorText(answer, { requestId, base });
    const headers = [
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
    ];
    socket.end([`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`, ...headers, '', body].join('\r\n'));
  });

const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/** The hosts that a request names; Node's `headersDistinct` would make a list of each of its headers. */
const hostsOf = ({ rawHeaders }: IncomingMessage): readonly string[] => {
  const hosts: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '');
  return hosts;
};

/** A request names one host (RFC 9112 section 3.2): a proxy may go by the first of two, and the server behind it by the second. */
const namesOneHost = (request: IncomingMessage): boolean => {
  const [host, another] = hostsOf(request);
  if (host === undefined) return request.httpVersion === '1.0';
  return another === undefined && HOST.test(host);
};

/** How long the last answers may take to leave. */
const FLUSH_MS = 200;

const HEADERS_MS = 30_000;

/**
 * Headers may be large because a filter of records is part of the address. `limitBodyTime` limits the bodies, because Node has one limit
 * for all of them, files too. Node would answer a request without `Host` by 400 without a body. Node looks for late headers six times within their limit.
 */
const optionsOf = ({ headersMs = HEADERS_MS }: Address) => ({
  requireHostHeader: false,
  maxHeaderSize: 131_072,
  keepAliveTimeout: 65_000,
  headersTimeout: headersMs,
  requestTimeout: 0,
  connectionsCheckingInterval: Math.ceil(headersMs / 6),
});

/** Asks the client to send the request again: another server may answer by then. */
const sendAway = (res: ServerResponse, base: string) => {
  const detail = 'The server is stopping. Please send the request again.';
  if (!res.headersSent) answerLast(res, { status: 503, code: 'stopping', detail }, base, { 'Retry-After': 1 });
};

/** The current answers; once the server is leaving, each is the last of its connection. */
const answersOf = (server: Server, base: string) => {
  const current = linkedList<ServerResponse>();
  let leaving = false;
  const begin = (res: ServerResponse, answered: () => void) => {
    const remove = current.add(res);
    res.on('close', () => {
      remove();
      answered();
      // An answer that began before the server was leaving did not announce the end of its connection.
      if (leaving && !server.listening) setImmediate(() => server.closeIdleConnections());
    });
    if (leaving) res.shouldKeepAlive = false;
  };
  const leave = () => {
    leaving = true;
    for (const res of current) res.shouldKeepAlive = false;
  };
  return {
    begin,
    leave,
    sendAway() {
      for (const res of current) sendAway(res, base);
    },
  };
};

/** Closes connections without a single request: Node before version 26 does not count them as idle. */
const silentOf = (server: Server) => {
  const open = linkedList<Socket>();
  server.on('connection', (socket: Socket) => {
    socket.once('close', open.add(socket));
  });
  return {
    close() {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    },
  };
};

export type RunningServer = Awaited<ReturnType<typeof startServer>>;

export const startServer = async (listener: RequestListener, address: Address) => {
  const server = createServer(optionsOf(address));
  const { trustedProxies = 0, unauthenticated, bodyMs = BODY_MS, baseUrl: base = '' } = address;
  const answers = answersOf(server, base);
  const silent = silentOf(server);
  limitUnauthenticatedConnections(server, {
    ...unauthenticated,
    ...(trustedProxies > 0 && { perAddress: Number.POSITIVE_INFINITY }),
  });
  server.on('request', (req, res) => {
    answers.begin(res, limitBodyTime(req, res, bodyMs, base));
    if (namesOneHost(req)) listener(req, res);
    else answerLast(res, noHost, base);
  });
  // Node would answer 417 by itself, without a body and without our headers; a server may serve what it is not obliged to refuse.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  refuseMalformed(server, base);
  await listen(server, address.host, address.port).catch((error) => {
    throw explain(error, address);
  });

  return {
    port: (server.address() as AddressInfo).port,
    /** Goes on answering, and closes each connection after its current answer, so that its client opens another one elsewhere. */
    leave: answers.leave,
    /** Takes no more connections, lets current answers end within the grace, answers 503 to the clients that still wait, then closes every connection. */
    async stop(graceMs: number) {
      answers.leave();
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
    },
  };
};
