import { busy, codeOf, messageOf } from '../../../domain/errors.ts';

/**
 * A statement or the wait for a lock took too long, there are too many sessions or locks, two transactions were in each other's way, or
 * this process was so slow that the server ended its transaction.
 */
const STATES = /^(57014|55P03|53300|53400|40001|40P01|25P03)$/;
/** Its disk or its memory is full. */
const FULL = /^(53100|53200)$/;
/** Of the pool, which has no session free or gets none in time, and of a session that fell silent. */
const MESSAGES = /timeout exceeded when trying to connect|due to connection timeout|Query read timeout/;

/** What the caller gets for a failure of the database: `busy` where it has too much to do or no room; an outage or a defect stays what it is. */
export const orBusy = (error: unknown): unknown => {
  if (FULL.test(codeOf(error))) return busy('The database has no room left', error);
  return STATES.test(codeOf(error)) || MESSAGES.test(messageOf(error))
    ? busy('The database has too much to do', error)
    : error;
};

/** Does the work; what fails because the database has too much to do is `busy`. */
export const refusingIfBusy = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw orBusy(error);
  }
};
