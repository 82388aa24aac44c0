import type { DeliveryResult, RehearsedDelivery, RowDelivery } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { JsonValue } from '../../../domain/json.ts';
import { identifierOf } from '../catalogue.ts';
import { refused } from '../errors.ts';
import { type Bounds, type Finding, settled } from '../unanswered.ts';
import { compare } from './conditions.ts';
import type { Dialect, Run, Session, SqlColumn, SqlTable, Transactions } from './dialect.ts';
import { assignmentsOf, columnNamed, comparedWith, referenceIn } from './values.ts';
import { insertRow, rowsUnder, tableFor, unlessDeadlocked } from './writer.ts';

/** Every column that is written with its value, the document's id first. */
const entriesOf = ({
  documentIdColumn,
  documentId,
  values,
}: RowDelivery): readonly (readonly [string, JsonValue])[] => [
  [documentIdColumn, documentId],
  ...Object.entries(values).filter(([name]) => name !== documentIdColumn),
];

const isThere = async <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  { documentIdColumn, documentId }: RowDelivery,
  table: SqlTable<C>,
  run: Run<P>,
): Promise<boolean> => {
  const column = columnNamed(table, documentIdColumn);
  const operand = comparedWith(dialect, column, { type: 'text', text: documentId });
  const expression = dialect.comparable(column, referenceIn(dialect, column));
  return (await rowsUnder(dialect, table, 1, (bind) => compare(expression, 'eq', operand, bind), run)) > 0;
};

const notKept = (table: SqlTable<unknown>) =>
  refused(
    `${identifierOf(table)} did not keep the row: a trigger or a rule of the database left it out without an error.`,
  );

const write = async <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  row: RowDelivery,
  bounds: Bounds,
  session: Session<P>,
): Promise<RehearsedDelivery> => {
  await dialect.lockDocument(row.documentId, bounds, session.run);
  const table = await tableFor(dialect, row.entity, session.run);
  const assignments = assignmentsOf(dialect, table, entriesOf(row));
  const isKept = () => isThere(dialect, row, table, session.run);
  if (await isKept()) return { would: 'already_there', reason: null };
  const inserted = await insertRow(dialect, table, assignments, session);
  // A trigger or a rule may keep the row out without an error, or send it to where it is counted elsewhere.
  if (inserted === 0 && !(await isKept())) throw notKept(table);
  return { would: 'insert', reason: null };
};

/** The lock of the document is free once the transaction that may have written the row is over. */
const find = async <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  row: RowDelivery,
  bounds: Bounds,
  run: Run<P>,
): Promise<Finding> => {
  await dialect.lockDocument(row.documentId, bounds, run);
  return (await isThere(dialect, row, await tableFor(dialect, row.entity, run), run)) ? 'written' : 'not written';
};

/** What is found wrong with a value before the server sees it begins with its column. */
const COLUMN = /^Column "([^"]+)": /;

/** Which columns a constraint is about, only the catalogue says: in a transaction of its own, because the one of the row has failed. */
const constraintColumns = async <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  { rolledBack }: Transactions<P>,
  { entity }: RowDelivery,
  bounds: Bounds,
  constraint: string,
): Promise<readonly string[]> => {
  try {
    return await rolledBack(bounds, async ({ run }) =>
      dialect.constraintColumns(await tableFor(dialect, entity, run), constraint, run),
    );
  } catch {
    // The row is refused, whatever becomes of this look.
    return [];
  }
};

/** A row that the server refuses is a result too. */
const attempt = async <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  transactions: Transactions<P>,
  row: RowDelivery,
  bounds: Bounds,
  work: () => Promise<RehearsedDelivery>,
): Promise<RehearsedDelivery> => {
  try {
    return await unlessDeadlocked(dialect, bounds.signal, work);
  } catch (error) {
    const reason = error instanceof DomainError && error.kind === 'invalid' ? error.message : dialect.rejection(error);
    if (reason === null) throw error;
    const { constraint, column } = dialect.broken(error);
    const named = column ?? COLUMN.exec(reason)?.[1];
    if (named !== undefined) return { would: 'reject', reason, constraint, columns: [named] };
    const columns = constraint === null ? [] : await constraintColumns(dialect, transactions, row, bounds, constraint);
    return { would: 'reject', reason, constraint, columns };
  }
};

/** Delivers into a table, exactly once: if the session is lost during the commit, the row is looked for, here and in the next delivery. */
export const deliverRow = async <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  connection: Connection,
  transactions: Transactions<P>,
  row: RowDelivery,
  bounds: Bounds,
): Promise<DeliveryResult> => {
  const { inTransaction } = transactions;
  const result = await attempt(dialect, transactions, row, bounds, () =>
    settled<RehearsedDelivery>({
      connection,
      timeoutSeconds: bounds.timeoutSeconds,
      work: () => inTransaction(bounds, (session) => write(dialect, row, bounds, session)),
      look: (lookBounds, tell) =>
        inTransaction(lookBounds, async ({ run }) => tell(await find(dialect, row, lookBounds, run))),
      done: () => ({ would: 'already_there', reason: null }),
      advice: 'Process the document again: the row is looked for first.',
    }),
  );
  if (result.would === 'reject') {
    const { reason, constraint, columns } = result;
    return { outcome: 'rejected', reason, constraint, columns };
  }
  return { outcome: 'written', reference: `${row.entity} ${row.documentIdColumn}=${row.documentId}` };
};

export const rehearseRow = <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  transactions: Transactions<P>,
  row: RowDelivery,
  bounds: Bounds,
): Promise<RehearsedDelivery> =>
  attempt(dialect, transactions, row, bounds, () =>
    transactions.rolledBack(bounds, (session) => write(dialect, row, bounds, session)),
  );
