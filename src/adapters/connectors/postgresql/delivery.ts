import pg from 'pg';
import type { Log } from '../../../application/ports/runtime.ts';
import type { DeliveryResult, RowDelivery, SystemsOfRecord } from '../../../application/ports/system-of-record.ts';
import type { JsonValue } from '../../../domain/json.ts';
import { encode, findTable, type Query, type Table, unsendable } from './columns.ts';
import { isOutage, isRejection, outageCode, rejectionReason, unavailable } from './errors.ts';
import type { Pools } from './pools.ts';
import { inTransaction } from './transaction.ts';

const { escapeIdentifier } = pg;

interface Cell {
  readonly name: string;
  readonly declared: string;
  readonly value: ReturnType<typeof encode>;
}

const rejected = (reason: string): DeliveryResult => ({ outcome: 'rejected', reason });

/** The row's values in the forms of their columns, the document's id first; or every reason why they cannot be sent. */
const cellsOf = (table: Table, row: RowDelivery): readonly Cell[] | string => {
  const entries: readonly [string, JsonValue][] = [
    [row.documentIdColumn, row.documentId],
    ...Object.entries(row.values).filter(([name]) => name !== row.documentIdColumn),
  ];
  const faults: string[] = [];
  const cells = entries.flatMap(([name, value]) => {
    const column = table.columns.get(name);
    const fault = column && unsendable(column.form, value);
    if (column === undefined) faults.push(`There is no column "${name}" in ${row.entity}.`);
    else if (fault) faults.push(`Column "${name}": the value ${fault}.`);
    return column === undefined ? [] : [{ name, declared: column.declared, value: encode(column.form, value) }];
  });
  return faults.length === 0 ? cells : faults.join(' ');
};

/**
 * Every value is a parameter, which the server reads as the type of the column it stands for; nothing is cast, because a cast
 * to `varchar(3)` would cut a longer text in silence where an assignment refuses it.
 */
const statements = (table: Table, cells: readonly Cell[]) => {
  const target = `${escapeIdentifier(table.schema)}.${escapeIdentifier(table.name)}`;
  const names = cells.map(({ name }) => escapeIdentifier(name));
  return {
    look: `select 1 from ${target} where ${names[0]} = $1 limit 1`,
    insert: `insert into ${target} (${names.join(', ')}) values (${cells.map((_, index) => `$${index + 1}`).join(', ')})`,
  };
};

/** Portico's own space among the advisory locks of the system: one lock a document. */
const LOCK_SPACE = 7004;

const write = async (query: Query, row: RowDelivery, sent: (cells: readonly Cell[]) => void): Promise<DeliveryResult> => {
  await query('select pg_advisory_xact_lock(hashtextextended($1, $2))', [row.documentId, LOCK_SPACE]);
  const table = await findTable(query, row.entity);
  if (typeof table === 'string') return rejected(table);
  const cells = cellsOf(table, row);
  if (typeof cells === 'string') return rejected(cells);
  sent(cells);
  const { look, insert } = statements(table, cells);
  const found = await query(look, [cells[0]?.value]);
  if (found.length === 0)
    await query(
      insert,
      cells.map(({ value }) => value),
    );
  return { outcome: 'written', reference: `${row.entity} ${row.documentIdColumn}=${row.documentId}` };
};

interface DeliverySettings {
  readonly pools: Pools;
  readonly log: Log;
  readonly timeoutSeconds: number;
}

/** Delivers into a PostgreSQL table. Where the session is lost during the commit the outcome is unknown: the next delivery looks for the row. */
export const postgresqlDelivery =
  ({ pools, log, timeoutSeconds }: DeliverySettings): SystemsOfRecord['deliver'] =>
  async (connection, row, signal) => {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
    let columns: readonly Cell[] = [];
    const sent = (cells: readonly Cell[]) => {
      columns = cells;
    };
    return pools.use(connection, async ({ pool }) => {
      try {
        return await inTransaction(pool, { signal: bounded, timeoutSeconds }, (query) => write(query, row, sent));
      } catch (error) {
        if (signal.aborted && error === signal.reason) throw error;
        if (isRejection(error)) return rejected(rejectionReason(error, columns));
        if (!isOutage(error)) throw error;
        log.warn({ connection_id: connection.id, code: outageCode(error) }, 'A delivery found its system of record unavailable.');
        throw unavailable(connection, error);
      }
    });
  };
