import type { Cell, RowWriter } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import type { FilterValue } from '../../../domain/filter.ts';
import { identifierOf, unknownTable } from '../catalogue.ts';
import { refused } from '../errors.ts';
import { type Bounds, type Finding, settled } from '../unanswered.ts';
import { compare } from './conditions.ts';
import type {
  Assignment,
  Bind,
  Dialect,
  InTransaction,
  Run,
  Session,
  SqlColumn,
  SqlTable,
  Statement,
  Transactions,
} from './dialect.ts';
import { lookFor } from './outcome.ts';
import { assignmentsOf, binder, columnNamed, comparedWith, fromTable, referenceIn, target } from './values.ts';

type Look<P> = (run: Run<P>) => Promise<Finding>;

/** The write of one row that is about to be made. */
interface PreparedWrite<P> {
  /** How another session finds out whether it was made. */
  readonly look: Look<P>;
  make(): Promise<number>;
}

type RowWrite<P> = (session: Session<P>) => Promise<PreparedWrite<P>>;

type Transact<P> = (write: RowWrite<P>, signal: AbortSignal) => Promise<number>;

export const tableFor = async <C extends SqlColumn, P>(
  { findTable }: Dialect<C, P>,
  entity: string,
  run: Run<P>,
): Promise<SqlTable<C>> => {
  const table = await findTable(entity, run);
  if (typeof table === 'string') throw unknownTable(table);
  return table;
};

const sqlOf = <P>({ operand }: Assignment<unknown, P>, bind: Bind<P>) => (operand === null ? 'null' : bind(operand));

/** `insert` of the columns that are given; the others have their defaults. */
export const insertStatement = <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  table: SqlTable<C>,
  assignments: readonly Assignment<C, P>[],
): Statement<P> => {
  const { parameters, bind } = binder<P>(dialect);
  const into = `insert into ${target(dialect, table)}`;
  if (assignments.length === 0) return { text: `${into} ${dialect.allDefaults}`, parameters };
  const names = assignments.map(({ column }) => dialect.quote(column.name)).join(', ');
  return { text: `${into} (${names}) values (${assignments.map((cell) => sqlOf(cell, bind)).join(', ')})`, parameters };
};

export const insertRow = async <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  table: SqlTable<C>,
  assignments: readonly Assignment<C, P>[],
  { run, affected }: Session<P>,
): Promise<number> => {
  await dialect.assertLossless?.(assignments, run);
  return affected(insertStatement(dialect, table, assignments));
};

type Key = Parameters<RowWriter['update']>[1];

/** Where a row has the value in its key column; within a SELECT, or not. */
const isUnder = <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  table: SqlTable<C>,
  { column: name, value }: Key,
  bind: Bind<P>,
  selects = true,
): string => {
  const column = columnNamed(table, name);
  const wanted: FilterValue =
    typeof value === 'string' ? { type: 'text', text: value } : { type: 'number', text: String(value) };
  const reference = selects ? referenceIn(dialect, column) : dialect.quote(column.name);
  return compare(dialect.comparable(column, reference), 'eq', comparedWith(dialect, column, wanted), bind);
};

/** Of the rows under a condition, two at most. */
export const rowsUnder = async <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  table: SqlTable<C>,
  most: 1 | 2,
  condition: (bind: Bind<P>) => string,
  run: Run<P>,
): Promise<number> => {
  const { parameters, bind } = binder<P>(dialect);
  const rest = `from ${fromTable(dialect, table)} where ${condition(bind)}`;
  return (await run({ text: dialect.first(most, '1 as found', rest), parameters })).length;
};

const MORE_THAN_ONE = (table: SqlTable<unknown>, { column }: Key) =>
  refused(`More than one row of ${identifierOf(table)} has that value in column "${column}": nothing was changed.`);

const updateRow = async <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  table: SqlTable<C>,
  key: Key,
  assignments: readonly Assignment<C, P>[],
  { run, affected }: Session<P>,
): Promise<number> => {
  await dialect.assertLossless?.(assignments, run);
  // Looked at before anything is changed, so that a key of half the table's rows changes none of them.
  const count = await rowsUnder(dialect, table, 2, (bind) => isUnder(dialect, table, key, bind), run);
  if (count > 1) throw MORE_THAN_ONE(table, key);
  if (count === 0) return 0;
  const { parameters, bind } = binder<P>(dialect);
  const cells = assignments.map((cell) => `${dialect.quote(cell.column.name)} = ${sqlOf(cell, bind)}`).join(', ');
  const text = `update ${target(dialect, table)} set ${cells} where ${isUnder(dialect, table, key, bind, false)}`;
  const changed = await affected({ text, parameters });
  // Rows that others committed in between: the transaction is rolled back.
  if (changed > 1) throw MORE_THAN_ONE(table, key);
  return changed;
};

type Values = Readonly<Record<string, Cell>>;

const inserting =
  <C extends SqlColumn, P>(dialect: Dialect<C, P>, entity: string, values: Values): RowWrite<P> =>
  async (session) => {
    const table = await tableFor(dialect, entity, session.run);
    const assignments = assignmentsOf(dialect, table, Object.entries(values));
    const look = await lookFor(dialect, { table, assignments, under: null }, session.run);
    return { look, make: () => insertRow(dialect, table, assignments, session) };
  };

const updating =
  <C extends SqlColumn, P>(dialect: Dialect<C, P>, entity: string, key: Key, values: Values): RowWrite<P> =>
  async (session) => {
    const table = await tableFor(dialect, entity, session.run);
    const assignments = assignmentsOf(dialect, table, Object.entries(values));
    if (assignments.length === 0) throw refused('There is nothing to change: values is empty.');
    const under = (bind: Bind<P>) => isUnder(dialect, table, key, bind);
    const look = await lookFor(dialect, { table, assignments, under }, session.run);
    return { look, make: () => updateRow(dialect, table, key, assignments, session) };
  };

export const rowWriter = <C extends SqlColumn, P>(dialect: Dialect<C, P>, transact: Transact<P>): RowWriter => ({
  insert: (entity, values, signal) => transact(inserting(dialect, entity, values), signal),
  update: (entity, key, values, signal) => transact(updating(dialect, entity, key, values), signal),
});

/** A deadlock's victim is rolled back as a whole, and may find the way free the next time: it is tried once more. */
export const unlessDeadlocked = async <T>(
  { isDeadlock }: Pick<Dialect<never, never>, 'isDeadlock'>,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isDeadlock(error) || signal.aborted) throw error;
    return work();
  }
};

/** Writes the row in a transaction of its own; looks for it, in another, if the commit is not answered. */
export const writeRow = <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  connection: Connection,
  { inTransaction }: Transactions<P>,
  write: RowWrite<P>,
  bounds: Bounds,
): Promise<number> => {
  let affected = 0;
  let look: Look<P> = async () => 'unclear';
  const counted = async (session: Session<P>) => {
    const prepared = await write(session);
    look = prepared.look;
    affected = await prepared.make();
    return affected;
  };
  return settled({
    connection,
    timeoutSeconds: bounds.timeoutSeconds,
    work: () => unlessDeadlocked(dialect, bounds.signal, () => inTransaction(bounds, counted)),
    look: (lookBounds, tell) => inTransaction(lookBounds, async ({ run }) => tell(await look(run))),
    done: () => affected,
    advice: 'Look for it before you write it again.',
  });
};

/** Runs the statements of a write in a transaction that never commits. */
export const rehearseWrite = <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  rolledBack: InTransaction<P>,
  write: RowWrite<P>,
  bounds: Bounds,
): Promise<number> =>
  unlessDeadlocked(dialect, bounds.signal, () => rolledBack(bounds, async (session) => (await write(session)).make()));
