import { linkedList } from './linked-list.ts';

/** What waits for so many milliseconds, the oldest first; one timer waits for that one. */
const waitingFor = (milliseconds: number) => {
  const waiting = linkedList<{ readonly at: number; readonly late: () => void }>();
  let isTimed = false;

  const wait = (length: number) => {
    isTimed = true;
    setTimeout(look, Math.ceil(length)).unref();
  };

  const look = () => {
    isTimed = false;
    const now = performance.now();
    for (const { at, late } of waiting) {
      if (at > now) return wait(at - now);
      waiting.removeOldest();
      late();
    }
  };

  return (late: () => void): (() => void) => {
    if (!isTimed) wait(milliseconds);
    return waiting.add({ at: performance.now() + milliseconds, late });
  };
};

/** Settings choose the lengths, and callers within their bounds. */
const MOST_LENGTHS = 1000;
const byLength = new Map<number, ReturnType<typeof waitingFor>>();

/**
 * Calls back after so long; answers what prevents that. It is for what comes with each request and is nearly always over before: all
 * that wait equally long have one timer, because one for each costs more than the rest of it. It does not keep the process running.
 */
export const later = (milliseconds: number, late: () => void): (() => void) => {
  const known = byLength.get(milliseconds);
  if (known) return known(late);
  const made = waitingFor(milliseconds);
  if (byLength.size < MOST_LENGTHS) byLength.set(milliseconds, made);
  return made(late);
};
