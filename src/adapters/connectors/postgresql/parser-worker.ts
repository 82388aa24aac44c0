import { setFlagsFromString } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { JsonObject } from '../../../domain/json.ts';
import { namesIn, Refusal, type UsedName } from './query-tree.ts';

/** Optimizing the parser's largest function takes 400 MB for a while, and makes it hardly faster. */
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);

const { hasSqlDetails, loadModule, parseSync } = await import('libpg-query');

/** What is known of a text: the names it uses, or why it is refused and, for an error of its grammar, at which character (from 1). */
export type Examined = { readonly names: readonly UsedName[] } | { readonly refusal: string; readonly position?: number };

const refusalOf = (error: unknown): Examined | null => {
  if (error instanceof Refusal) return { refusal: error.message };
  if (hasSqlDetails(error)) return { refusal: error.message, position: (error.sqlDetails?.cursorPosition ?? 0) + 1 };
  return null;
};

/** Ends the thread where anything but the text is wrong, a stack that is used up above all: the parser may be damaged then. */
const examine = (text: string): Examined => {
  try {
    return { names: namesIn(parseSync(text) as unknown as JsonObject) };
  } catch (error) {
    const known = refusalOf(error);
    if (known === null) throw error;
    return known;
  }
};

await loadModule();
parentPort?.on('message', (text: string) => parentPort?.postMessage(examine(text)));
