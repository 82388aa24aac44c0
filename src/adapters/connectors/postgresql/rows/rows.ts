import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Query } from '../query.ts';
import { type Caps, RowPump, type Stop } from './row-pump.ts';
import { columnTypes, type Field, type OutputColumn } from './types.ts';
import { DescriptionChanged, execute, type Opening, type Preparation, prepare } from './wire.ts';

/** A statement with the columns that it answers. */
export interface Plan {
  readonly text: string;
  readonly fields: readonly Field[];
  readonly columns: readonly OutputColumn[];
}

export interface Run {
  /** What goes before a statement that is not prepared yet, in one piece with it; null if it is prepared. */
  readonly opening: Pick<Opening, 'first' | 'begun' | 'failed'> | null;
  readonly values: readonly (string | Buffer)[];
  /** What brings the session back to how it was; sent in one piece with the statement, and run after the last row. */
  readonly restore: readonly string[];
  readonly timeoutMilliseconds: number;
  readonly caps: Caps;
  /** The error that the reader gets for one of the server or of the way to it. */
  readonly explain: (error: unknown) => unknown;
  /** Called once, when no more rows are taken. */
  readonly onStop: (stop: Stop) => void;
}

/** Rows on their way from the server to one reader, as chunks of JSON. */
export type Rows = Pick<RowPump, 'columns' | 'over' | 'restored' | 'ready' | 'fail' | 'end'> &
  AsyncIterable<Uint8Array>;

/** The statements of one connection, whose rows go to the client as bytes: docs/decisions/rows-as-bytes.md. */
export interface RowReader {
  /** The plan of a statement that was described before; null if the server has to be asked. */
  recall(text: string): Plan | null;
  /** Has the server parse and describe one statement, which is not run; null if it answers no rows. */
  prepare(
    client: pg.ClientBase,
    preparation: Preparation,
    timeoutMilliseconds: number,
  ): Promise<readonly Field[] | null>;
  /** Looks up the types that are not known yet. */
  plan(text: string, fields: readonly Field[], query: Query): Promise<Plan>;
  run(client: pg.ClientBase, plan: Plan, run: Run): Rows;
}

/** In characters of statements; a column counts as a hundred. */
const MOST_DESCRIBED = 1024 * 1024;

export const rowReader = (): RowReader => {
  const types = columnTypes();
  const described = new LRUCache<string, readonly Field[]>({
    maxSize: MOST_DESCRIBED,
    sizeCalculation: (fields, text) => text.length + 100 * fields.length,
  });
  return {
    recall(text) {
      const fields = described.get(text);
      const columns = fields && types.cached(fields);
      return fields && columns ? { text, fields, columns } : null;
    },
    prepare,
    async plan(text, fields, query) {
      const columns = await types.resolve(fields, query);
      described.set(text, fields);
      return { text, fields, columns };
    },
    run(client, { text, fields, columns }, { opening, values, restore, timeoutMilliseconds, caps, explain, onStop }) {
      const onError = (error: unknown) => {
        if (hasOtherColumns(error)) described.delete(text);
        return explain(error);
      };
      const pump = new RowPump(columns, { caps, explain: onError, onStop });
      const preparing = opening && { ...opening, text, described: fields };
      pump.start(execute(client, { opening: preparing, values, restore, timeoutMilliseconds }, pump));
      return pump;
    },
  };
};

/** Whether a statement was not run because it no longer answers the columns of its plan; a new attempt prepares it anew. */
export const hasOtherColumns = (error: unknown): error is Error => error instanceof DescriptionChanged;
