import { linkedList } from './linked-list.ts';

/** What waits for so many milliseconds, the oldest first; one timer waits for that one. */
const waitingFor = (milliseconds: number) => {
  const waiting = linkedList<{ readonly at: number; readonly late: () => void }>();
  let isTimed = false;

  const waitForOldest = () => {
    const [oldest] = waiting;
    isTimed = oldest !== undefined;
    if (oldest) setTimeout(look, Math.max(0, Math.ceil(oldest.at - performance.now()))).unref();
  };

  /** What is called back may wait again. */
  const look = () => {
    const now = performance.now();
    for (const { at, late } of waiting) {
      if (at > now) break;
      waiting.removeOldest();
      late();
    }
    waitForOldest();
  };

  return (late: () => void): (() => void) => {
    const remove = waiting.add({ at: performance.now() + milliseconds, late });
    if (!isTimed) waitForOldest();
    return remove;
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
