import path from 'node:path';
import type { Connector, QueryBounds, RowStream } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import { tableCache } from '../catalogue.ts';
import { outside, queryTooLong, readingTooLong, translator, unavailable } from '../errors.ts';
import { queryParser } from '../query-parser.ts';
import type { ConnectorFamily, ConnectorSettings, Purpose, Slots } from '../settings.ts';
import { sqlReads } from '../sql/reads.ts';
import { type Bounded, sqlWrites } from '../sql/writes.ts';
import { stopper } from '../stopper.ts';
import { type CatalogueColumn, type CatalogueTable, loadTable, schemaOf, tablesOf } from './catalogue.ts';
import { mysql } from './dialect.ts';
import { isLate, outage, outageCode, rejectionOf } from './errors.ts';
import { examination } from './examination.ts';
import { withoutComments } from './query-text.ts';
import type { UsedRelation } from './query-tree.ts';
import { streamRows } from './rows.ts';
import {
  type Ending,
  endSession,
  mysqlPools,
  type Open,
  openSession,
  type Pools,
  type Run,
  runIn,
  type Session,
  type Statement,
  type Value,
} from './session.ts';
import { transactionsIn } from './transaction.ts';

interface Shared {
  readonly settings: ConnectorSettings;
  readonly pools: Pools;
  readonly catalogue: ReturnType<typeof tableCache<CatalogueTable, Run>>;
  readonly parser: ReturnType<typeof queryParser<UsedRelation>>;
}

interface Work {
  readonly purpose: Purpose;
  readonly seconds: number;
  /** What the caller gets when the time is up. */
  readonly tooLate: () => DomainError;
  readonly signal: AbortSignal;
  /** May refuse the work before it has a session. */
  readonly check?: (open: Open) => Promise<void>;
}

/** A session with its slot and its clock, which end together. */
interface Leased {
  readonly session: Session;
  readonly signal: AbortSignal;
  end(ending: Ending): void;
}

/** Refuses a query that reads relations outside of these schemas. Views go on with the rights of the login. */
const mustStayWithin = (
  schemas: readonly string[],
  { address: { database } }: Open,
  relations: readonly UsedRelation[],
) => {
  const foreign = relations.find(({ schema }) => !schemas.includes(schema ?? database ?? ''));
  if (foreign) throw outside({ ...foreign, schema: foreign.schema ?? database }, schemas);
};

const connector = ({ settings, pools, catalogue, parser }: Shared, connection: Connection, slots: Slots): Connector => {
  const { log, timeoutSeconds } = settings;

  const explain = translator({ log, connection, outageCode, outage })(rejectionOf);
  const unanswered = () => unavailable(connection, 'did not answer in time');
  const tooSlow = () => readingTooLong(connection.name, timeoutSeconds);

  /** A slot, which `done` ends; `check` may refuse the work before. */
  const take = async (purpose: Purpose, signal: AbortSignal, check?: Work['check']) => {
    signal.throwIfAborted();
    const { resource: open, release } = pools.lease(connection);
    try {
      await check?.(open);
      const { works, end } = await slots.take(purpose, signal).catch((error: unknown) => {
        throw signal.aborted ? signal.reason : explain(error);
      });
      const done = () => {
        release();
        end();
      };
      return { open, works, done };
    } catch (error) {
      release();
      throw error;
    }
  };

  const lease = async ({ purpose, seconds, tooLate, signal, check }: Work): Promise<Leased> => {
    const { open, works, done } = await take(purpose, signal, check);
    const stop = stopper(signal);
    stop.setClock(timeoutSeconds * 1000, unanswered);
    try {
      const session = await openSession(open, open[purpose], seconds, stop.signal);
      works(true);
      stop.setClock(seconds * 1000, tooLate);
      const end = (ending: Ending) => {
        works(false);
        stop.clear();
        void endSession(open, session, ending).finally(done);
      };
      return { session, signal: stop.signal, end };
    } catch (error) {
      stop.clear();
      done();
      throw stop.signal.aborted ? stop.signal.reason : explain(error);
    }
  };

  /** What the server stops by its own clock, or for a lock, took too long as well. */
  const explainRead = (tooLate: () => DomainError) => (error: unknown) => (isLate(error) ? tooLate() : explain(error));

  const lookUp = async <T>(work: (run: Run) => Promise<T>, signal: AbortSignal): Promise<T> => {
    const leased = await lease({ purpose: 'work', seconds: timeoutSeconds, tooLate: tooSlow, signal });
    try {
      const answer = await work(runIn(leased.session, leased.signal));
      leased.end('clean');
      return answer;
    } catch (error) {
      leased.end('running');
      throw leased.signal.aborted ? leased.signal.reason : explainRead(tooSlow)(error);
    }
  };

  interface Read extends Work {
    readonly maxRows: number;
    readonly maxBytes: number;
    /** Builds the statement, with look-ups in the same session. */
    statement(run: Run): Promise<Statement>;
  }

  const read = async ({ maxRows, maxBytes, statement, ...work }: Read): Promise<RowStream> => {
    const leased = await lease(work);
    const { session, signal } = leased;
    const explained = explainRead(work.tooLate);
    const built = await statement(runIn(session, signal)).catch((error: unknown) => {
      leased.end(error instanceof DomainError && !signal.aborted ? 'clean' : 'running');
      throw signal.aborted ? signal.reason : explained(error);
    });
    const finish = (ending: Ending) => leased.end(ending === 'clean' && work.purpose === 'query' ? 'used' : ending);
    return streamRows({ session, statement: built, maxRows, maxBytes, signal, explain: explained, finish });
  };

  const reads = sqlReads<CatalogueColumn, Value, Run>({
    dialect: mysql,
    connection,
    catalogue,
    read: ({ maxRows, table, statement }, signal) =>
      read({
        purpose: 'work',
        seconds: timeoutSeconds,
        tooLate: tooSlow,
        signal,
        maxRows,
        maxBytes: Number.POSITIVE_INFINITY,
        statement: async (run) => statement(await table(run)),
      }),
  });

  /** Writes and deliveries: in a slot, within their time, their errors as the caller gets them. */
  const bounded: Bounded<Value> = async (signal, work) => {
    const { open, works, done } = await take('work', signal);
    works(true);
    const stop = stopper(signal);
    stop.setClock(timeoutSeconds * 1000, unanswered);
    try {
      return await work(transactionsIn(open), { signal: stop.signal, timeoutSeconds });
    } catch (error) {
      throw signal.aborted && error === signal.reason ? error : explain(error);
    } finally {
      stop.clear();
      done();
    }
  };

  return {
    tables: (signal) => lookUp(tablesOf, signal),
    schema: (schemas, signal) => lookUp((run) => schemaOf(run, schemas), signal),
    ...reads,
    async query(text: string, { timeoutSeconds: seconds, schemas, ...caps }: QueryBounds, signal) {
      signal.throwIfAborted();
      const examined = withoutComments(text);
      const check = async (open: Open) => {
        const relations = await parser.namesIn(examined);
        if (schemas !== null) mustStayWithin(schemas, open, relations);
      };
      const tooLate = () => queryTooLong(seconds);
      const statement = async () => ({ text: examined, parameters: [] });
      return read({ purpose: 'query', seconds, tooLate, signal, check, ...caps, statement });
    },
    ...sqlWrites(mysql, connection, bounded),
    examine: (signal, isWritten = false) => examination(settings, connection, isWritten, signal),
  };
};

const parserProgram = new URL(`./parser-worker${path.extname(import.meta.url)}`, import.meta.url);

/** Connectors of type `mysql`: MySQL 5.7 and later, MariaDB 10.4 and later. */
export const mysqlConnector = (settings: ConnectorSettings): ConnectorFamily => {
  const shared: Shared = {
    settings,
    pools: mysqlPools(settings),
    catalogue: tableCache(loadTable),
    parser: queryParser<UsedRelation>(parserProgram),
  };
  const open = (connection: Connection, slots: Slots) => connector(shared, connection, slots);
  return Object.assign(open, {
    close: async () => void (await Promise.all([shared.pools.close(), shared.parser.close()])),
  });
};
