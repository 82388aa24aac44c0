import { codeOf, DomainError, Unconfirmed } from '../../../domain/errors.ts';

/** An error that the server answers has an SQLSTATE. */
const STATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/** The server, or a pooler before it, ends the session at any moment, also after it has committed and before it has said so. */
const SESSION_ENDED = /^(57P0[12]|08\w{3})$/;

/** What a write fails with that was sent and may be stored: the server said nothing. Where it said no, the error stays what it is. */
export const orUnconfirmed = (error: unknown): unknown => {
  const code = codeOf(error);
  if (error instanceof DomainError || (STATE.test(code) && !SESSION_ENDED.test(code))) return error;
  return new Unconfirmed(error);
};

/** Does what stores something once it is sent. */
export const confirmed = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    throw orUnconfirmed(error);
  }
};
