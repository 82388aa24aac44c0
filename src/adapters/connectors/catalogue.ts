import { LRUCache } from 'lru-cache';
import { type TableName, UNKNOWN_TABLE } from '../../application/ports/connectors.ts';
import type { Connection } from '../../domain/connection.ts';
import { DomainError } from '../../domain/errors.ts';

/** A table by both parts of its name, or by `schema.table`, in which either part may have dots. */
export type Wanted = TableName | string;

export const identifierOf = (wanted: Wanted): string =>
  typeof wanted === 'string' ? wanted : `${wanted.schema}.${wanted.name}`;

export const unknownTable = (detail: string): DomainError =>
  new DomainError('invalid', detail, { code: UNKNOWN_TABLE });

const MOST_TABLES = 2000;
const CACHED_MILLISECONDS = 60_000;

/** The tables that were read lately; each is looked up by itself, because a system may have very many. */
export const tableCache = <Table extends object, Query>(load: (wanted: Wanted, query: Query) => Promise<Table>) => {
  const cache = new LRUCache<string, Table>({ max: MOST_TABLES, ttl: CACHED_MILLISECONDS });
  const keyOf = ({ id, sealedUrl }: Connection, wanted: Wanted) =>
    JSON.stringify([id, sealedUrl, ...(typeof wanted === 'string' ? [wanted] : [wanted.schema, wanted.name])]);
  return {
    /** Whether the table is in the cache, and may be out of date. */
    has: (connection: Connection, wanted: Wanted): boolean => cache.has(keyOf(connection, wanted)),
    invalidate: (connection: Connection, wanted: Wanted): void => void cache.delete(keyOf(connection, wanted)),
    async find(connection: Connection, wanted: Wanted, query: Query): Promise<Table> {
      const key = keyOf(connection, wanted);
      const cached = cache.get(key);
      if (cached) return cached;
      const table = await load(wanted, query);
      cache.set(key, table);
      return table;
    },
  };
};
