import type { Connector, QueryCaps, RecordsQuery, RowStream, TableQuery } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { ConnectorFamily, ConnectorSettings } from '../settings.ts';
import { type CatalogueTable, schemaOf, tablesOf, type Wanted } from './catalogue.ts';
import type { Query } from './columns.ts';
import { postgresqlDelivery } from './delivery.ts';
import { isLate, isOutage, outageCode, queryFault, unavailable } from './errors.ts';
import { examination } from './examination.ts';
import { type QueryParser, queryParser } from './parser.ts';
import { type Pools, postgresPools } from './pools.ts';
import { look, read } from './reading.ts';
import { type Statement, selectRecords, selectRows } from './statements.ts';
import { readFault } from './values.ts';

type Translate = (error: unknown) => unknown;

const late = (seconds: number) =>
  new DomainError('invalid', `The query took longer than ${seconds} second${seconds === 1 ? '' : 's'}.`, { code: 'query_timeout' });

/** Everything that holds locks or values for the session, which a rollback leaves. */
const forgetAll = ['rollback', 'discard all'];

interface Shared {
  readonly pools: Pools;
  readonly parser: QueryParser;
}

const connector = (settings: ConnectorSettings, { pools, parser }: Shared, connection: Connection): Connector => {
  const { log, timeoutSeconds } = settings;

  /** What is the caller's fault is told by `fault`; an outage is told without its address; a defect stays what it is. */
  const translated =
    (fault: (error: unknown) => string | null): Translate =>
    (error) => {
      if (error instanceof DomainError) return error;
      const told = fault(error);
      if (told !== null) return new DomainError('invalid', told);
      if (!isOutage(error)) return error;
      log.warn({ connection_id: connection.id, code: outageCode(error) }, 'A connection was unavailable.');
      return unavailable(connection, error);
    };

  const unanswered = () => unavailable(connection, new DOMException('The time is up.', 'TimeoutError'));

  const lend = (told: Translate) => {
    const { giveBack: done, ...lent } = pools.lend(connection);
    const clocks = { openSeconds: timeoutSeconds, notOpened: unanswered, timeoutSeconds, tooLate: unanswered };
    return { ...lent, ...clocks, told, done, restore: ['rollback'] };
  };

  const lookUp = async <T>(work: (query: Query) => Promise<T>, signal: AbortSignal): Promise<T> => {
    signal.throwIfAborted();
    return look(lend(translated((error) => readFault(error, []))), work, signal);
  };

  /** What was known of the table may be out of date: where that may be why it failed, it is looked up anew, once. */
  const select = async (wanted: Wanted, build: (table: CatalogueTable) => Statement, maxRows: number, signal: AbortSignal) => {
    const attempt = async (again: boolean): Promise<RowStream> => {
      signal.throwIfAborted();
      let meant: Statement['meant'] = [];
      const lent = lend(translated((error) => readFault(error, meant)));
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
        if (known && error instanceof DomainError && error.kind === 'invalid') return attempt(true);
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

    async query(text: string, { timeoutSeconds: seconds, ...caps }: QueryCaps, signal) {
      signal.throwIfAborted();
      const own = translated((error) => queryFault(error, text));
      const lent = lend((error) => (isLate(error) ? late(seconds) : own(error)));
      const names = await parser.namesIn(text).catch((error: unknown) => {
        lent.done();
        throw error;
      });
      const statement = async (query: Query) => {
        await lent.guard(names, query);
        return { text, values: [] };
      };
      const clock = { timeoutSeconds: seconds, tooLate: () => late(seconds) };
      return read({ ...lent, ...clock, pool: lent.queryPool, statement, caps, restore: forgetAll }, signal);
    },

    deliver: (row, signal) => postgresqlDelivery({ pools, log, timeoutSeconds })(connection, row, signal),
    examine: (signal) => examination(settings, connection, signal),
  };
};

/** Connectors of type `postgresql`: reads, queries and deliveries; nothing else is written. */
export const postgresqlConnector = (settings: ConnectorSettings): ConnectorFamily => {
  const shared = { pools: postgresPools(settings), parser: queryParser() };
  const open = (connection: Connection) => connector(settings, shared, connection);
  return Object.assign(open, { close: async () => void (await Promise.all([shared.pools.close(), shared.parser.close()])) });
};
