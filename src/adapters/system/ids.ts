import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Ids } from '../../application/ports/runtime.ts';

const traceId = (): string => {
  const id = randomBytes(16).toString('hex');
  return /^0+$/.test(id) ? traceId() : id;
};

/** Within one process ids only grow, also within a millisecond and when the machine's clock is set back. */
export const uuidIds: Ids = { next: () => v7(), traceId, nonce: () => randomBytes(8).toString('hex') };
