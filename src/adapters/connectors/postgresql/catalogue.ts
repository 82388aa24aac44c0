import { LRUCache } from 'lru-cache';
import { type Table, type TableDetail, type TableName, UNKNOWN_TABLE } from '../../../application/ports/connectors.ts';
import { DomainError } from '../../../domain/errors.ts';
import { didYouMean, shown } from '../nearest.ts';
import { columnsOfTables, listOfColumns, listOfTables } from './catalogue-sql.ts';
import type { Query } from './query.ts';

/** A column as statements need it; `base` is the type below its domains. */
export interface CatalogueColumn {
  readonly name: string;
  readonly dataType: string;
  readonly base: { readonly schema: string; readonly name: string };
  readonly form: 'integer' | 'bytes' | 'text' | 'other';
  /** Whether its values can be sorted and compared; those of others are as text. */
  readonly ordered: boolean;
  /** Whether equal values always look the same, as 1.0 and 1.00 do not. */
  readonly exact: boolean;
  readonly readable: boolean;
  /** Its place in the primary key, from 0; null outside of it. */
  readonly keyPlace: number | null;
}

export interface CatalogueTable extends TableName {
  readonly columns: readonly CatalogueColumn[];
  /** Whether the key holds for all rows that a read of the table finds: a parent's key says nothing of its children's rows. */
  readonly keyed: boolean;
}

/** A table by both parts of its name, or by `schema.table`, in which either part may have dots. */
export type Wanted = TableName | string;

export interface Catalogue {
  /** Whether the table is in the cache, and may be out of date. */
  has(wanted: Wanted): boolean;
  invalidate(wanted: Wanted): void;
  find(wanted: Wanted, query: Query): Promise<CatalogueTable>;
}

const MOST_TABLES = 300;
const KEPT_MILLISECONDS = 60_000;
/** Two names of 63 bytes and the dot between them. */
const LONGEST_IDENTIFIER = 127;

interface ColumnRow extends CatalogueColumn {
  readonly table: string;
  readonly schema: string;
  readonly tableName: string;
  readonly keyed: boolean;
  readonly enterable: boolean;
}

const identifierOf = (wanted: Wanted) => (typeof wanted === 'string' ? wanted : `${wanted.schema}.${wanted.name}`);

/** Every schema and table that the identifier may mean, for each dot in it one. */
const meanings = (wanted: Wanted): readonly TableName[] => {
  if (typeof wanted !== 'string') return wanted.schema.includes('\0') || wanted.name.includes('\0') ? [] : [wanted];
  if (wanted.includes('\0') || Buffer.byteLength(wanted) > LONGEST_IDENTIFIER) return [];
  return [...wanted.matchAll(/\./g)].map(({ index }) => ({ schema: wanted.slice(0, index), name: wanted.slice(index + 1) }));
};

const unknownTable = (detail: string) => new DomainError('invalid', detail, { code: UNKNOWN_TABLE });

const noTable = async (wanted: Wanted, query: Query): Promise<DomainError> => {
  const identifier = identifierOf(wanted);
  const names = (await tablesOf(query)).map(({ schema, name }) => `${schema}.${name}`);
  return unknownTable(`There is no table ${shown(identifier)}.${didYouMean(identifier, names)}`);
};

const load = async (wanted: Wanted, query: Query): Promise<CatalogueTable> => {
  const meant = meanings(wanted);
  const rows = await query<ColumnRow>(columnsOfTables, [meant.map(({ schema }) => schema), meant.map(({ name }) => name)]);
  const [first] = rows;
  if (first === undefined) throw await noTable(wanted, query);
  if (rows.some(({ table }) => table !== first.table))
    throw new DomainError('invalid', `${shown(identifierOf(wanted))} names more than one table.`);
  if (!first.enterable || rows.every(({ readable }) => !readable))
    throw unknownTable(`The login of this connection has no permission to read ${shown(identifierOf(wanted))}.`);
  return { schema: first.schema, name: first.tableName, keyed: first.keyed, columns: rows };
};

export const catalogue = (): Catalogue => {
  const kept = new LRUCache<string, CatalogueTable>({ max: MOST_TABLES, ttl: KEPT_MILLISECONDS });
  const keyOf = (wanted: Wanted) => (typeof wanted === 'string' ? wanted : JSON.stringify([wanted.schema, wanted.name]));
  return {
    has: (wanted) => kept.has(keyOf(wanted)),
    invalidate: (wanted) => void kept.delete(keyOf(wanted)),
    async find(wanted, query) {
      const known = kept.get(keyOf(wanted));
      if (known) return known;
      const table = await load(wanted, query);
      kept.set(keyOf(wanted), table);
      return table;
    },
  };
};

export const columnOf = (table: CatalogueTable, name: string): CatalogueColumn => {
  const column = table.columns.find((known) => known.name === name && known.readable);
  if (column) return column;
  const names = table.columns.filter(({ readable }) => readable).map((known) => known.name);
  const problem = `There is no column "${shown(name)}" in ${table.schema}.${table.name}.`;
  throw new DomainError('invalid', `${problem}${didYouMean(name, names)}`);
};

/** The tables that the login may read. */
export const tablesOf = (query: Query): Promise<readonly Table[]> => query<Table>(listOfTables);

interface ListedRow extends TableName {
  readonly table: string;
  readonly type: Table['type'];
  readonly column: TableDetail['columns'][number];
}

/** Those tables of these schemas with the columns that the login may read. */
export const schemaOf = async (query: Query, schemas: readonly string[] | null): Promise<readonly TableDetail[]> => {
  const rows = await query<ListedRow>(listOfColumns, [schemas]);
  const tables = new Map<string, ListedRow[]>();
  for (const row of rows) {
    const columns = tables.get(row.table);
    if (columns) columns.push(row);
    else tables.set(row.table, [row]);
  }
  return [...tables.values()].flatMap((columns) => {
    const [first] = columns;
    return first ? [{ schema: first.schema, name: first.name, type: first.type, columns: columns.map(({ column }) => column) }] : [];
  });
};
