import pg from 'pg';
import type { DeliveryResult, RehearsedDelivery, RowDelivery } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { delivering, deliveryResult, entriesOf, rejected } from '../delivery.ts';
import type { Bounds, Finding } from '../unanswered.ts';
import { type CatalogueTable, tablesNamed } from './catalogue.ts';
import { isRejection, rejectionReason } from './errors.ts';
import type { Query } from './query.ts';
import { inTransaction, rolledBack } from './transaction.ts';
import { encode, unsendable } from './values.ts';

const { escapeIdentifier } = pg;

interface Cell {
  readonly name: string;
  readonly dataType: string;
  readonly value: ReturnType<typeof encode>;
}

const findTable = async (query: Query, entity: string): Promise<CatalogueTable | string> => {
  const [table, ...others] = await tablesNamed(entity, query);
  if (table === undefined) return `There is no table ${entity}.`;
  return others.length > 0 ? `${entity} names more than one table.` : table;
};

/** The row's values in the forms of their columns, the document's id first; or every reason why they cannot be sent. */
const cellsOf = (table: CatalogueTable, row: RowDelivery): readonly Cell[] | string => {
  const errors: string[] = [];
  const cells = entriesOf(row).flatMap(([name, value]) => {
    const column = table.columns.find((each) => each.name === name);
    const error = column && unsendable(column.form, value);
    if (column === undefined) errors.push(`There is no column "${name}" in ${row.entity}.`);
    else if (error) errors.push(`Column "${name}": the value ${error}.`);
    return column === undefined ? [] : [{ name, dataType: column.dataType, value: encode(column.form, value) }];
  });
  return errors.length === 0 ? cells : errors.join(' ');
};

/**
 * Every value is a parameter, which the server reads as the type of the column it stands for; nothing is cast, because a cast
 * to `varchar(3)` would silently cut a longer text, which an assignment refuses.
 */
const statements = (table: CatalogueTable, cells: readonly Cell[]) => {
  const target = `${escapeIdentifier(table.schema)}.${escapeIdentifier(table.name)}`;
  const names = cells.map(({ name }) => escapeIdentifier(name));
  return {
    look: `select 1 from ${target} where ${names[0]} = $1 limit 1`,
    insert: `insert into ${target} (${names.join(', ')}) values (${cells.map((_, index) => `$${index + 1}`).join(', ')})`,
  };
};

/** Portico's own space among the advisory locks of the system: one lock a document. */
const LOCK_SPACE = 7004;

const lock = (query: Query, { documentId }: RowDelivery) =>
  query('select pg_advisory_xact_lock(hashtextextended($1, $2))', [documentId, LOCK_SPACE]);

const write = async (
  query: Query,
  row: RowDelivery,
  sent: (cells: readonly Cell[]) => void,
): Promise<RehearsedDelivery> => {
  await lock(query, row);
  const table = await findTable(query, row.entity);
  if (typeof table === 'string') return rejected(table);
  const cells = cellsOf(table, row);
  if (typeof cells === 'string') return rejected(cells);
  sent(cells);
  const { look, insert } = statements(table, cells);
  const found = await query(look, [cells[0]?.value]);
  if (found.length > 0) return { would: 'already_there', reason: null };
  await query(
    insert,
    cells.map(({ value }) => value),
  );
  return { would: 'insert', reason: null };
};

/** What would only be found at the commit is found by this. */
const checkDeferred = (query: Query) => query('set constraints all immediate');

/** The lock of the document is free once the transaction that may have written the row is over. */
const find = async (query: Query, row: RowDelivery): Promise<Finding> => {
  await lock(query, row);
  const table = await findTable(query, row.entity);
  const cells = typeof table === 'string' ? table : cellsOf(table, { ...row, values: {} });
  if (typeof table === 'string' || typeof cells === 'string') return 'unclear';
  const found = await query(statements(table, cells).look, [cells[0]?.value]);
  return found.length > 0 ? 'written' : 'not written';
};

/** Runs `write` by way of `transact`; a row that the database refuses is a result too. */
const attempt = async (
  row: RowDelivery,
  transact: (work: (query: Query) => Promise<RehearsedDelivery>) => Promise<RehearsedDelivery>,
): Promise<RehearsedDelivery> => {
  let columns: readonly Cell[] = [];
  const sent = (cells: readonly Cell[]) => {
    columns = cells;
  };
  try {
    return await transact((query) => write(query, row, sent));
  } catch (error) {
    if (isRejection(error)) return rejected(rejectionReason(error, columns));
    throw error;
  }
};

/** Delivers into a table, exactly once. */
export const deliverRow = async (
  pool: pg.Pool,
  connection: Connection,
  row: RowDelivery,
  bounds: Bounds,
): Promise<DeliveryResult> => {
  const delivered = await attempt(row, (work) =>
    delivering({
      connection,
      timeoutSeconds: bounds.timeoutSeconds,
      work: () => inTransaction(pool, bounds, work),
      look: (lookBounds, found) => inTransaction(pool, lookBounds, async (query) => found(await find(query, row))),
    }),
  );
  return deliveryResult(delivered, row);
};

export const rehearseRow = (pool: pg.Pool, row: RowDelivery, bounds: Bounds): Promise<RehearsedDelivery> =>
  attempt(row, (work) =>
    rolledBack(pool, bounds, async (query) => {
      const found = await work(query);
      await checkDeferred(query);
      return found;
    }),
  );
