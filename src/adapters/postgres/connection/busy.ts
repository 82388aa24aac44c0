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
/** The server ends its sessions or takes none yet, a pooler does not reach it, another one takes its place, or the network fails. */
const AWAY_CODES =
  /^(08\w{3}|57P0\d|25006|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
/** Of the driver, whose own errors have no codes. */
const AWAY_MESSAGES = /Connection terminated|is not queryable/;

/** What the caller gets for a failure of the database: `busy` where it is away, has too much to do or no room; a defect stays what it is. */
export const orBusy = (error: unknown): unknown => {
  const code = codeOf(error);
  const message = messageOf(error);
  if (FULL.test(code)) return busy('The database has no room left', error);
  if (STATES.test(code) || MESSAGES.test(message)) return busy('The database has too much to do', error);
  return AWAY_CODES.test(code) || AWAY_MESSAGES.test(message)
    ? busy('The database does not answer at the moment', error)
    : error;
};

/** Does the work; what fails because the database is away or has too much to do is `busy`. */
export const refusingIfBusy = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw orBusy(error);
  }
};
