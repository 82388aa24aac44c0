import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerLast } from './last-answer.ts';

/** Of a request: long enough for 1 MiB over a poor line, too short for keeping many connections busy with single bytes. */
export const BODY_MS = 30_000;

const files = new WeakSet<IncomingMessage>();

/** The body is a file that the client has shown it may send: it takes the time it needs, as long as bytes arrive. */
export const isFile = (req: IncomingMessage): void => void files.add(req);

const hasBody = ({ headers }: IncomingMessage) => headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Ends a request whose body does not arrive in time. */
export const watchArrival = (req: IncomingMessage, res: ServerResponse, limitMs: number): void => {
  if (!hasBody(req)) return;
  let seen = req.socket.bytesRead;
  const isFlowing = () => files.has(req) && (req.socket.bytesRead > seen || req.readableLength > 0);
  const check = () => {
    if (req.complete || req.destroyed) return;
    if (isFlowing()) {
      seen = req.socket.bytesRead;
      timer.refresh();
      return;
    }
    const detail = `The body did not arrive within ${limitMs / 1000} seconds.`;
    answerLast(res, { status: 408, code: 'request_timeout', detail });
  };
  const timer = setTimeout(check, limitMs).unref();
  const stop = () => clearTimeout(timer);
  req.once('end', stop).once('close', stop);
};
