import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again until it is so, for at most as long as the patience of the tests. */
export const until = async (
  what: string,
  isSo: () => boolean | Promise<boolean>,
  patienceMs = 60_000,
): Promise<void> => {
  const giveUp = Date.now() + patienceMs;
  while (!(await isSo())) {
    if (Date.now() > giveUp) throw new Error(`It never came to this: ${what}.`);
    await sleep(20);
  }
};
