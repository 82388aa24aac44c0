import { LRUCache } from 'lru-cache';
import { UNKNOWN_TABLE } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import { didYouMean } from '../nearest.ts';
import { type CatalogueTable, identifierOf, listTables, loadTable, type Wanted } from './catalogue.ts';
import type { Run } from './session.ts';

const KEPT_MILLISECONDS = 60_000;
const MOST_TABLES = 2000;

export interface CatalogueCache {
  /** Whether an answer would come from the cache, and may be out of date. */
  knows(connection: Connection, wanted: Wanted): boolean;
  invalidate(connection: Connection, wanted: Wanted): void;
  find(connection: Connection, wanted: Wanted, run: Run): Promise<CatalogueTable>;
}

const keyOf = ({ id, sealedUrl }: Connection, wanted: Wanted): string =>
  JSON.stringify(typeof wanted === 'string' ? [id, sealedUrl, wanted] : [id, sealedUrl, wanted.schema, wanted.name]);

const missing = async (problem: string, wanted: Wanted, run: Run) => {
  const names = (await listTables(run)).map(identifierOf);
  return new DomainError('invalid', problem + didYouMean(identifierOf(wanted), names), { code: UNKNOWN_TABLE });
};

/** The tables that were read lately; each is looked up by itself, because a system may have very many. */
export const catalogueCache = (): CatalogueCache => {
  const kept = new LRUCache<string, CatalogueTable>({ max: MOST_TABLES, ttl: KEPT_MILLISECONDS });
  return {
    knows: (connection, wanted) => kept.has(keyOf(connection, wanted)),
    invalidate: (connection, wanted) => void kept.delete(keyOf(connection, wanted)),
    async find(connection, wanted, run) {
      const known = kept.get(keyOf(connection, wanted));
      if (known) return known;
      const table = await loadTable(wanted, run);
      if (typeof table === 'string') throw await missing(table, wanted, run);
      kept.set(keyOf(connection, wanted), table);
      return table;
    },
  };
};
