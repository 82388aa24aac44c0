import { PorticoError, portico } from '../../../client/portico.ts';
import { parseJson } from '../../../domain/json-number.ts';
import { isUnreachable, untilBack } from './connection.ts';
import { accessToken, forgetToken, state } from './session.ts';
import { base } from './settings.ts';

/** The console's only way to the server. Numbers keep every digit. */
export const api = portico({ baseUrl: base, accessToken, parseJson, retries: 2, reconnect: true });

/** What went wrong, for people. */
export const messageOf = (error: unknown): string => {
  if (state.value === 'over') return 'Your session is over.';
  if (!(error instanceof PorticoError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'no_answer' || error.code === 'timed_out') return 'The server does not answer. Check the connection and try again.';
  if (error.errors.length === 0) return error.detail;
  return error.errors.map(({ path, message }) => `${path} ${message}`).join(' ');
};

export const isNotFound = (error: unknown): boolean =>
  error instanceof PorticoError && (error.status === 404 || error.code === 'invalid_request');

/** Does something, and once more with a new token if the one it had was refused. */
export const withToken = async <T>(action: () => Promise<T>): Promise<T> => {
  try {
    return await action();
  } catch (error) {
    if (isUnreachable(error) && state.value === 'in') void untilBack();
    if (!(error instanceof PorticoError) || error.status !== 401) throw error;
    forgetToken();
    return action();
  }
};
