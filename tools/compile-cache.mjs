import { fileURLToPath } from 'node:url';

/** Where Node keeps what it has compiled of this folder's code, for the next process that runs it. npm removes it with the dependencies. */
export const compileCache = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));
