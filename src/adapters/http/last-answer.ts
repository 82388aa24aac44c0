import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ErrorCode } from './error-codes.ts';

interface Answer {
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
}

/** How long a client may take to read why it is sent away. */
const FLUSH_MS = 1_000;

/** Answers a request that is still waited for elsewhere, where nothing was answered yet, and ends its connection. */
export const answerLast = (res: ServerResponse, { status, code, detail, retryAfterSeconds }: Answer): void => {
  const { socket } = res;
  const end = () => socket?.destroy();
  if (res.headersSent) return void end();
  const requestId = String(res.getHeader('X-Request-Id') ?? randomUUID());
  const body = JSON.stringify({ detail, status, code, request_id: requestId });
  const about = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), 'X-Request-Id': requestId };
  const retry = retryAfterSeconds === undefined ? {} : { 'Retry-After': retryAfterSeconds };
  res.writeHead(status, { ...about, ...retry, Connection: 'close' });
  res.end(body, () => setTimeout(end, FLUSH_MS).unref());
};
