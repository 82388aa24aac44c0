import type { Cell, RowWriter } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { refused } from '../errors.ts';
import { type Finding, settled } from '../unanswered.ts';
import { type CatalogueTable, findTable } from './catalogue.ts';
import { type Assignment, assignmentsOf, type Binder, binder, columnNamed, comparedWith } from './cells.ts';
import { fromTable, quoteName, type Within } from './column-sql.ts';
import { compare } from './conditions.ts';
import { lookForInserted, lookForUpdated } from './outcome.ts';
import type { Pools } from './pools.ts';
import type { Row, Run, Statement } from './session.ts';
import { type Bounds, inTransaction, unlessDeadlocked } from './transaction.ts';

type Values = Readonly<Record<string, Cell>>;

type Look = (query: Run) => Promise<Finding>;

/** Writes one row; before, it says by `lookBy` how to find out whether it was written. */
export type RowWrite = (query: Run, lookBy: (look: Look) => void) => Promise<number>;

export type Transact = (write: RowWrite, signal: AbortSignal) => Promise<number>;

export const tableFor = async (entity: string, query: Run): Promise<CatalogueTable> => {
  const table = await findTable(entity, query);
  if (typeof table === 'string') throw refused(table);
  return table;
};

const target = ({ schema, name }: CatalogueTable) => `${quoteName(schema)}.${quoteName(name)}`;

const sqlOf = ({ operand }: Assignment, { bind }: Binder) => (operand === null ? 'null' : bind(operand));

/**
 * The count is taken by the very next statement, before anything else can change it; results of triggers come before it, and the last
 * result is what is read.
 */
const counted = (text: string) =>
  `set nocount on;\ndeclare @portico_rows int;\n${text};\nset @portico_rows = @@rowcount;\nselect @portico_rows as affected`;

const affected = async (query: Run, text: string, { parameters }: Binder): Promise<number> => {
  const [row] = await query<Row & { readonly affected: number }>({ text: counted(text), parameters });
  return row?.affected ?? 0;
};

/** `insert` of the columns that are given; the others have their defaults. */
export const insertStatement = (table: CatalogueTable, assignments: readonly Assignment[], values: Binder): string => {
  if (assignments.length === 0) return `insert into ${target(table)} default values`;
  const names = assignments.map(({ column }) => quoteName(column.name));
  return `insert into ${target(table)} (${names.join(', ')}) values (${assignments.map((cell) => sqlOf(cell, values)).join(', ')})`;
};

const singleByte = new Set(['char', 'varchar', 'text']);

/** A collation is a name without quotes in the statement, so it must be one. */
const isCollation = (name: string | null): name is string => name !== null && /^\w+$/.test(name);

/** Texts for columns of one code page with characters that it may not have: the database would store question marks in silence. */
const doubtful = (assignments: readonly Assignment[]): readonly Assignment[] =>
  assignments.filter(
    ({ column, operand }) =>
      operand !== null &&
      singleByte.has(column.type) &&
      isCollation(column.collation) &&
      typeof operand.parameter.value === 'string' &&
      /[^\0-\x7f]/.test(operand.parameter.value),
  );

/** There and back by way of the column's code page, compared by its bytes: a collation takes many things for the same. */
const comparison = ({ column }: Assignment, index: number): string => {
  const there = `convert(varchar(max), @p${index} collate ${column.collation})`;
  return `case when convert(varbinary(max), convert(nvarchar(max), ${there})) = convert(varbinary(max), convert(nvarchar(max), @p${index})) then 1 else 0 end as c${index}`;
};

export const losslessStatement = (assignments: readonly Assignment[]): Statement => ({
  text: `select ${assignments.map(comparison).join(', ')}`,
  parameters: assignments.flatMap(({ operand }) => (operand === null ? [] : [operand.parameter])),
});

/** Refuses texts with characters that the code page of their column lacks. */
const assertLossless = async (assignments: readonly Assignment[], query: Run): Promise<void> => {
  const asked = doubtful(assignments);
  if (asked.length === 0) return;
  const [answer] = await query<Row>(losslessStatement(asked));
  const lost = asked.filter((_, index) => answer?.[`c${index}`] !== 1).map(({ column }) => `"${column.name}"`);
  if (lost.length > 0) {
    throw refused(
      `Column ${lost.join(', ')}: the text has characters that the code page of the column's type cannot hold.`,
    );
  }
};

export const insertRow = async (
  table: CatalogueTable,
  assignments: readonly Assignment[],
  query: Run,
): Promise<number> => {
  await assertLossless(assignments, query);
  const values = binder();
  return affected(query, insertStatement(table, assignments, values), values);
};

type Key = Parameters<RowWriter['update']>[1];

const keyCondition = (table: CatalogueTable, { column: name, value }: Key, values: Binder, within?: Within): string => {
  const column = columnNamed(table, name);
  return compare(column, 'eq', comparedWith(column, String(value), JSON.stringify(value)), values, within);
};

const MORE_THAN_ONE = (table: CatalogueTable, { column }: Key) =>
  refused(`More than one row of ${table.identifier} has that value in column "${column}": nothing was changed.`);

/** Counted before anything is changed, so that a key of half the table's rows changes none of them. */
const rowsUnder = async (table: CatalogueTable, key: Key, query: Run): Promise<number> => {
  const values = binder();
  const condition = keyCondition(table, key, values);
  const text = `select count(*) as found from (select top (2) 1 as one from ${fromTable(table)} where ${condition}) as under_key`;
  const [row] = await query<Row & { readonly found: number }>({ text, parameters: values.parameters });
  return row?.found ?? 0;
};

const updateStatement = (
  table: CatalogueTable,
  key: Key,
  assignments: readonly Assignment[],
  values: Binder,
): string => {
  const cells = assignments.map((cell) => `${quoteName(cell.column.name)} = ${sqlOf(cell, values)}`);
  return `update ${target(table)} set ${cells.join(', ')} where ${keyCondition(table, key, values, null)}`;
};

const updateRow = async (
  table: CatalogueTable,
  key: Key,
  assignments: readonly Assignment[],
  query: Run,
): Promise<number> => {
  await assertLossless(assignments, query);
  const found = await rowsUnder(table, key, query);
  if (found > 1) throw MORE_THAN_ONE(table, key);
  if (found === 0) return 0;
  const values = binder();
  const changed = await affected(query, updateStatement(table, key, assignments, values), values);
  // Rows that others committed in between: the transaction is rolled back.
  if (changed > 1) throw MORE_THAN_ONE(table, key);
  return changed;
};

/** Writes the row in a transaction of its own; looks for it, in another, if the commit is not answered. */
export const writeRow = (pools: Pools, connection: Connection, write: RowWrite, bounds: Bounds): Promise<number> => {
  let affected = 0;
  let look: Look = async () => 'unclear';
  const lookBy = (given: Look) => {
    look = given;
  };
  const counted = async (query: Run) => {
    affected = await write(query, lookBy);
    return affected;
  };
  return settled({
    connection,
    timeoutSeconds: bounds.timeoutSeconds,
    work: () => unlessDeadlocked(() => inTransaction(pools, connection, bounds, counted), bounds.signal),
    look: (lookBounds, found) =>
      inTransaction(pools, connection, lookBounds, async (query) => found(await look(query))),
    done: () => affected,
    advice: 'Look for it before you write it again.',
  });
};

const inserting =
  (entity: string, values: Values): RowWrite =>
  async (query, lookBy) => {
    const table = await tableFor(entity, query);
    const assignments = assignmentsOf(table, Object.entries(values));
    lookBy((again) => lookForInserted(table, assignments, again));
    return insertRow(table, assignments, query);
  };

const updating =
  (entity: string, key: Key, values: Values): RowWrite =>
  async (query, lookBy) => {
    const table = await tableFor(entity, query);
    const assignments = assignmentsOf(table, Object.entries(values));
    if (assignments.length === 0) throw refused('There is nothing to change: values is empty.');
    lookBy((again) => lookForUpdated(table, assignments, (parameters) => keyCondition(table, key, parameters), again));
    return updateRow(table, key, assignments, query);
  };

export const sqlserverWriter = (transact: Transact): RowWriter => ({
  insert: (entity, values, signal) => transact(inserting(entity, values), signal),
  update: (entity, key, values, signal) => transact(updating(entity, key, values), signal),
});
