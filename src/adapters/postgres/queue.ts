import type { RunQueue } from '../../application/ports/queue.ts';
import type { Database } from './database.ts';
import { queueLeases } from './queue-leases.ts';
import { queueWork } from './queue-work.ts';

/** The runs table is the queue: no run can be stored and not be in it. */
export const runQueue = (database: Pick<Database, 'query'>): RunQueue => ({ ...queueLeases(database), ...queueWork(database) });
