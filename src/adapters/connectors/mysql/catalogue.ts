import type { Table, TableDetail, TableName } from '../../../application/ports/connectors.ts';
import { identifierOf, meaningsOf, mustBeReadable, noSuchTable, onlyTable, type Wanted } from '../catalogue.ts';
import type { SqlColumn, SqlTable } from '../sql/dialect.ts';
import type { Run, Value } from './session.ts';

/** How the values of a column are compared, ordered and sent. */
export type Kind =
  | 'integer'
  | 'bit'
  | 'decimal'
  | 'float'
  | 'double'
  | 'text'
  | 'bytes'
  | 'date'
  | 'time'
  | 'datetime'
  | 'timestamp'
  | 'json'
  | 'uuid'
  | 'other';

export interface CatalogueColumn extends SqlColumn {
  readonly kind: Kind;
  /** Its place in the primary key, from 1; 0 outside of it. */
  readonly keyPlace: number;
}

export interface CatalogueTable extends SqlTable<CatalogueColumn> {
  /** What keeps its rows, if that has no transactions; null for all others, and for a view. */
  readonly withoutTransactions: string | null;
}

const isOfUsers = `table_schema not in ('information_schema', 'mysql', 'performance_schema', 'sys')`;
const isView = `t.table_type like '%VIEW'`;
const joined = 'information_schema.tables t join information_schema.columns c using (table_schema, table_name)';
const readable = `find_in_set('select', c.privileges) > 0`;

const listOfTables = `
select table_schema as \`schema\`, table_name as name, ${isView} as isView from information_schema.tables t where ${isOfUsers}`;

/** MariaDB writes a default as it stands in SQL, also NULL; MySQL writes the value alone, unless it is an expression. */
const byDefault = `case
  when version() like '%MariaDB%' then nullif(c.column_default, 'NULL')
  when c.column_default is null or c.extra like '%DEFAULT_GENERATED%' or c.numeric_precision is not null then c.column_default
  else quote(c.column_default) end`;

const listOfColumns = `
select table_schema as \`schema\`, table_name as name, ${isView} as isView, c.column_name as \`column\`, c.column_type as dataType,
  c.is_nullable = 'YES' as nullable, c.column_key = 'PRI' as primaryKey, c.ordinal_position as position, ${byDefault} as \`default\`
from ${joined} where ${isOfUsers} and ${readable} order by table_schema, table_name, c.ordinal_position`;

const columnsOfTables = (names: readonly TableName[]) => `
select table_schema as \`schema\`, table_name as \`table\`, c.column_name as name, c.column_type as declared, c.data_type as type,
  c.is_nullable = 'YES' as nullable,
  ${readable} as readable, coalesce((select s.seq_in_index from information_schema.statistics s where s.table_schema = c.table_schema
    and s.table_name = c.table_name and s.index_name = 'PRIMARY' and s.column_name = c.column_name), 0) as keyPlace,
  (select e.engine from information_schema.engines e where e.engine = t.engine and e.transactions <> 'YES') as withoutTransactions
from ${joined}
where ${isOfUsers} and (${names.map(() => '(c.table_schema = ? and c.table_name = ?)').join(' or ')})
order by table_schema, table_name, c.ordinal_position`;

/** Keys only, unique and foreign ones: which columns a check is about, the server does not say. */
const columnsOfKey = `
select column_name as name from information_schema.key_column_usage
where table_schema = ? and table_name = ? and constraint_name = ? order by ordinal_position`;

const kinds: Readonly<Record<string, Kind>> = {
  ...Object.fromEntries(
    ['tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'year'].map((type) => [type, 'integer' as const]),
  ),
  ...Object.fromEntries(
    ['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext', 'enum', 'set'].map((type) => [
      type,
      'text' as const,
    ]),
  ),
  ...Object.fromEntries(
    ['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'].map((type) => [type, 'bytes' as const]),
  ),
  bit: 'bit',
  decimal: 'decimal',
  float: 'float',
  double: 'double',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
  timestamp: 'timestamp',
  json: 'json',
  uuid: 'uuid',
};

const LONGEST_NAME = 64;

interface ColumnRow {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly declared: string;
  readonly type: string;
  readonly nullable: number;
  readonly readable: number;
  readonly keyPlace: number | string;
  readonly withoutTransactions: string | null;
}

/** Every schema and table that may be wanted. */
const meanings = (wanted: Wanted): readonly TableName[] => {
  if (identifierOf(wanted).length > 2 * LONGEST_NAME + 1) return [];
  const names = typeof wanted === 'string' ? meaningsOf(wanted) : [wanted];
  return names.filter(({ schema, name }) =>
    [schema, name].every((part) => part !== '' && part.length <= LONGEST_NAME && !part.includes('\0')),
  );
};

/** Every table that the name may stand for, also without the right to read it; names are compared to the letter. */
const tablesNamed = async (wanted: Wanted, run: Run): Promise<readonly CatalogueTable[]> => {
  const names = meanings(wanted);
  if (names.length === 0) return [];
  const values: readonly Value[] = names.flatMap(({ schema, name }) => [schema, name]);
  const rows = (await run<ColumnRow>({ text: columnsOfTables(names), parameters: values })).filter((row) =>
    names.some(({ schema, name }) => schema === row.schema && name === row.table),
  );
  const tables = Map.groupBy(rows, ({ schema, table }) => JSON.stringify([schema, table]));
  return [...tables.values()].flatMap((columns) => {
    const [first] = columns;
    if (!first) return [];
    return [
      {
        schema: first.schema,
        name: first.table,
        withoutTransactions: first.withoutTransactions,
        columns: columns.map((row) => ({
          name: row.name,
          declared: row.declared,
          nullable: row.nullable === 1,
          hidden: row.readable !== 1,
          kind: kinds[row.type.toLowerCase()] ?? 'other',
          keyPlace: Number(row.keyPlace),
        })),
      },
    ];
  });
};

/** The table as it is now; or why it cannot be found. */
export const findTable = async (wanted: Wanted, run: Run): Promise<CatalogueTable | string> =>
  onlyTable(wanted, await tablesNamed(wanted, run));

export const constraintColumns = async (
  { schema, name }: TableName,
  constraint: string,
  run: Run,
): Promise<readonly string[]> => {
  const rows = await run<{ readonly name: string }>({ text: columnsOfKey, parameters: [schema, name, constraint] });
  return rows.map((column) => column.name);
};

/** The table as it is now. Rejects if there is none that the login may read. */
export const loadTable = async (wanted: Wanted, run: Run): Promise<CatalogueTable> => {
  const table = await findTable(wanted, run);
  if (typeof table === 'string') throw noSuchTable(wanted, table, await tablesOf(run));
  mustBeReadable(wanted, table);
  return table;
};

/** By code point, as everything is sorted. */
const byIdentifier = (one: TableName, other: TableName): number =>
  Buffer.compare(Buffer.from(identifierOf(one)), Buffer.from(identifierOf(other)));

interface ListedRow extends TableName {
  readonly isView: number;
}

const tableOf = ({ schema, name, isView: view }: ListedRow): Table => ({
  schema,
  name,
  type: view === 1 ? 'view' : 'table',
});

/** The tables that the login has some right to. */
export const tablesOf = async (run: Run): Promise<readonly Table[]> =>
  (await run<ListedRow>({ text: listOfTables, parameters: [] })).map(tableOf).sort(byIdentifier);

interface ListedColumn extends ListedRow {
  readonly column: string;
  readonly dataType: string;
  readonly nullable: number;
  readonly primaryKey: number;
  readonly position: number | string;
  readonly default: string | null;
}

/** The tables of these schemas with the columns that the login may read. */
export const schemaOf = async (run: Run, schemas: readonly string[] | null): Promise<readonly TableDetail[]> => {
  const rows = await run<ListedColumn>({ text: listOfColumns, parameters: [] });
  const tables = Map.groupBy(
    rows.filter(({ schema }) => schemas?.includes(schema) ?? true),
    ({ schema, name }) => JSON.stringify([schema, name]),
  );
  return [...tables.values()]
    .flatMap((columns): readonly TableDetail[] => {
      const [first] = columns;
      if (!first) return [];
      return [
        {
          ...tableOf(first),
          columns: columns.map((row) => ({
            name: row.column,
            dataType: row.dataType,
            nullable: row.nullable === 1,
            primaryKey: row.primaryKey === 1,
            position: Number(row.position),
            default: row.default,
          })),
        },
      ];
    })
    .sort(byIdentifier);
};
