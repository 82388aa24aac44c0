import { later } from '../../application/shared/later.ts';

/** With what processes remember, and the time that a check takes, a request is over within 5 seconds of its credential's end. */
export const CHECK_MS = 3_000;

/** Calls back once, with the error, when the credential behind a request has ended; answers what ends the watch. */
export const watchCredential = (
  check: () => Promise<unknown>,
  checkMs: number,
  onEnd: (error: unknown) => void,
): (() => void) => {
  const look = () => {
    leave = later(checkMs, look);
    check().catch((error: unknown) => {
      leave();
      onEnd(error);
    });
  };
  let leave = later(checkMs, look);
  return () => leave();
};

/** Does work that may wait for long. It is given up, and refused, once `check` refuses the credential. */
export const whileAllowed = async <T>(
  check: () => Promise<unknown>,
  checkMs: number,
  work: (ended: AbortSignal) => Promise<T>,
): Promise<T> => {
  const ended = new AbortController();
  const leave = watchCredential(check, checkMs, (error) => ended.abort(error));
  try {
    const result = await work(ended.signal);
    ended.signal.throwIfAborted();
    return result;
  } finally {
    leave();
  }
};
