import type { Database } from '../../domain/database.ts';
import { snakeCase } from '../../domain/tool.ts';
import type { DatabaseService, DatabaseTableDetail } from '../databases/databases.ts';
import { rowsAnswer } from './rows.ts';
import { annotated, answered, failed, inputOf, type ToolGroup, textInput, type UnnamedTool } from './tool.ts';

type Named = Pick<Database, 'id' | 'name'>;

const TABLES = 500;

const listTables = (use: DatabaseService, { id, name }: Named): UnnamedTool => ({
  suffix: '_list_tables',
  description: `Lists the tables and views of the database ${name}.`,
  inputSchema: inputOf({}),
  annotations: annotated(`List the tables of ${name}`, 'reads'),
  async run(_input, { caller, signal }) {
    const tables = await use.tables(caller, id, signal);
    const shown = tables.slice(0, TABLES).map(({ schema, name: table, type }) => ({ table: `${schema}.${table}`, type }));
    return answered({ tables: shown, has_more: tables.length > shown.length });
  },
});

const described = ({ schema, name, type, columns }: DatabaseTableDetail) => ({
  table: `${schema}.${name}`,
  type,
  columns: columns.map((column) => ({
    name: column.name,
    data_type: column.dataType,
    nullable: column.nullable,
    primary_key: column.primaryKey,
  })),
});

const describeTable = (use: DatabaseService, { id, name }: Named): UnnamedTool => ({
  suffix: '_describe_table',
  description: `Lists the columns of a table or view of the database ${name}.`,
  inputSchema: inputOf({ table: textInput('The table, as schema.table.', 300) }, ['table']),
  annotations: annotated(`Describe a table of ${name}`, 'reads'),
  async run({ table }, { caller, signal }) {
    const tables = await use.schema(caller, id, signal);
    const wanted = String(table).toLowerCase();
    const called = (each: DatabaseTableDetail) => [`${each.schema}.${each.name}`, each.name].map((word) => word.toLowerCase());
    const found = tables.find((each) => called(each)[0] === wanted) ?? tables.find((each) => called(each)[1] === wanted);
    if (found) return answered(described(found));
    const there = tables.slice(0, 50).map((each) => `${each.schema}.${each.name}`);
    return failed(`There is no table ${String(table)}. There are: ${there.join(', ')}${tables.length > there.length ? ', …' : ''}.`);
  },
});

const query = (use: DatabaseService, { id, name }: Named): UnnamedTool => ({
  suffix: '_query',
  description: `Runs one read-only SELECT statement on the database ${name}.`,
  inputSchema: inputOf({ query: textInput('One SELECT statement. Name tables as schema.table.', 50_000) }, ['query']),
  annotations: annotated(`Query ${name}`, 'reads'),
  async run(input, { caller, signal }) {
    return rowsAnswer(await use.query(caller, id, String(input.query), signal), { more: 'truncated' });
  },
});

export const databaseTools = (use: DatabaseService, database: Named): ToolGroup => ({
  base: snakeCase(database.name, 'database'),
  system: { kind: 'database', id: database.id },
  tools: [listTables, describeTable, query].map((make) => make(use, database)),
});
