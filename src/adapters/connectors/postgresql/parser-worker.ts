import { setFlagsFromString } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { JsonObject } from '../../../domain/json.ts';
import { type Examined, Refusal } from '../query-parser.ts';
import { namesIn, type UsedName } from './query-tree.ts';

/** Optimizing the parser's largest function takes 400 MB for a while, and makes it hardly faster. */
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);

const { hasSqlDetails, loadModule, parseSync } = await import('libpg-query');

const refusalOf = (error: unknown): Examined<UsedName> | null => {
  if (error instanceof Refusal) return { refusal: error.message };
  if (hasSqlDetails(error)) return { refusal: error.message, position: (error.sqlDetails?.cursorPosition ?? 0) + 1 };
  return null;
};

/** An error that is not about the text, such as a stack that is used up, ends the thread: the parser may be damaged. */
const examine = (text: string): Examined<UsedName> => {
  try {
    return { names: namesIn(parseSync(text) as unknown as JsonObject) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return refusal;
  }
};

await loadModule();
parentPort?.on('message', (text: string) => parentPort?.postMessage(examine(text)));
