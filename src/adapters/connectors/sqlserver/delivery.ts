import type { DeliveryResult, RehearsedDelivery, RowDelivery } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import { delivering, deliveryResult, entriesOf, rejected } from '../delivery.ts';
import type { Finding } from '../unanswered.ts';
import type { CatalogueTable } from './catalogue.ts';
import { assignmentsOf, binder, columnNamed, comparedWith } from './cells.ts';
import { fromTable } from './column-sql.ts';
import { compare } from './conditions.ts';
import { reasonOf, rejectionOf } from './errors.ts';
import type { Pools } from './pools.ts';
import { intParameter, lockMilliseconds, type Row, type Run, textParameter } from './session.ts';
import { type Bounds, inTransaction } from './transaction.ts';
import { insertRow, tableFor } from './writer.ts';

/** One lock for each document until the transaction ends, whichever table it goes to. */
const LOCK = `declare @portico_lock int;
exec @portico_lock = sp_getapplock @Resource = @p0, @LockMode = N'Exclusive', @LockOwner = N'Transaction', @LockTimeout = @p1;
select @portico_lock as answer`;

const lock = async (documentId: string, milliseconds: number, query: Run) => {
  const parameters = [textParameter(`portico:${documentId}`), intParameter(milliseconds)];
  const [row] = await query<Row & { readonly answer: number }>({ text: LOCK, parameters });
  if ((row?.answer ?? -1) < 0)
    throw Object.assign(new Error('The lock of the document was not granted.'), { code: 'ETIMEOUT' });
};

const isThere = async (row: RowDelivery, query: Run, table: CatalogueTable): Promise<boolean> => {
  const column = columnNamed(table, row.documentIdColumn);
  const values = binder();
  const condition = compare(column, 'eq', comparedWith(column, row.documentId), values);
  const text = `select top (1) 1 as found from ${fromTable(table)} where ${condition}`;
  return (await query({ text, parameters: values.parameters })).length > 0;
};

const write = async (row: RowDelivery, { timeoutSeconds }: Bounds, query: Run): Promise<RehearsedDelivery> => {
  await lock(row.documentId, lockMilliseconds(timeoutSeconds), query);
  const table = await tableFor(row.entity, query);
  const assignments = assignmentsOf(table, entriesOf(row));
  if (await isThere(row, query, table)) return { would: 'already_there', reason: null };
  await insertRow(table, assignments, query);
  return { would: 'insert', reason: null };
};

/** The lock of the document is free once the transaction that may have written the row is over. */
const find = async (row: RowDelivery, { timeoutSeconds }: Bounds, query: Run): Promise<Finding> => {
  await lock(row.documentId, lockMilliseconds(timeoutSeconds), query);
  return (await isThere(row, query, await tableFor(row.entity, query))) ? 'written' : 'not written';
};

/** A row that the server refuses is a result too. */
const attempt = async (work: () => Promise<RehearsedDelivery>): Promise<RehearsedDelivery> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid') return rejected(error.message);
    const rejection = rejectionOf(error);
    if (rejection) return rejected(reasonOf(rejection));
    throw error;
  }
};

/** Delivers into a table, exactly once. */
export const deliverRow = async (
  pools: Pools,
  connection: Connection,
  row: RowDelivery,
  bounds: Bounds,
): Promise<DeliveryResult> => {
  const delivered = await attempt(() =>
    delivering({
      connection,
      timeoutSeconds: bounds.timeoutSeconds,
      work: () => inTransaction(pools, connection, bounds, (query) => write(row, bounds, query)),
      look: (lookBounds, found) =>
        inTransaction(pools, connection, lookBounds, async (query) => found(await find(row, lookBounds, query))),
    }),
  );
  return deliveryResult(delivered, row);
};

export const rehearseRow = (
  pools: Pools,
  connection: Connection,
  row: RowDelivery,
  bounds: Bounds,
): Promise<RehearsedDelivery> =>
  attempt(() => inTransaction(pools, connection, { ...bounds, rehearsal: true }, (query) => write(row, bounds, query)));
