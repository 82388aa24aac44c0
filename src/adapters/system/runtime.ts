import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock, Ids } from '../../application/ports/runtime.ts';

export const systemClock: Clock = { now: () => new Date() };

/** Milliseconds since the process began, which are never set back: for durations. */
export const monotonicClock = { now: () => performance.now() };

const traceId = (): string => {
  const id = randomBytes(16).toString('hex');
  return /^0+$/.test(id) ? traceId() : id;
};

/** Within one process, ids always grow: within a millisecond too, and after the machine's clock is set back. */
export const uuidIds: Ids = { next: () => v7(), traceId, nonce: () => randomBytes(8).toString('hex') };
