import type { Connector, QueryBounds, RowStream } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import { tableCache, type Wanted } from '../catalogue.ts';
import { isOutage, mayBeOutdated, queryTimeout, queryTooLong, readingTooLong, refused } from '../errors.ts';
import type { Slot } from '../fair-gate.ts';
import type { ConnectorFamily, ConnectorSettings, Purpose, Slots } from '../settings.ts';
import { recordsStatement, rowsStatement } from '../sql/pages.ts';
import { type Bounded, sqlWrites } from '../sql/writes.ts';
import { type CatalogueTable, detailOf, listTables, loadTable, loadTables } from './catalogue.ts';
import { sqlserver } from './dialect.ts';
import {
  isLocked,
  outage,
  outageCode,
  queryError,
  reasonOf,
  rejectionOf,
  type ServerError,
  TimeUp,
  unavailable,
} from './errors.ts';
import { examination } from './examination.ts';
import { type Pools, sqlserverPools } from './pools.ts';
import { assertReadOnly } from './read-only.ts';
import { look, readQuery, readTable, timed, type Visit } from './reading.ts';
import { mustBeWithin } from './relations.ts';
import type { Parameter, Run, Statement } from './session.ts';
import { transactionsOf } from './transaction.ts';

interface Shared {
  readonly settings: ConnectorSettings;
  readonly pools: Pools;
  readonly catalogue: ReturnType<typeof tableCache<CatalogueTable, Run>>;
}

const connector = ({ settings, pools, catalogue }: Shared, connection: Connection, slots: Slots): Connector => {
  const { log, timeoutSeconds } = settings;
  const transactions = transactionsOf(pools, connection);

  /** The server's own words about what was asked; an outage without its address; a defect stays what it is. */
  const translated =
    (wording: (error: ServerError) => string) =>
    (error: unknown): unknown => {
      if (error instanceof DomainError) return error;
      const rejection = rejectionOf(error);
      if (rejection) return refused(wording(rejection));
      if (!isOutage(error)) return error;
      log.warn({ connection_id: connection.id, code: outageCode(error) }, 'connection unavailable');
      return unavailable(connection, error);
    };
  const explain = translated(reasonOf);

  /** Of what is read: a lock of others, and work that is too much for the time, are no outage. */
  const ofRead =
    (wording: (error: ServerError) => string, isTooMuch: (time: TimeUp) => boolean, tooLong: DomainError) =>
    (error: unknown): unknown => {
      if (error instanceof TimeUp && isTooMuch(error)) return tooLong;
      if (isLocked(error)) return queryTimeout(`The connection "${connection.name}" ${outage(error)}.`);
      return translated(wording)(error);
    };

  const take = async (purpose: Purpose, signal: AbortSignal): Promise<Slot> => {
    signal.throwIfAborted();
    try {
      return await slots.take(purpose, signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : explain(error);
    }
  };

  const explainRead = ofRead(reasonOf, ({ stopped }) => stopped, readingTooLong(connection.name, timeoutSeconds));
  const visit: Visit = { pools, connection, take, seconds: timeoutSeconds, explain: explainRead };

  /** Writes and deliveries: in a slot, within their time, their errors as the caller gets them. */
  const bounded: Bounded<Parameter> = async (signal, work) => {
    const { works, end } = await take('work', signal);
    works(true);
    const stop = timed(signal, timeoutSeconds);
    try {
      return await work(transactions, { signal: stop.signal, timeoutSeconds });
    } catch (error) {
      throw signal.aborted && error === signal.reason ? error : explain(error);
    } finally {
      stop.clear();
      end();
    }
  };

  /** The remembered table may be out of date: if that may be why it failed, it is looked up anew, once. */
  const select = async (
    wanted: Wanted,
    build: (table: CatalogueTable) => Statement,
    maxRows: number,
    signal: AbortSignal,
  ): Promise<RowStream> => {
    const known = catalogue.has(connection, wanted);
    const attempt = () =>
      readTable(
        visit,
        { maxRows, table: (query) => catalogue.find(connection, wanted, query), statement: build },
        signal,
      );
    try {
      return await attempt();
    } catch (error) {
      if (!known || !mayBeOutdated(error)) throw error;
      catalogue.invalidate(connection, wanted);
      return attempt();
    }
  };

  return {
    tables: (signal) => look(visit, listTables, signal),
    schema: async (schemas, signal) => {
      const tables = await look(visit, loadTables, signal);
      return tables.filter(({ schema }) => schemas === null || schemas.includes(schema)).map(detailOf);
    },
    records: (query, signal) =>
      select(query.entity, (table) => recordsStatement(sqlserver, table, query), query.limit, signal),
    rows: (query, signal) =>
      select(
        { schema: query.schema, name: query.name },
        (table) => rowsStatement(sqlserver, table, query),
        query.limit,
        signal,
      ),
    query: async (text, { timeoutSeconds: seconds, maxRows, maxBytes, schemas }: QueryBounds, signal) => {
      signal.throwIfAborted();
      const unqualified = assertReadOnly(text, schemas);
      const check = async (query: Run) => {
        if (schemas !== null && unqualified.length > 0) await mustBeWithin(schemas, unqualified, query);
      };
      return readQuery(
        { ...visit, seconds, explain: ofRead(queryError, () => true, queryTooLong(seconds)) },
        { text, maxRows, maxBytes, check },
        signal,
      );
    },
    ...sqlWrites(sqlserver, connection, bounded),
    examine: (signal, isWritten = false) => examination(settings, connection, isWritten, signal),
  };
};

/** Connectors of type `sqlserver`: SQL Server 2017 and later, and Azure SQL. */
export const sqlserverConnector = (settings: ConnectorSettings): ConnectorFamily => {
  const shared = { settings, pools: sqlserverPools(settings), catalogue: tableCache(loadTable) };
  const open = (connection: Connection, slots: Slots) => connector(shared, connection, slots);
  return Object.assign(open, { close: () => shared.pools.close() });
};
