import type {
  Connector,
  QueryBounds,
  RecordsQuery,
  RowStream,
  TableQuery,
} from '../../../application/ports/connectors.ts';
import { deadline } from '../../../application/shared/async.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import { tableCache, type Wanted } from '../catalogue.ts';
import { isOutage, mayBeOutdated, queryTooLong, readingTooLong } from '../errors.ts';
import type { ConnectorFamily, ConnectorSettings, Purpose, Slots } from '../settings.ts';
import type { Statement } from '../sql/dialect.ts';
import { recordsStatement, rowsStatement } from '../sql/pages.ts';
import { type Bounded, sqlWrites } from '../sql/writes.ts';
import { type CatalogueTable, loadTable, schemaOf, tablesOf } from './catalogue.ts';
import { postgresql } from './dialect.ts';
import { isLate, isRejection, outageCode, queryError, rejectionReason, unavailable } from './errors.ts';
import { examination } from './examination.ts';
import { queryParser } from './parser.ts';
import { type Pools, postgresPools } from './pools.ts';
import type { Parameter, Query } from './query.ts';
import { look, read } from './reading.ts';
import { hasOtherColumns } from './rows/rows.ts';
import { transactionsOf } from './transaction.ts';

type Translate = (error: unknown) => unknown;

/** Also ends locks and values of the session, which a rollback leaves. */
const discardAll = ['rollback', 'discard all'];

interface Shared {
  readonly pools: Pools;
  readonly catalogue: ReturnType<typeof tableCache<CatalogueTable, Query>>;
  readonly parser: ReturnType<typeof queryParser>;
}

const connector = (
  settings: ConnectorSettings,
  { pools, catalogue, parser }: Shared,
  connection: Connection,
  slots: Slots,
): Connector => {
  const { log, timeoutSeconds } = settings;

  /** An error of the caller gets the text of `explain`, an outage one without its address; a defect stays what it is. */
  const translated =
    (explain: (error: unknown) => string | null): Translate =>
    (error) => {
      if (error instanceof DomainError || hasOtherColumns(error)) return error;
      const explained = explain(error);
      if (explained !== null) return new DomainError('invalid', explained);
      if (!isOutage(error)) return error;
      log.warn({ connection_id: connection.id, code: outageCode(error) }, 'connection unavailable');
      return unavailable(connection, error);
    };

  /** For reads: a system that stops a statement by its own clock is not an outage. */
  const translatedRead = (explain: (error: unknown) => string | null): Translate => {
    const translate = translated(explain);
    return (error) => (isLate(error) ? readingTooLong(connection.name, timeoutSeconds) : translate(error));
  };

  const unanswered = () => unavailable(connection, new DOMException('The time is up.', 'TimeoutError'));

  const take = async (purpose: Purpose, explain: Translate, signal: AbortSignal) => {
    try {
      return await slots.take(purpose, signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : explain(error);
    }
  };

  /** What a transaction needs, once it has a slot; `check` may refuse it before. */
  const lease = async <T>(purpose: Purpose, explain: Translate, signal: AbortSignal, check: () => Promise<T>) => {
    signal.throwIfAborted();
    const { resource, release } = pools.lease(connection);
    try {
      const checked = await check();
      const { works, end } = await take(purpose, explain, signal);
      const done = () => {
        release();
        end();
      };
      const clocks = { openSeconds: timeoutSeconds, notOpened: unanswered, timeoutSeconds, tooLate: unanswered };
      return { ...resource, ...clocks, explain, works, done, restore: ['rollback'], checked };
    } catch (error) {
      release();
      throw error;
    }
  };

  const leaseForWork = (explain: Translate, signal: AbortSignal) => lease('work', explain, signal, async () => {});

  const lookUp = async <T>(work: (query: Query) => Promise<T>, signal: AbortSignal): Promise<T> => {
    const explain = translatedRead(postgresql.rejection);
    return look(await leaseForWork(explain, signal), work, signal);
  };

  /** If an outdated catalogue may be why a read failed, the table is looked up again, once. */
  const select = async (
    wanted: Wanted,
    build: (table: CatalogueTable) => Statement<Parameter>,
    maxRows: number,
    signal: AbortSignal,
  ) => {
    const attempt = async (): Promise<RowStream> => {
      let parameters: readonly Parameter[] = [];
      const cached = catalogue.has(connection, wanted);
      const explain = translatedRead((error) => (isRejection(error) ? rejectionReason(error, parameters) : null));
      const leased = await leaseForWork(explain, signal);
      const statement = async (query: Query) => {
        const { text, parameters: asked } = build(await catalogue.find(connection, wanted, query));
        parameters = asked;
        return { text, values: asked.map(({ value }) => value as string | Buffer) };
      };
      try {
        return await read({ ...leased, statement, caps: { maxRows, maxBytes: Number.POSITIVE_INFINITY } }, signal);
      } catch (error) {
        if (!hasOtherColumns(error) && !(cached && mayBeOutdated(error))) throw error;
        catalogue.invalidate(connection, wanted);
        return attempt();
      }
    };
    return attempt();
  };

  /** Writes and deliveries: in a slot, within their time, their errors as the caller gets them. */
  const bounded: Bounded<Parameter> = async (signal, work) => {
    const explain = translated(postgresql.rejection);
    const { pool, works, done } = await leaseForWork(explain, signal);
    works(true);
    try {
      const bounds = { signal: AbortSignal.any([signal, deadline(timeoutSeconds)]), timeoutSeconds };
      return await work(transactionsOf(pool), bounds);
    } catch (error) {
      throw signal.aborted && error === signal.reason ? error : explain(error);
    } finally {
      done();
    }
  };

  return {
    tables: (signal) => lookUp(tablesOf, signal),
    schema: (schemas, signal) => lookUp((query) => schemaOf(query, schemas), signal),
    records: (query: RecordsQuery, signal) =>
      select(query.entity, (table) => recordsStatement(postgresql, table, query), query.limit, signal),
    rows: (query: TableQuery, signal) =>
      select(
        { schema: query.schema, name: query.name },
        (table) => rowsStatement(postgresql, table, query),
        query.limit,
        signal,
      ),

    async query(text: string, { timeoutSeconds: seconds, schemas, ...caps }: QueryBounds, signal) {
      const own = translated((error) => queryError(error, text));
      const explain: Translate = (error) => (isLate(error) ? queryTooLong(seconds) : own(error));
      const clock = { timeoutSeconds: seconds, tooLate: () => queryTooLong(seconds) };
      const attempt = async (): Promise<RowStream> => {
        const { checked: names, ...leased } = await lease('query', explain, signal, () => parser.namesIn(text));
        const statement = async (query: Query) => {
          await leased.guard(names, schemas, query);
          return { text, values: [] };
        };
        const reading = { ...leased, ...clock, pool: leased.queryPool, statement, caps, restore: discardAll };
        return read(reading, signal).catch((error: unknown) => {
          if (hasOtherColumns(error)) return attempt();
          throw error;
        });
      };
      return attempt();
    },

    ...sqlWrites(postgresql, connection, bounded),
    examine: (signal, isWritten = false) => examination(settings, connection, isWritten, signal),
  };
};

/** Connectors of type `postgresql`: PostgreSQL, and what speaks as it does. */
export const postgresqlConnector = (settings: ConnectorSettings): ConnectorFamily => {
  const shared = { pools: postgresPools(settings), catalogue: tableCache(loadTable), parser: queryParser() };
  const open = (connection: Connection, slots: Slots) => connector(settings, shared, connection, slots);
  return Object.assign(open, {
    close: async () => void (await Promise.all([shared.pools.close(), shared.parser.close()])),
  });
};
