import { signal } from '@preact/signals';
import { base } from './settings.ts';

/** Whether the server did not answer when it was asked last. */
export const lost = signal(false);

const LOOK_MS = 2000;

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
