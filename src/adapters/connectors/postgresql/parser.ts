import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { inTime, type Terms } from '../../../application/shared/async.ts';
import { DomainError } from '../../../domain/errors.ts';
import { ignore, sentence } from '../errors.ts';
import { placeOf } from './errors.ts';
import type { Examined } from './parser-worker.ts';
import type { UsedName } from './query-tree.ts';

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
 * PostgreSQL's own parser, in a thread because a hostile text would keep the server busy or use up its stack. It reads one text at
 * a time, and a thread that fails is replaced: no text is examined by a parser that another one may have damaged.
 */
export const queryParser = () => {
  let thread: Worker | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const start = () => {
    const started = new Worker(new URL(`./parser-worker${path.extname(import.meta.url)}`, import.meta.url), {
      env: {},
    });
    started.on('error', ignore).unref();
    return started;
  };

  const parse = async (text: string): Promise<Examined> => {
    thread ??= start();
    const asked = thread;
    try {
      const answer = inTime((signal) => once(asked, 'message', { signal }), TERMS);
      asked.postMessage(text);
      const [examined] = await answer;
      return examined as Examined;
    } catch (error) {
      thread = null;
      void asked.terminate();
      if (isExhausted(error)) return { refusal: 'The query nests too deeply to be examined' };
      throw error;
    }
  };

  const cache = new LRUCache<string, Promise<Examined>>({
    maxSize: MOST_CACHED_CHARACTERS,
    sizeCalculation: (_, text) => 200 + 4 * text.length,
  });

  const examined = (text: string): Promise<Examined> => {
    const cached = cache.get(text);
    if (cached) return cached;
    const coming = last.then(() => parse(text));
    last = coming.catch(() => cache.delete(text));
    cache.set(text, coming);
    return coming;
  };

  return {
    /** Every name that the query uses. Rejects with a DomainError what is no reading statement, or cannot be parsed. */
    async namesIn(text: string): Promise<readonly UsedName[]> {
      if (text.trim() === '') throw new DomainError('invalid', 'The query is blank.');
      if (text.includes('\0')) throw new DomainError('invalid', 'The query holds a NUL character.');
      if (!text.isWellFormed())
        throw new DomainError('invalid', 'The query holds half of a surrogate pair, which is not text.');
      if (text.length > LONGEST_QUERY)
        throw new DomainError('invalid', `A query has at most ${LONGEST_QUERY} characters.`);
      const found = await examined(text);
      if ('names' in found) return found.names;
      throw new DomainError('invalid', sentence(found.refusal + placeOf(text, found.position)));
    },
    async close() {
      await thread?.terminate();
    },
  };
};
