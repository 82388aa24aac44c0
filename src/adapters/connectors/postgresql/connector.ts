import path from 'node:path';
import type { Connector, QueryBounds, RowStream } from '../../../application/ports/connectors.ts';
import { deadline } from '../../../application/shared/async.ts';
import type { Connection } from '../../../domain/connection.ts';
import { tableCache } from '../catalogue.ts';
import { queryTooLong, readingTooLong, translator, unavailable } from '../errors.ts';
import { queryParser } from '../query-parser.ts';
import type { ConnectorFamily, ConnectorSettings, Purpose, Slots } from '../settings.ts';
import { sqlReads, type TableReading } from '../sql/reads.ts';
import { type Bounded, sqlWrites } from '../sql/writes.ts';
import { type CatalogueColumn, type CatalogueTable, loadTable, schemaOf, tablesOf } from './catalogue.ts';
import { postgresql } from './dialect.ts';
import { isLate, isRejection, outage, outageCode, queryError, rejectionReason } from './errors.ts';
import { examination } from './examination.ts';
import { type Pools, postgresPools } from './pools.ts';
import type { Parameter, Query } from './query.ts';
import type { UsedName } from './query-tree.ts';
import { look, read } from './reading.ts';
import { hasOtherColumns } from './rows/rows.ts';
import { transactionsOf } from './transaction.ts';

type Translate = (error: unknown) => unknown;

/** Also ends locks and values of the session, which a rollback leaves. */
const discardAll = ['rollback', 'discard all'];

interface Shared {
  readonly pools: Pools;
  readonly catalogue: ReturnType<typeof tableCache<CatalogueTable, Query>>;
  readonly parser: ReturnType<typeof queryParser<UsedName>>;
}

const connector = (
  settings: ConnectorSettings,
  { pools, catalogue, parser }: Shared,
  connection: Connection,
  slots: Slots,
): Connector => {
  const { log, timeoutSeconds } = settings;

  const translate = translator({ log, connection, outageCode, outage });
  const translated = (explain: (error: unknown) => string | null): Translate => {
    const explained = translate(explain);
    return (error) => (hasOtherColumns(error) ? error : explained(error));
  };

  /** For reads: a system that stops a statement by its own clock is not an outage. */
  const translatedRead = (explain: (error: unknown) => string | null): Translate => {
    const explained = translated(explain);
    return (error) => (isLate(error) ? readingTooLong(connection.name, timeoutSeconds) : explained(error));
  };

  const unanswered = () => unavailable(connection, 'did not answer in time');

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
      return {
        ...resource,
        openSeconds: timeoutSeconds,
        notOpened: unanswered,
        timeoutSeconds,
        tooLate: unanswered,
        explain,
        works,
        done,
        restore: ['rollback'],
        checked,
      };
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

  const readTable = async (
    { maxRows, table, statement }: TableReading<CatalogueColumn, Parameter, Query>,
    signal: AbortSignal,
  ) => {
    let sent: readonly Parameter[] = [];
    const explain = translatedRead((error) => (isRejection(error) ? rejectionReason(error, sent) : null));
    const leased = await leaseForWork(explain, signal);
    const built = async (query: Query) => {
      const { text, parameters } = statement(await table(query));
      sent = parameters;
      return { text, values: parameters.map(({ value }) => value as string | Buffer) };
    };
    return read({ ...leased, statement: built, caps: { maxRows, maxBytes: Number.POSITIVE_INFINITY } }, signal);
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
    ...sqlReads({ dialect: postgresql, connection, catalogue, read: readTable, isOutdated: hasOtherColumns }),

    async query(text: string, { timeoutSeconds: seconds, schemas, ...caps }: QueryBounds, signal) {
      const explainQuery = translated((error) => queryError(error, text));
      const explain: Translate = (error) => (isLate(error) ? queryTooLong(seconds) : explainQuery(error));
      const attempt = async (): Promise<RowStream> => {
        const { checked: names, ...leased } = await lease('query', explain, signal, () => parser.namesIn(text));
        const statement = async (query: Query) => {
          await leased.guard(names, schemas, query);
          return { text, values: [] };
        };
        const reading = {
          ...leased,
          timeoutSeconds: seconds,
          tooLate: () => queryTooLong(seconds),
          pool: leased.queryPool,
          statement,
          caps,
          restore: discardAll,
        };
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

const parserProgram = new URL(`./parser-worker${path.extname(import.meta.url)}`, import.meta.url);

/** Connectors of type `postgresql`: PostgreSQL, and what speaks as it does. */
export const postgresqlConnector = (settings: ConnectorSettings): ConnectorFamily => {
  const shared = {
    pools: postgresPools(settings),
    catalogue: tableCache(loadTable),
    parser: queryParser<UsedName>(parserProgram),
  };
  const open = (connection: Connection, slots: Slots) => connector(settings, shared, connection, slots);
  return Object.assign(open, {
    close: async () => void (await Promise.all([shared.pools.close(), shared.parser.close()])),
  });
};
