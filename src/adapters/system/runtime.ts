import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock, Ids } from '../../application/ports/runtime.ts';

export const systemClock: Clock = { now: () => new Date() };

/** Milliseconds since the process began, which are never set back: for durations. */
export const monotonicClock = { now: () => performance.now() };

/** Random bytes of many ids at once: to ask the operating system for those of each id takes five times as long as the rest of the id. */
const pool = Buffer.alloc(4096);
let used = pool.length;

const randomBytes = (length: number): Buffer => {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += length;
  return pool.subarray(used - length, used);
};

const traceId = (): string => {
  const id = randomBytes(16).toString('hex');
  return /^0+$/.test(id) ? traceId() : id;
};

/** The time and the number of the last id. */
let msecs = 0;
let seq = 0;

/** Within one process, ids always grow: within a millisecond too, and after the machine's clock is set back. */
const next = (): string => {
  const now = Date.now();
  const random = randomBytes(16);
  if (now > msecs) {
    msecs = now;
    seq = random.readUInt32BE() >>> 1;
  } else {
    seq = (seq + 1) >>> 0;
    if (seq === 0) msecs += 1;
  }
  return v7({ msecs, seq, random });
};

export const uuidIds: Ids = { next, traceId, nonce: () => randomBytes(8).toString('hex') };
