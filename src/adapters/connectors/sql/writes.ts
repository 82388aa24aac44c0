import type { Connector } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import type { Bounds } from '../unanswered.ts';
import { deliverRow, rehearseRow } from './delivery.ts';
import type { Dialect, SqlColumn, Transactions } from './dialect.ts';
import { rehearseWrite, rowWriter, writeRow } from './writer.ts';

/** Does the work in a slot, within its time; its errors are as the caller gets them. */
export type Bounded<P> = <T>(
  signal: AbortSignal,
  work: (transactions: Transactions<P>, bounds: Bounds) => Promise<T>,
) => Promise<T>;

/** Everything of a connector that writes. */
export const sqlWrites = <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  connection: Connection,
  bounded: Bounded<P>,
): Required<Pick<Connector, 'writer' | 'rehearsal' | 'deliver' | 'rehearse'>> => ({
  writer: rowWriter(dialect, (write, signal) =>
    bounded(signal, (transactions, bounds) => writeRow(dialect, connection, transactions, write, bounds)),
  ),
  rehearsal: rowWriter(dialect, (write, signal) =>
    bounded(signal, ({ rolledBack }, bounds) => rehearseWrite(dialect, rolledBack, write, bounds)),
  ),
  deliver: (row, signal) =>
    bounded(signal, (transactions, bounds) => deliverRow(dialect, connection, transactions, row, bounds)),
  rehearse: (row, signal) => bounded(signal, (transactions, bounds) => rehearseRow(dialect, transactions, row, bounds)),
});
