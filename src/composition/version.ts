import { readFileSync } from 'node:fs';

/** What Portico calls itself where other servers ask. */
export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
