import { LRUCache } from 'lru-cache';
import { type TableName, UNKNOWN_TABLE } from '../../application/ports/connectors.ts';
import type { Connection } from '../../domain/connection.ts';
import { DomainError } from '../../domain/errors.ts';
import { didYouMean, shown } from './names.ts';

/** A table by both parts of its name, or by `schema.table`, in which either part may have dots. */
export type Wanted = TableName | string;

export const identifierOf = (wanted: Wanted): string =>
  typeof wanted === 'string' ? wanted : `${wanted.schema}.${wanted.name}`;

/** Every schema and table that the identifier may mean, for each dot in it one. */
export const meaningsOf = (identifier: string): readonly TableName[] =>
  [...identifier.matchAll(/\./g)].map(({ index }) => ({
    schema: identifier.slice(0, index),
    name: identifier.slice(index + 1),
  }));

/** The table that the name stands for; or why it stands for none. */
export const onlyTable = <Table>(wanted: Wanted, [table, ...others]: readonly Table[]): Table | string => {
  const identifier = shown(identifierOf(wanted));
  if (table === undefined) return `There is no table ${identifier}.`;
  return others.length > 0 ? `${identifier} names more than one table.` : table;
};

export const unknownTable = (detail: string): DomainError =>
  new DomainError('invalid', detail, { code: UNKNOWN_TABLE });

/** The refusal of a name that stands for no table, with those of these tables that are called nearly the same. */
export const noSuchTable = (wanted: Wanted, why: string, tables: readonly TableName[]): DomainError =>
  unknownTable(why + didYouMean(identifierOf(wanted), tables.map(identifierOf)));

/** Refuses a table of which the login may read no column. */
export const mustBeReadable = (
  wanted: Wanted,
  { columns }: { readonly columns: readonly { readonly hidden?: boolean }[] },
): void => {
  if (columns.every(({ hidden }) => hidden))
    throw unknownTable(`The login of this connection has no permission to read ${shown(identifierOf(wanted))}.`);
};

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
