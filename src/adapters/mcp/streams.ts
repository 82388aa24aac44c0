import type { ServerResponse } from 'node:http';

export interface StreamSettings {
  readonly keepAliveMs: number;
  /** How long a stream of a GET stays open, give or take a fifth: all of a server's should not come back at once. */
  readonly lifeMs: number;
  readonly perCredential: number;
  /** Of all credentials. */
  readonly most: number;
}

export const defaults: StreamSettings = { keepAliveMs: 15_000, lifeMs: 300_000, perCredential: 8, most: 2_000 };

const HEADERS = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' } as const;

/** Streams of events that are open, each kept alive by a comment now and then, for what proxies take to be idle they cut. */
export interface Streams {
  /** Begins a stream in which nothing will be said; false where the credential has as many as it may. */
  hold(res: ServerResponse, credential: string): boolean;
  /** Begins a stream that somebody else ends. */
  begin(res: ServerResponse): void;
  /** Ends those in which nothing is said, and lets no more be begun. */
  stop(): void;
}

export const event = (data: string) => `event: message\ndata: ${data}\n\n`;

export const eventStreams = ({ keepAliveMs, lifeMs, perCredential, most }: StreamSettings): Streams => {
  const open = new Set<ServerResponse>();
  const held = new Set<ServerResponse>();
  const counts = new Map<string, number>();
  let beat: NodeJS.Timeout | null = null;
  let stopped = false;

  const begin = (res: ServerResponse) => {
    for (const [name, value] of Object.entries(HEADERS)) res.setHeader(name, value);
    res.writeHead(200);
    res.write(': open\n\n');
    open.add(res);
    beat ??= setInterval(() => {
      for (const each of open) each.write(': keepalive\n\n');
    }, keepAliveMs).unref();
    res.once('close', () => {
      open.delete(res);
      if (open.size > 0 || beat === null) return;
      clearInterval(beat);
      beat = null;
    });
  };

  return {
    begin,

    hold(res, credential) {
      const count = counts.get(credential) ?? 0;
      if (stopped || count >= perCredential || held.size >= most) return false;
      counts.set(credential, count + 1);
      held.add(res);
      begin(res);
      const end = setTimeout(() => res.end(), lifeMs * (0.8 + 0.4 * Math.random())).unref();
      res.once('close', () => {
        clearTimeout(end);
        held.delete(res);
        const left = (counts.get(credential) ?? 1) - 1;
        if (left > 0) counts.set(credential, left);
        else counts.delete(credential);
      });
      return true;
    },

    stop() {
      stopped = true;
      for (const res of held) res.end();
    },
  };
};
