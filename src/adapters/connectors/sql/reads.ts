import type { Connector, RowStream } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import type { tableCache, Wanted } from '../catalogue.ts';
import { mayBeOutdated } from '../errors.ts';
import type { Dialect, SqlColumn, SqlTable, Statement } from './dialect.ts';
import { recordsStatement, rowsStatement } from './pages.ts';

/** A page of a table; the table is looked up in the session that reads it, by `query`. */
export interface TableReading<C, P, Query> {
  readonly maxRows: number;
  table(query: Query): Promise<SqlTable<C>>;
  statement(table: SqlTable<C>): Statement<P>;
}

interface Reads<C extends SqlColumn, P, Query> {
  readonly dialect: Dialect<C, P>;
  readonly connection: Connection;
  readonly catalogue: ReturnType<typeof tableCache<SqlTable<C>, Query>>;
  read(reading: TableReading<C, P, Query>, signal: AbortSignal): Promise<RowStream>;
  /** Whether a statement that was prepared before is out of date, whatever is remembered of the table. */
  isOutdated?(error: unknown): boolean;
}

/** Records and rows of tables. What is remembered of a table may be out of date: if that may be why it failed, it is looked up anew, once. */
export const sqlReads = <C extends SqlColumn, P, Query>({
  dialect,
  connection,
  catalogue,
  read,
  isOutdated = () => false,
}: Reads<C, P, Query>): Pick<Connector, 'records' | 'rows'> => {
  const select = async (
    wanted: Wanted,
    maxRows: number,
    statement: (table: SqlTable<C>) => Statement<P>,
    signal: AbortSignal,
  ): Promise<RowStream> => {
    const known = catalogue.has(connection, wanted);
    try {
      return await read({ maxRows, statement, table: (query) => catalogue.find(connection, wanted, query) }, signal);
    } catch (error) {
      if (!isOutdated(error) && !(known && mayBeOutdated(error))) throw error;
      catalogue.invalidate(connection, wanted);
      return select(wanted, maxRows, statement, signal);
    }
  };
  return {
    records: (query, signal) =>
      select(query.entity, query.limit, (table) => recordsStatement(dialect, table, query), signal),
    rows: (query, signal) => {
      const { schema, name, limit } = query;
      return select({ schema, name }, limit, (table) => rowsStatement(dialect, table, query), signal);
    },
  };
};
