import type { Connector, QueryBounds, RecordsQuery, RowStream, TableQuery } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import { isOutage, mayBeOutdated, queryTooLong, readingTooLong } from '../errors.ts';
import type { ConnectorFamily, ConnectorSettings, Purpose, Slots } from '../settings.ts';
import { type CatalogueTable, schemaOf, tablesOf, type Wanted } from './catalogue.ts';
import type { Query } from './columns.ts';
import { postgresqlDelivery } from './delivery.ts';
import { isLate, outageCode, queryError, unavailable } from './errors.ts';
import { examination } from './examination.ts';
import { type QueryParser, queryParser } from './parser.ts';
import { type Pools, postgresPools } from './pools.ts';
import { look, read } from './reading.ts';
import { mustStayWithin } from './schema-bounds.ts';
import { type Statement, selectRecords, selectRows } from './statements.ts';
import { readError } from './values.ts';
import { DescriptionChanged } from './wire.ts';

type Translate = (error: unknown) => unknown;

/** Everything that holds locks or values for the session, which a rollback leaves. */
const forgetAll = ['rollback', 'discard all'];

interface Shared {
  readonly pools: Pools;
  readonly parser: QueryParser;
}

const connector = (settings: ConnectorSettings, { pools, parser }: Shared, connection: Connection, slots: Slots): Connector => {
  const { log, timeoutSeconds } = settings;

  /** An error of the caller is answered in the words of `explain`; an outage without its address; a defect stays what it is. */
  const translated =
    (explain: (error: unknown) => string | null): Translate =>
    (error) => {
      if (error instanceof DomainError || error instanceof DescriptionChanged) return error;
      const explained = explain(error);
      if (explained !== null) return new DomainError('invalid', explained);
      if (!isOutage(error)) return error;
      log.warn({ connection_id: connection.id, code: outageCode(error) }, 'A connection was unavailable.');
      return unavailable(connection, error);
    };

  /** Of what is read: a system that takes too long, but says so itself, is not out of order. */
  const translatedRead = (explain: (error: unknown) => string | null): Translate => {
    const translate = translated(explain);
    return (error) => (isLate(error) ? readingTooLong(connection.name, timeoutSeconds) : translate(error));
  };

  const unanswered = () => unavailable(connection, new DOMException('The time is up.', 'TimeoutError'));

  const take = async (purpose: Purpose, told: Translate, signal: AbortSignal) => {
    try {
      return await slots.take(purpose, signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : told(error);
    }
  };

  /** Lends what a visit needs once its turn has come; `first` is what may refuse it before. */
  const lend = async <T>(purpose: Purpose, told: Translate, signal: AbortSignal, first: () => Promise<T>) => {
    signal.throwIfAborted();
    const { giveBack, ...lent } = pools.lend(connection);
    try {
      const found = await first();
      const { works, end } = await take(purpose, told, signal);
      const done = () => {
        giveBack();
        end();
      };
      const clocks = { openSeconds: timeoutSeconds, notOpened: unanswered, timeoutSeconds, tooLate: unanswered };
      return { ...lent, ...clocks, told, works, done, restore: ['rollback'], found };
    } catch (error) {
      giveBack();
      throw error;
    }
  };

  const lendForWork = (told: Translate, signal: AbortSignal) => lend('work', told, signal, async () => {});

  const lookUp = async <T>(work: (query: Query) => Promise<T>, signal: AbortSignal): Promise<T> => {
    const told = translatedRead((error) => readError(error, []));
    return look(await lendForWork(told, signal), work, signal);
  };

  /** What was known of the table may be out of date: where that may be why it failed, it is looked up anew, once. */
  const select = async (wanted: Wanted, build: (table: CatalogueTable) => Statement, maxRows: number, signal: AbortSignal) => {
    const attempt = async (again: boolean): Promise<RowStream> => {
      let meant: Statement['meant'] = [];
      const told = translatedRead((error) => readError(error, meant));
      const lent = await lendForWork(told, signal);
      if (again) lent.catalogue.forget(wanted);
      const known = lent.catalogue.knows(wanted);
      const statement = async (query: Query) => {
        const built = build(await lent.catalogue.find(wanted, query));
        meant = built.meant;
        return built;
      };
      try {
        return await read({ ...lent, statement, caps: { maxRows, maxBytes: Number.POSITIVE_INFINITY } }, signal);
      } catch (error) {
        if (error instanceof DescriptionChanged) return attempt(true);
        if (known && mayBeOutdated(error)) return attempt(true);
        throw error;
      }
    };
    return attempt(false);
  };

  return {
    tables: (signal) => lookUp(tablesOf, signal),
    schema: (schemas, signal) => lookUp((query) => schemaOf(query, schemas), signal),
    records: (query: RecordsQuery, signal) => select(query.entity, (table) => selectRecords(table, query), query.limit, signal),
    rows: (query: TableQuery, signal) =>
      select({ schema: query.schema, name: query.name }, (table) => selectRows(table, query), query.limit, signal),

    async query(text: string, { timeoutSeconds: seconds, schemas, ...caps }: QueryBounds, signal) {
      const own = translated((error) => queryError(error, text));
      const told: Translate = (error) => (isLate(error) ? queryTooLong(seconds) : own(error));
      const clock = { timeoutSeconds: seconds, tooLate: () => queryTooLong(seconds) };
      const attempt = async (): Promise<RowStream> => {
        const lent = await lend('query', told, signal, () => parser.namesIn(text));
        const statement = async (query: Query) => {
          if (schemas !== null) await mustStayWithin(schemas, lent.found, query);
          await lent.guard(lent.found, query);
          return { text, values: [] };
        };
        const reading = { ...lent, ...clock, pool: lent.queryPool, statement, caps, restore: forgetAll };
        return read(reading, signal).catch((error: unknown) => {
          if (error instanceof DescriptionChanged) return attempt();
          throw error;
        });
      };
      return attempt();
    },

    async deliver(row, signal) {
      signal.throwIfAborted();
      const { works, end } = await take(
        'work',
        translated(() => null),
        signal,
      );
      works(true);
      return postgresqlDelivery({ pools, log, timeoutSeconds })(connection, row, signal).finally(end);
    },
    examine: (signal) => examination(settings, connection, signal),
  };
};

/** Connectors of type `postgresql`: reads, queries and deliveries; nothing else is written. */
export const postgresqlConnector = (settings: ConnectorSettings): ConnectorFamily => {
  const shared = { pools: postgresPools(settings), parser: queryParser() };
  const open = (connection: Connection, slots: Slots) => connector(settings, shared, connection, slots);
  return Object.assign(open, { close: async () => void (await Promise.all([shared.pools.close(), shared.parser.close()])) });
};
