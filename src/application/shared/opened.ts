import { DomainError } from '../../domain/errors.ts';
import type { Sealer } from '../ports/secrets.ts';

/** What is sealed, in the clear; `whose`: such as `source`, for who reads that it does not open. */
export const opened = (sealer: Sealer, sealed: string, whose: string): string => {
  try {
    return sealer.open(sealed);
  } catch (cause) {
    const advice = 'the operator has to put the right key back, or to apply the workspace file with --reseal.';
    const message = `The secrets of the ${whose} cannot be opened with the encryption key of the server: ${advice}`;
    throw new DomainError('unavailable', message, { cause });
  }
};
