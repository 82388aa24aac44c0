import { signal } from '@preact/signals';
import { PorticoError } from '../../../client/portico.ts';
import { base } from './settings.ts';

/** Whether the server did not answer when it was asked last. */
export const lost = signal(false);
/** How often the connection came back: what a page shows is then loaded again. */
export const returns = signal(0);

const LOOK_MS = 2000;

export const isUnreachable = (error: unknown): boolean =>
  error instanceof PorticoError && (error.code === 'no_answer' || error.code === 'timed_out' || (error.status ?? 0) > 501);

/** A while, or until the browser is online again. */
const pause = () =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, LOOK_MS);
    addEventListener('online', () => resolve(), { once: true, signal: AbortSignal.timeout(LOOK_MS) });
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
  returns.value += 1;
};

let looking: Promise<void> | null = null;

/** Says that the connection is lost, and looks until it is back. */
export const untilBack = (): Promise<void> => (looking ??= look());

export const startConnection = (): void => addEventListener('offline', () => void untilBack());
