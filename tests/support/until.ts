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

/** The same for what needs no words: where it stands says what it is about. */
export const eventually = (isSo: () => boolean | Promise<boolean>): Promise<void> =>
  until('what the test waits for', isSo);
