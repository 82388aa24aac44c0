import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type LinkedList, linkedList } from '../../application/shared/linked-list.ts';
import { DomainError } from '../../domain/errors.ts';
import { clientKey } from './client-address.ts';
import type { Middleware } from './context.ts';

/** More than the programs and browsers behind one address open at a time before they show a credential. */
const MOST_PER_ADDRESS = 1_000;
/** Of all addresses together: some 100 MB of memory. */
const MOST = 5_000;

/** A mark of their own: to add each request to a set costs more, and its members are work for the collector of garbage. */
const trusted = Symbol('trusted');
interface Waiting {
  /** Absent if it is not counted: what gets a property later is slower for all who read it. */
  [trusted]?: boolean;
}

const trust = (one: Waiting) => {
  if (one[trusted] === false) one[trusted] = true;
};

/** The request has a valid credential: neither it nor its connection counts as unauthenticated from now on. */
export const trustRequest = (req: IncomingMessage): void => {
  trust(req as Waiting);
  trust(req.socket as Waiting);
};

/** The oldest without a valid credential if there are too many, else null. It looks at credentials only as far as it must. */
const oneTooMany = <T extends object>(waiting: LinkedList<T & Waiting>, most: number): T | null => {
  for (const oldest of waiting) {
    if (waiting.size <= most) return null;
    if (!oldest[trusted]) return oldest;
    waiting.removeOldest();
  }
  return null;
};

const groups = <T extends object>() => {
  const all = new Map<string, LinkedList<T & Waiting>>();
  return {
    add(key: string, one: T & Waiting) {
      one[trusted] = false;
      const group = all.get(key) ?? linkedList<T & Waiting>();
      all.set(key, group);
      const remove = group.add(one);
      const leave = () => {
        remove();
        if (group.size === 0 && all.get(key) === group) all.delete(key);
      };
      return { group, leave };
    },
  };
};

export interface UnauthenticatedLimits {
  /** Behind a proxy, connections are the proxy's: only all of them together are counted. */
  readonly perAddress?: number;
  readonly total?: number;
}

/** Limits the connections without a valid credential: one too many closes the oldest. */
export const limitUnauthenticatedConnections = (
  server: Server,
  { perAddress = MOST_PER_ADDRESS, total = MOST }: UnauthenticatedLimits,
): void => {
  const everyone = linkedList<Socket & Waiting>();
  const byAddress = groups<Socket>();
  server.on('connection', (socket: Socket) => {
    const key = clientKey(socket.remoteAddress ?? '');
    const ofAddress = byAddress.add(key, socket);
    socket.once('close', everyone.add(socket)).once('close', ofAddress.leave);
    oneTooMany(ofAddress.group, perAddress)?.destroy();
    oneTooMany(everyone, total)?.destroy();
  });
};

/** The same behind a proxy, whose connections carry the requests of many clients: refuses one request too many. */
export const limitUnauthenticatedRequests = (): Middleware => {
  const byAddress = groups<IncomingMessage>();
  return (ctx, next) => {
    const key = clientKey(ctx.ip);
    const { req, res } = ctx;
    const { group, leave } = byAddress.add(key, req);
    res.once('close', leave);
    if (oneTooMany(group, MOST_PER_ADDRESS) === null) return next();
    const detail = `There are ${MOST_PER_ADDRESS} requests without a credential from your address already.`;
    throw new DomainError('rate_limited', detail, { retryAfterSeconds: 1 });
  };
};
