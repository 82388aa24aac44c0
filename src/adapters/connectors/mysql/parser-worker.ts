import { parentPort } from 'node:worker_threads';
import { init, parse } from '@guanmingchiu/sqlparser-ts';
import { type Examined, Refusal } from '../query-parser.ts';
import { relationsIn, type UsedRelation } from './query-tree.ts';

/** How errors of the grammar begin; all others are of the parser itself. */
const GRAMMAR = 'sql parser error: ';

const refusalOf = (error: unknown): string | null => {
  if (error instanceof Refusal) return error.message;
  if (!(error instanceof Error) || !error.message.startsWith(GRAMMAR)) return null;
  const words = error.message.slice(GRAMMAR.length).replace(/ at Line: (\d+), Column: (\d+)/, ' (line $1, column $2)');
  return `The query was not understood: ${words}`;
};

/** An error that is not about the text, such as a stack that is used up, ends the thread: the parser may be damaged. */
const examine = (text: string): Examined<UsedRelation> => {
  try {
    return { names: relationsIn(parse(text, 'mysql')) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw new RangeError('the parser is used up', { cause: error });
    return { refusal };
  }
};

await init();
parentPort?.on('message', (text: string) => parentPort?.postMessage(examine(text)));
