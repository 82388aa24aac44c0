import { signal } from '@preact/signals';
import { PorticoError, portico, type Retry } from '../../../client/portico.ts';
import { parseJson } from '../../../domain/json-number.ts';
import { accessToken, forgetToken, state } from './session.ts';
import { base } from './settings.ts';

/** Whether the server has asked this page to wait, and it does. */
export const busy = signal(false);

const isBusy = ({ code }: Pick<PorticoError, 'code'>) => code === 'busy' || code === 'rate_limited';

/** A request that is sent again has its answer after this long, or the server asks once more. */
const ANSWER_MS = 1000;

let calm: ReturnType<typeof setTimeout>;

const onRetry = ({ code, seconds }: Retry) => {
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

/** The console's only way to the server. Numbers keep every digit. */
export const api = portico({ baseUrl: base, accessToken, parseJson, retries: 2, reconnect: true, onRetry });

/** Whether the server did not answer when it was asked last. */
export const lost = signal(false);

const LOOK_MS = 2000;

export const isUnreachable = (error: unknown): boolean =>
  error instanceof PorticoError &&
  !isBusy(error) &&
  (error.code === 'no_answer' || error.code === 'timed_out' || (error.status ?? 0) > 501);

/** A while, or until the browser is online again. */
const pause = () =>
  new Promise((resolve) => {
    setTimeout(resolve, LOOK_MS);
    window.ononline = resolve;
  });

const answers = () =>
  fetch(`${base}/api/v1`, { cache: 'no-store', credentials: 'omit' })
    .then(({ status }) => status < 502)
    .catch(() => false);

const look = async (): Promise<void> => {
  lost.value = true;
  do await pause();
  while (!(await answers()));
  looking = null;
  lost.value = false;
};

let looking: Promise<void> | null = null;

/** Says that the connection is lost, and looks until it is back. */
export const untilBack = (): Promise<void> => (looking ??= look());

export const startConnection = (): void => addEventListener('offline', () => void untilBack());

/** What went wrong, for people. */
export const messageOf = (error: unknown): string => {
  if (state.value === 'over') return 'Your session is over.';
  if (!(error instanceof PorticoError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'no_answer' || error.code === 'timed_out')
    return 'The server does not answer. Check the connection and try again.';
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
