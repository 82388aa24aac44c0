import type { Clock } from '../../application/ports/runtime.ts';

export const systemClock: Clock = { now: () => new Date() };

/** Milliseconds since the process began: never set back, for measuring how long something lasts. */
export const monotonicClock = { now: () => performance.now() };
