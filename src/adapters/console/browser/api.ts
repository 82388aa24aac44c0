import { signal } from '@preact/signals';
import { type Exchange, PorticoError, portico, type Retry } from '../../../client/portico.ts';
import { pause as pauseOf } from '../../../client/send.ts';
import { parseJson } from '../../../domain/json-number.ts';
import { untilBack } from './connection.ts';
import { accessToken, forgetToken, state } from './session.ts';
import { base } from './settings.ts';

/** Whether the server has asked this page to wait, and it does. */
export const busy = signal(false);

const isBusy = ({ code }: Pick<PorticoError, 'code'>) => code === 'busy' || code === 'rate_limited';

/** A request that is sent again has its answer after this long, or the server asks once more. */
const ANSWER_MS = 1000;

let calm: ReturnType<typeof setTimeout>;

const onRetry = ({ code, seconds }: Pick<Retry, 'code' | 'seconds'>) => {
  if (!isBusy({ code })) return;
  busy.value = true;
  clearTimeout(calm);
  calm = setTimeout(
    () => {
      busy.value = false;
    },
    seconds * 1000 + ANSWER_MS,
  );
};

/** So long the page waits for a busy server that does not say when it has time. */
const USUAL_PAUSE_SECONDS = 5;

/** Waits for as long as a busy server asks for. */
const busyFor = ({ code, retryAfterSeconds }: PorticoError, signal: AbortSignal): Promise<void> => {
  const seconds = retryAfterSeconds ?? USUAL_PAUSE_SECONDS;
  onRetry({ code, seconds });
  return pauseOf(seconds, signal).catch(() => {});
};

/** The console's only way to the server. Numbers keep every digit. */
export const api = portico({ baseUrl: base, accessToken, parseJson, retries: 2, reconnect: true, onRetry });

/** Whether there was no answer. A page whose session is over asks for none. */
export const isUnreachable = (error: unknown): boolean =>
  state.value !== 'over' &&
  error instanceof PorticoError &&
  !isBusy(error) &&
  (error.code === 'no_answer' || error.code === 'timed_out' || (error.status ?? 0) > 501);

/** What is left to read of an answer. A connection that breaks under it counts as no answer. */
export const blobOf = async ({ response }: Exchange): Promise<Blob> => {
  try {
    return await response.blob();
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    const request = `GET ${new URL(response.url).pathname}`;
    throw new PorticoError({ request, origin: base, code: 'no_answer', detail: 'the answer broke off', cause });
  }
};

/** What went wrong, for people. */
export const messageOf = (error: unknown): string => {
  if (state.value === 'over') return 'Your session is over.';
  if (!(error instanceof PorticoError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'no_answer' || error.code === 'timed_out')
    return 'The server does not answer. Check the connection and try again.';
  if (error.code === 'not_portico')
    return 'Something else answered in the place of the server, such as a proxy or the sign-in page of a network. Try again; if it stays so, tell an administrator.';
  if (error.errors.length === 0) return error.detail;
  return error.errors.map(({ path, message }) => `${path} ${message}`).join(' ');
};

export const isNotFound = (error: unknown): boolean =>
  error instanceof PorticoError && (error.status === 404 || error.code === 'invalid_request');

const withNewToken = async <T>(action: () => Promise<T>): Promise<T> => {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof PorticoError) || error.status !== 401) throw error;
    forgetToken();
    return action();
  }
};

/** Does something, and once more with a new token if the one it had was refused. Says so where there is no answer. */
export const withToken = async <T>(action: () => Promise<T>): Promise<T> => {
  try {
    return await withNewToken(action);
  } catch (error) {
    if (isUnreachable(error)) void untilBack();
    throw error;
  }
};

const NEW_TOKEN_SECONDS = 2;

/** A moment later there is a new token, as after a sign-out in another window, or the session is over. */
const refusedToken = (signal: AbortSignal): Promise<void> => {
  forgetToken();
  return pauseOf(NEW_TOKEN_SECONDS, signal).catch(() => {});
};

/**
 * Waits until what had no answer, or was refused by a busy server or for its token, may be asked for again; false: it would come to the same.
 */
export const mayAskAgain = async (error: unknown, signal: AbortSignal): Promise<boolean> => {
  if (isUnreachable(error)) await untilBack();
  else if (!(error instanceof PorticoError)) return false;
  else if (isBusy(error)) await busyFor(error, signal);
  else if (error.status === 401) await refusedToken(signal);
  else return false;
  return !signal.aborted;
};

/** Does something that may be done twice, and again once a lost connection is back, until the server has answered. */
export const untilAnswered = async <T>(action: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
  for (;;) {
    try {
      return await withToken(action);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
    }
    await untilBack();
    signal?.throwIfAborted();
  }
};
