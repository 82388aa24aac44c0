import type { Connector, QueryBounds } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import type { DomainError } from '../../../domain/errors.ts';
import { tableCache } from '../catalogue.ts';
import { queryTimeout, queryTooLong, readingTooLong, translator } from '../errors.ts';
import type { Slot } from '../fair-gate.ts';
import type { ConnectorFamily, ConnectorSettings, Purpose, Slots } from '../settings.ts';
import { sqlReads } from '../sql/reads.ts';
import { type Bounded, sqlWrites } from '../sql/writes.ts';
import { type CatalogueTable, detailOf, listTables, loadTable, loadTables } from './catalogue.ts';
import { sqlserver } from './dialect.ts';
import { isLocked, outage, outageCode, queryError, TimeUp } from './errors.ts';
import { examination } from './examination.ts';
import { type Pools, sqlserverPools } from './pools.ts';
import { assertReadOnly } from './read-only.ts';
import { look, readQuery, readTable, timed, type Visit } from './reading.ts';
import { mustBeWithin } from './relations.ts';
import type { Parameter, Run } from './session.ts';
import { transactionsOf } from './transaction.ts';

interface Shared {
  readonly settings: ConnectorSettings;
  readonly pools: Pools;
  readonly catalogue: ReturnType<typeof tableCache<CatalogueTable, Run>>;
}

const connector = ({ settings, pools, catalogue }: Shared, connection: Connection, slots: Slots): Connector => {
  const { log, timeoutSeconds } = settings;
  const transactions = transactionsOf(pools, connection);

  const translated = translator({ log, connection, outageCode, outage });
  const explain = translated(sqlserver.rejection);

  /** Of what is read: a lock of others, and work that is too much for the time, are no outage. */
  const ofRead =
    (wording: (error: unknown) => string | null, isTooMuch: (time: TimeUp) => boolean, tooLong: DomainError) =>
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

  const explainRead = ofRead(
    sqlserver.rejection,
    ({ stopped }) => stopped,
    readingTooLong(connection.name, timeoutSeconds),
  );
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

  return {
    tables: (signal) => look(visit, listTables, signal),
    schema: async (schemas, signal) => {
      const tables = await look(visit, loadTables, signal);
      return tables.filter(({ schema }) => schemas === null || schemas.includes(schema)).map(detailOf);
    },
    ...sqlReads({
      dialect: sqlserver,
      connection,
      catalogue,
      read: (reading, signal) => readTable(visit, reading, signal),
    }),
    query: async (text, { timeoutSeconds: seconds, maxRows, maxBytes, schemas }: QueryBounds, signal) => {
      signal.throwIfAborted();
      const unplaced = assertReadOnly(text, schemas);
      const check = async (query: Run) => {
        if (schemas !== null && unplaced.length > 0) await mustBeWithin(schemas, unplaced, query);
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
