import type { ServerResponse } from 'node:http';
import type { Reply } from './messages.ts';
import { event, type Streams } from './streams.ts';

/** Where the reply to one POST goes: one JSON body, or a stream of events once there is something to say ahead of it. */
export interface ReplyChannel {
  readonly notify: ((notification: object) => void) | null;
  readonly isStreaming: () => boolean;
  end(reply: Reply): void;
}

export const sendJson = (res: ServerResponse, { status, body }: Reply) => {
  res.statusCode = status;
  if (body === null) return void res.end();
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
};

export const jsonChannel = (res: ServerResponse): ReplyChannel => ({
  notify: null,
  isStreaming: () => false,
  end: (reply) => sendJson(res, reply),
});

/** Becomes a stream at the first notification, or when the call takes so long that somebody on the way would lose patience. */
export const streamingChannel = (res: ServerResponse, streams: Streams, patienceMs: number): ReplyChannel => {
  let streaming = false;
  const upgrade = () => {
    if (streaming || res.headersSent || res.destroyed) return;
    streaming = true;
    streams.begin(res);
  };
  const timer = setTimeout(upgrade, patienceMs).unref();
  res.once('close', () => clearTimeout(timer));
  return {
    notify(notification) {
      upgrade();
      // Whoever does not read what they are told need not be told how far it is.
      if (streaming && !res.writableNeedDrain && !res.writableEnded) res.write(event(JSON.stringify(notification)));
    },
    isStreaming: () => streaming,
    end(reply) {
      clearTimeout(timer);
      if (streaming) res.end(reply.body === null ? undefined : event(reply.body));
      else sendJson(res, reply);
    },
  };
};
