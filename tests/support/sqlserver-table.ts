import type { Connector } from '../../src/application/ports/connectors.ts';
import { never, textOf } from '../contracts/connector/suite.ts';
import { type Cell, type Reply, rowsOf } from './sqlserver-tds.ts';

/** What the catalogue answers about a column of `dbo.t`, a table unless `is_view` says otherwise. */
export const columnOf = (column: Readonly<Record<string, Cell>> = {}): Readonly<Record<string, Cell>> => ({
  schema_name: 'dbo',
  table_name: 't',
  is_view: 0,
  column_name: 'id',
  base_type: 'int',
  declared_type: 'int',
  is_clr: false,
  max_length: 4,
  precision: 10,
  scale: 0,
  is_nullable: false,
  collation_name: null,
  default_definition: null,
  key_ordinal: 1,
  unique_ordinal: null,
  ...column,
});

/** The stand-in's answers as the server that has the table `dbo.t` of these columns, and one row in it. */
export const answersWith = (columns: readonly Readonly<Record<string, Cell>>[], text: string): Reply | null => {
  if (text.includes('key_ordinal')) return rowsOf(columns);
  if (text.includes('@portico_lock')) return rowsOf([{ answer: 0 }]);
  if (text.startsWith('select top (2) 1 as found')) return rowsOf([{ found: 1 }]);
  if (text.includes('1 as found')) return rowsOf([], ['found']);
  if (text.includes('insert into') || text.includes('update ')) return rowsOf([{ affected: 1 }]);
  return text.startsWith('select') ? rowsOf([{ id: 7 }]) : null;
};

export const answersOfTable = (text: string): Reply | null => answersWith([columnOf()], text);

type Work = readonly [name: string, work: (connector: Connector) => Promise<unknown>, statement: RegExp | null];

/** Everything that is done with the table: its name, the work, and for what writes the statement that does. */
export const worksOnTable = (querySeconds: number): readonly Work[] => [
  ['records', async (c) => textOf(c.records({ entity: 'dbo.t', filter: null, limit: 1, offset: 0 }, never)), null],
  [
    'a query',
    async (c) =>
      textOf(
        c.query('select 7 as id', { schemas: null, maxRows: 1, maxBytes: 100, timeoutSeconds: querySeconds }, never),
      ),
    null,
  ],
  ['an insert', async (c) => c.writer?.insert('dbo.t', { id: 7 }, never), /insert into/],
  ['an update', async (c) => c.writer?.update('dbo.t', { column: 'id', value: '7' }, { id: 8 }, never), /update /],
  [
    'a delivery',
    async (c) => c.deliver({ entity: 'dbo.t', documentIdColumn: 'id', documentId: '7', values: {} }, never),
    /insert into/,
  ],
];
