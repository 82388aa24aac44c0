import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { inTime, type Terms } from '../../application/shared/async.ts';
import { DomainError } from '../../domain/errors.ts';
import { sentence } from '../../domain/text.ts';
import { ignore, placeOf } from './errors.ts';

/** Why a statement is refused before the server sees it, as a sentence. */
export class Refusal extends Error {}

/** The result for a text: the names it uses, or why it is refused and, for an error of its grammar, at which character (from 1). */
export type Examined<Name> =
  | { readonly names: readonly Name[] }
  | { readonly refusal: string; readonly position?: number };

/** The parser needs at most a quarter of a second for a text of this length, in a thread of its own. */
const LONGEST_QUERY = 64 * 1024;
const MOST_CACHED_CHARACTERS = 4 * 1024 * 1024;
const TERMS: Terms = { seconds: 10, late: () => new Error('the parser does not answer') };

/** How a thread ends whose stack or memory the text used up. */
const isExhausted = (error: unknown) =>
  error instanceof RangeError ||
  (error instanceof Error &&
    (error.name === 'RuntimeError' || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')));

/**
 * A parser in a thread, because a hostile text would keep the server busy or use up its stack. It reads one text at
 * a time, and a thread that fails is replaced: no text is examined by a parser that another one may have damaged.
 */
export const queryParser = <Name>(program: URL) => {
  let thread: Worker | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const start = () => {
    const started = new Worker(program, { env: {} });
    started.on('error', ignore).unref();
    return started;
  };

  const parse = async (text: string): Promise<Examined<Name>> => {
    thread ??= start();
    const parser = thread;
    try {
      const answer = inTime((signal) => once(parser, 'message', { signal }), TERMS);
      parser.postMessage(text);
      const [examined] = await answer;
      return examined as Examined<Name>;
    } catch (error) {
      thread = null;
      void parser.terminate();
      if (isExhausted(error)) return { refusal: 'The query nests too deeply to be examined' };
      throw error;
    }
  };

  const cache = new LRUCache<string, Promise<Examined<Name>>>({
    maxSize: MOST_CACHED_CHARACTERS,
    sizeCalculation: (_, text) => 200 + 4 * text.length,
  });

  const examined = (text: string): Promise<Examined<Name>> => {
    const cached = cache.get(text);
    if (cached) return cached;
    const coming = last.then(() => parse(text));
    last = coming.catch(() => cache.delete(text));
    cache.set(text, coming);
    return coming;
  };

  return {
    /** Every name that the query uses. Rejects with a DomainError what is no reading statement, or cannot be parsed. */
    async namesIn(text: string): Promise<readonly Name[]> {
      if (text.trim() === '') throw new DomainError('invalid', 'The query is blank.');
      if (text.includes('\0')) throw new DomainError('invalid', 'The query holds a NUL character.');
      if (!text.isWellFormed())
        throw new DomainError('invalid', 'The query holds half of a surrogate pair, which is not text.');
      if (text.length > LONGEST_QUERY)
        throw new DomainError('invalid', `A query has at most ${LONGEST_QUERY} characters.`);
      const examination = await examined(text);
      if ('names' in examination) return examination.names;
      throw new DomainError('invalid', sentence(examination.refusal + placeOf(text, examination.position)));
    },
    async close() {
      await thread?.terminate();
    },
  };
};
