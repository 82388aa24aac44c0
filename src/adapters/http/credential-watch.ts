import { later } from '../../application/shared/later.ts';
import { busy, DomainError } from '../../domain/errors.ts';

/** With what processes remember, and the time that a check takes, a request is over within 5 seconds of its credential's end. */
export const CHECK_MS = 3_000;

/**
 * For so long the server trusts what it last read of a credential. A database that is busy for a moment ends no request; after that the
 * server ends it, because the credential may have been revoked since.
 */
const KNOWN_MS = 10_000;

const isRefused = (error: unknown): boolean =>
  error instanceof DomainError && (error.kind === 'unauthenticated' || error.kind === 'forbidden');

/** Calls back once, with the error, when the credential behind a request has ended; answers what ends the watch. */
export const watchCredential = (
  check: () => Promise<unknown>,
  checkMs: number,
  onEnd: (error: unknown) => void,
): (() => void) => {
  let knownAt = performance.now();
  let isOver = false;
  const end = (error: unknown) => {
    if (isOver) return;
    isOver = true;
    leave();
    onEnd(error);
  };
  const look = () => {
    const begunAt = performance.now();
    if (begunAt - knownAt > KNOWN_MS) return end(busy('The credential cannot be looked up at the moment'));
    leave = later(checkMs, look);
    check().then(
      () => {
        knownAt = begunAt;
      },
      (error: unknown) => {
        if (isRefused(error)) end(error);
      },
    );
  };
  let leave = later(checkMs, look);
  return () => {
    isOver = true;
    leave();
  };
};

/** Does work that may wait for long. It is stopped, and refused, once its credential has ended: see `watchCredential`. */
export const whileAllowed = async <T>(
  check: () => Promise<unknown>,
  checkMs: number,
  stop: AbortController,
  work: () => Promise<T>,
): Promise<T> => {
  const leave = watchCredential(check, checkMs, (error) => stop.abort(error));
  try {
    return await work().finally(() => stop.signal.throwIfAborted());
  } finally {
    leave();
  }
};
