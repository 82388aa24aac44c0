import type { Finding } from '../unanswered.ts';
import type { CatalogueColumn, CatalogueTable } from './catalogue.ts';
import { type Assignment, type Binder, binder } from './cells.ts';
import { comparable, fromTable, isText } from './column-sql.ts';
import type { Row, Run } from './session.ts';

const comparableTypes = new Set([
  ...[
    'tinyint',
    'smallint',
    'int',
    'bigint',
    'decimal',
    'numeric',
    'money',
    'smallmoney',
    'float',
    'real',
    'bit',
    'uniqueidentifier',
  ],
  ...['binary', 'varbinary', 'date', 'time', 'datetime', 'smalldatetime', 'datetime2', 'datetimeoffset'],
]);

/** Texts are the same to the letter, whatever their collation takes for the same. */
const TO_THE_LETTER = 'collate Latin1_General_100_BIN2';

const isComparable = (column: CatalogueColumn) => isText(column) || comparableTypes.has(column.type);

/** Whether the column has the value that was assigned to it, as its type keeps it. */
const isAssigned = ({ column, operand }: Assignment, { bind }: Binder): string => {
  const there = comparable(column);
  if (operand === null) return `${there} is null`;
  if (!isComparable(column)) return '1 = 0';
  if (isText(column)) return `${there} ${TO_THE_LETTER} = ${bind(operand)} ${TO_THE_LETTER}`;
  return `${there} = convert(${column.declared}, ${bind(operand)})`;
};

/** Each value of the primary key, or null if they are not all assigned. */
const keyOf = ({ columns }: CatalogueTable, assignments: readonly Assignment[]): readonly Assignment[] | null => {
  const key = columns.filter(({ keyOrdinal }) => keyOrdinal > 0);
  const assigned = assignments.filter(({ column, operand }) => operand !== null && key.includes(column));
  return key.length > 0 && assigned.length === key.length ? assigned : null;
};

/** The hint makes the server wait for a lock on the row, also where its readers see older versions and wait for nothing. */
const rowsWhere = async (
  table: CatalogueTable,
  assignments: readonly Assignment[],
  condition: (values: Binder) => string,
  query: Run,
): Promise<readonly boolean[]> => {
  const values = binder();
  const same = assignments.map((assignment) => isAssigned(assignment, values)).join(' and ');
  const text = `select top (2) case when ${same} then 1 else 0 end as same from ${fromTable(table)} with (readcommittedlock) where ${condition(values)}`;
  const rows = await query<Row & { readonly same: number }>({ text, parameters: values.parameters });
  return rows.map((row) => row.same === 1);
};

/** What became of an insert: only the primary key identifies its row. */
export const lookForInserted = async (
  table: CatalogueTable,
  assignments: readonly Assignment[],
  query: Run,
): Promise<Finding> => {
  const key = keyOf(table, assignments);
  if (key === null) return 'unclear';
  const condition = (values: Binder) =>
    key
      .map(({ column, operand }) => `${comparable(column)} = ${operand ? values.bind(operand) : 'null'}`)
      .join(' and ');
  const [same] = await rowsWhere(table, assignments, condition, query);
  if (same === undefined) return 'not written';
  return same ? 'written' : 'unclear';
};

/** What became of an update: a row that differs may have been changed again since. */
export const lookForUpdated = async (
  table: CatalogueTable,
  assignments: readonly Assignment[],
  condition: (values: Binder) => string,
  query: Run,
): Promise<Finding> => {
  const rows = await rowsWhere(table, assignments, condition, query);
  return rows.length === 1 && rows[0] === true ? 'written' : 'unclear';
};
