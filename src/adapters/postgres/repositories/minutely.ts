import { LRUCache } from 'lru-cache';
import type { Clock, Log } from '../../../application/ports/runtime.ts';
import type { Database, Statement } from '../connection/database.ts';
import { MAX_CALLERS } from './caller-cache.ts';

const MINUTE_MS = 60_000;

interface Settings {
  readonly database: Pick<Database, 'query'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Records that something was used, once a minute, by a statement that takes its id, while the request goes on. */
export const minutely = (statement: Statement, { database, clock, log }: Settings) => {
  const minutes = new LRUCache<string, number>({ max: MAX_CALLERS });
  return (id: string): void => {
    const minute = Math.floor(clock.now().getTime() / MINUTE_MS);
    if (minutes.get(id) === minute) return;
    minutes.set(id, minute);
    database.query(statement, [id]).catch((error: unknown) => {
      log.warn({ id, statement: statement.name, reason: String(error) }, 'the last use could not be recorded');
    });
  };
};
