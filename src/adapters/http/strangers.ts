import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { DomainError } from '../../domain/errors.ts';
import { clientKey } from './client-address.ts';
import type { Middleware } from './context.ts';

/** More than the programs and browsers behind one address open at a moment before they say who they are. */
const MOST_PER_ADDRESS = 1_000;
/** Of all addresses together: some 100 MB of memory. */
const MOST = 5_000;

const trusted = new WeakSet<object>();

/** The request came with a valid credential: neither it nor its connection counts as a stranger's from now on. */
export const showCredential = (req: IncomingMessage): void => {
  trusted.add(req);
  trusted.add(req.socket);
};

/** What has shown no credential, the oldest first; what has shown one meanwhile is found out when there are too many. */
const settle = <T extends object>(waiting: Set<T>, most: number): T | null => {
  for (const oldest of waiting) {
    if (waiting.size <= most) return null;
    if (!trusted.has(oldest)) return oldest;
    waiting.delete(oldest);
  }
  return null;
};

const groups = <T extends object>() => {
  const all = new Map<string, Set<T>>();
  return {
    add(key: string, one: T): Set<T> {
      const group = all.get(key) ?? new Set<T>();
      all.set(key, group);
      return group.add(one);
    },
    remove(key: string, one: T) {
      const group = all.get(key);
      group?.delete(one);
      if (group?.size === 0) all.delete(key);
    },
  };
};

export interface StrangerLimits {
  /** Behind a proxy, connections are the proxy's: only all of them together are counted. */
  readonly perAddress?: number;
  readonly total?: number;
}

/** Bounds the connections on which no credential was shown: one too many, and the oldest is closed. */
export const boundStrangers = (server: Server, { perAddress = MOST_PER_ADDRESS, total = MOST }: StrangerLimits): void => {
  const everyone = new Set<Socket>();
  const byAddress = groups<Socket>();
  server.on('connection', (socket: Socket) => {
    const key = clientKey(socket.remoteAddress ?? '');
    everyone.add(socket);
    const ofAddress = byAddress.add(key, socket);
    socket.once('close', () => {
      everyone.delete(socket);
      byAddress.remove(key, socket);
    });
    settle(ofAddress, perAddress)?.destroy();
    settle(everyone, total)?.destroy();
  });
};

/** The same behind a proxy, which says whose requests are under way on its connections: one too many is refused. */
export const limitStrangers = (): Middleware => {
  const byAddress = groups<IncomingMessage>();
  return (ctx, next) => {
    const key = clientKey(ctx.ip);
    const { req, res } = ctx;
    const ofAddress = byAddress.add(key, req);
    res.once('close', () => byAddress.remove(key, req));
    if (settle(ofAddress, MOST_PER_ADDRESS) === null) return next();
    const detail = `There are ${MOST_PER_ADDRESS} requests without a credential under way from your address already.`;
    throw new DomainError('rate_limited', detail, { retryAfterSeconds: 1 });
  };
};
