import type { ServerResponse } from 'node:http';
import { later } from '../../application/shared/later.ts';
import { linkedList } from '../../application/shared/linked-list.ts';
import { openShares } from '../../application/shared/open-shares.ts';
import { type Caller, sharesOf } from '../../domain/caller.ts';
import type { Reply } from './messages.ts';

export const defaults = {
  keepAliveMs: 15_000,
  /** How long the stream of a GET stays open, give or take a fifth, so that clients do not all come back at once. */
  lifeMs: 300_000,
  perCredential: 8,
  /** Of all credentials together. */
  most: 2_000,
};

export type StreamSettings = typeof defaults;

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/** Calls back once the credential of a stream has ended; answers what ends the watch. */
type OnCredentialEnd = (end: () => void) => () => void;

const event = (data: string) => `event: message\ndata: ${data}\n\n`;

/** Streams of events. Comments, a line each, keep them alive, because proxies close idle connections. */
export const eventStreams = ({ keepAliveMs, lifeMs, perCredential, most }: StreamSettings) => {
  const all = linkedList<ServerResponse>();
  const idle = linkedList<ServerResponse>();
  const counted = openShares();
  let beat: NodeJS.Timeout | null = null;
  let stopped = false;

  /** Begins a stream that the caller ends. */
  const begin = (res: ServerResponse) => {
    for (const [name, value] of Object.entries(HEADERS)) res.setHeader(name, value);
    res.writeHead(200);
    res.write(': open\n');
    const remove = all.add(res);
    beat ??= setInterval(() => {
      for (const stream of all) stream.write(': keepalive\n');
    }, keepAliveMs).unref();
    res.once('close', () => {
      remove();
      if (all.size > 0 || beat === null) return;
      clearInterval(beat);
      beat = null;
    });
  };

  return {
    begin,

    /** Opens a stream without events; false if the credential or its user has too many. */
    open(res: ServerResponse, caller: Caller, onCredentialEnd: OnCredentialEnd): boolean {
      const shares = sharesOf(caller, perCredential);
      if (stopped || idle.size >= most || counted.full(shares) !== null) return false;
      const countOut = counted.enter(shares);
      const remove = idle.add(res);
      begin(res);
      const leave = onCredentialEnd(() => void res.destroy());
      const end = setTimeout(() => res.end(), lifeMs * (0.8 + 0.4 * Math.random())).unref();
      res.once('close', () => {
        clearTimeout(end);
        leave();
        remove();
        countOut();
      });
      return true;
    },

    /** Ends the streams without events, and opens no more. */
    stop() {
      stopped = true;
      for (const res of idle) res.end();
    },
  };
};

/** The way of the reply to one POST: one JSON body, or a stream of events if notifications come before it. */
export interface ReplyChannel {
  readonly notify: ((notification: object) => void) | null;
  readonly isStreaming: () => boolean;
  end(reply: Reply): void;
}

export const sendJson = (res: ServerResponse, { status, body }: Reply) => {
  res.statusCode = status;
  if (body === null) return void res.end();
  res.setHeader('Content-Type', 'application/json');
  // Node counts the bytes of a body that comes at once, and adds its length.
  res.end(body);
};

export const jsonChannel = (res: ServerResponse): ReplyChannel => ({
  notify: null,
  isStreaming: () => false,
  end: (reply) => sendJson(res, reply),
});

/** Becomes a stream at the first notification, or when the call takes so long that a proxy could close the connection. */
export const streamingChannel = (
  { res, onCredentialEnd }: { readonly res: ServerResponse; readonly onCredentialEnd: OnCredentialEnd },
  streams: Pick<ReturnType<typeof eventStreams>, 'begin'>,
  patienceMs: number,
): ReplyChannel => {
  let streaming = false;
  const upgrade = () => {
    if (streaming || res.headersSent || res.destroyed) return;
    streaming = true;
    streams.begin(res);
  };
  const answered = later(patienceMs, upgrade);
  // The call is cancelled as if its client had hung up.
  const leave = onCredentialEnd(() => void res.destroy());
  res.once('close', () => {
    answered();
    leave();
  });
  return {
    notify(notification) {
      upgrade();
      // A client that does not read its notifications gets no more of them.
      if (streaming && !res.writableNeedDrain && !res.writableEnded) res.write(event(JSON.stringify(notification)));
    },
    isStreaming: () => streaming,
    end(reply) {
      answered();
      if (streaming) res.end(reply.body === null ? undefined : event(reply.body));
      else sendJson(res, reply);
    },
  };
};
