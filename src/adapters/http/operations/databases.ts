import { exampleRecord, record } from '../../../wire/connection.ts';
import {
  column,
  database,
  exampleColumns,
  exampleDatabase,
  exampleTable,
  table,
  tableDetail,
} from '../../../wire/database.ts';
import { about, list, optional, wire, withDefault } from '../../../wire/kit/structures.ts';
import { boolean, integer, oneOf, text } from '../../../wire/kit/values.ts';
import { operation } from '../operation.ts';
import { paging } from '../parameters.ts';
import { rowsBetween } from '../rows.ts';

const id = text({ min: 1, max: 1000 });
const params = wire({ id: about('The database.', id) });
const example = { params: { id: exampleDatabase.id } };

const shared = { tag: 'Databases', access: 'api-key' } as const;

export const listDatabases = operation({
  id: 'listDatabases',
  method: 'get',
  path: '/databases',
  resource: 'databases',
  ...shared,
  summary: 'List databases',
  description: 'The databases you may query, ordered by name.',
  success: {
    description: 'The databases.',
    data: wire({ databases: list(database) }),
    example: { databases: [exampleDatabase] },
  },
  handle: async ({ databases }, { caller }) => ({
    databases: (await databases.list(caller)).map((each) => ({
      id: each.id,
      name: each.name,
      type: each.connection.type,
    })),
  }),
});

export const listTables = operation({
  id: 'listTables',
  method: 'get',
  path: '/databases/{id}/tables',
  resource: 'database_tables',
  ...shared,
  longRead: true,
  summary: 'List the tables of a database',
  description: 'Its tables and views, ordered by schema and name.',
  params,
  example,
  success: { description: 'The tables.', data: wire({ tables: list(table) }), example: { tables: [exampleTable] } },
  refuses: ['not_found', 'query_timeout', 'upstream_unavailable'],
  handle: async ({ databases }, { caller, params: { id: database }, signal }) => ({
    tables: await databases.tables(caller, database, signal),
  }),
});

export const getSchema = operation({
  id: 'getSchema',
  method: 'get',
  path: '/databases/{id}/schema',
  resource: 'database_schema',
  ...shared,
  longRead: true,
  summary: 'Get the schema of a database',
  description: 'Its tables and views with their columns.',
  params,
  example,
  success: {
    description: 'The tables with their columns.',
    data: wire({ tables: list(tableDetail) }),
    example: { tables: [{ ...exampleTable, columns: exampleColumns }] },
  },
  refuses: ['not_found', 'query_timeout', 'upstream_unavailable'],
  handle: async ({ databases }, { caller, params: { id: database }, signal }) => ({
    tables: await databases.schema(caller, database, signal),
  }),
});

const orNull = (value: string | undefined) => value ?? null;

export const readTable = operation({
  id: 'readTable',
  method: 'get',
  path: '/tables/{id}',
  resource: 'table',
  ...shared,
  longRead: true,
  summary: 'Read the records of a table',
  description:
    'Ordered by `order_by` (ties by primary key), else by primary key, else by all columns. With `incremental_value` only rows whose order ' +
    'column is greater, compared as the column’s own type: remember the last value of one page for the next.',
  params: wire({ id: about('The table: an `id` of the list of tables.', id) }),
  query: wire({
    ...paging({ max: 5000, fallback: 100 }),
    orderBy: about('The column to order by.', optional(text({ max: 200 }))),
    orderDirection: about('Needs `order_by`, else it is ignored.', withDefault(oneOf('asc', 'desc'), 'asc')),
    incrementalValue: about('Needs `order_by`, else it is ignored.', optional(text({ max: 10_000 }))),
  }),
  example: { params: { id: exampleTable.id }, query: { limit: 5000, orderBy: 'id', incrementalValue: '17' } },
  success: {
    description: 'A page of rows; `has_more` is whether more rows follow.',
    data: wire({ records: list(record), offset: integer({ min: 0 }), limit: integer({ min: 1 }), hasMore: boolean }),
    example: { records: [exampleRecord], offset: 0, limit: 5000, hasMore: false },
  },
  limits: [{ name: 'table-reads', size: 'tableReads', per: 'user' }],
  refuses: ['not_found', 'query_timeout', 'upstream_unavailable'],
  handle: async ({ databases }, { caller, params: { id: tableId }, query, signal }) => {
    const { offset, limit, orderBy, orderDirection: direction, incrementalValue } = query;
    const read = { offset, limit, orderBy: orNull(orderBy), direction, incrementalValue: orNull(incrementalValue) };
    const rows = await databases.rows(caller, tableId, read, signal);
    return rowsBetween(
      rows,
      '{"data":{"records":[',
      ({ more }) => `],"offset":${offset},"limit":${limit},"has_more":${more}}}`,
    );
  },
});

export const runQuery = operation({
  id: 'runQuery',
  method: 'post',
  path: '/query',
  resource: 'query',
  ...shared,
  longRead: true,
  specified: true,
  summary: 'Run a query',
  description:
    'Runs one read-only statement, which cannot change the data. A query of a relation outside the schemas of the database is 400, with the ' +
    'name of the relation. A query may take long: hang up to cancel it. A query that exceeds the time limit of the server is 400; ' +
    '`truncated` is whether the server left out rows beyond its limit. If columns have the same name, the later ones are numbered.',
  body: wire({
    databaseId: about('The database.', id),
    query: about('One SELECT statement.', text({ max: 1_000_000 })),
  }),
  example: {
    body: {
      databaseId: exampleDatabase.id,
      query: 'select item, sum(quantity) as sold from order_lines group by item',
    },
  },
  success: {
    description: 'The rows.',
    data: wire({ columns: list(column), records: list(record), rowCount: integer({ min: 0 }), truncated: boolean }),
    example: {
      columns: [
        { name: 'item', dataType: 'text' },
        { name: 'sold', dataType: 'bigint' },
      ],
      records: [{ item: 'Kraft carrier bag', sold: 12 }],
      rowCount: 1,
      truncated: false,
    },
  },
  refuses: ['not_found', 'query_timeout', 'upstream_unavailable'],
  handle: async ({ databases }, { caller, body: { databaseId, query }, signal }) => {
    const rows = await databases.query(caller, databaseId, query, signal);
    const columns = JSON.stringify(rows.columns.map((each) => column.encode(each)));
    const tail = ({ rowCount, more }: { rowCount: number; more: boolean }) =>
      `],"row_count":${rowCount},"truncated":${more}}}`;
    return rowsBetween(rows, `{"data":{"columns":${columns},"records":[`, tail);
  },
});
