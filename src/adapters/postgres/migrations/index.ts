import { Initial } from './0001-initial.ts';

/** In the order they are run. A name is never changed once it was released. */
export const migrations = [{ name: '0001-initial', class: Initial }] as const;
