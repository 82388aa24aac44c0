import { DomainError, invalid, notFound } from '../../domain/errors.ts';
import { decodeTableId, encodeTableId } from '../../domain/table-id.ts';
import { type Caller, shareOf } from '../access/caller.ts';
import { type Connectors, type QueryCaps, type RowStream, type Table, type TableDetail, UNKNOWN_TABLE } from '../ports/connectors.ts';
import type { ConnectedDatabase, DatabaseRepository, Window } from '../ports/storage.ts';

interface DatabaseTable extends Table {
  readonly id: string;
}

export interface DatabaseTableDetail extends TableDetail {
  readonly id: string;
}

interface TableRead extends Window {
  readonly orderBy: string | null;
  readonly direction: 'asc' | 'desc';
  /** Counts only together with `orderBy`. */
  readonly incrementalValue: string | null;
}

export interface DatabaseService {
  /** By name. */
  list(caller: Caller): Promise<readonly ConnectedDatabase[]>;
  tables(caller: Caller, id: string, signal: AbortSignal): Promise<readonly DatabaseTable[]>;
  schema(caller: Caller, id: string, signal: AbortSignal): Promise<readonly DatabaseTableDetail[]>;
  rows(caller: Caller, tableId: string, read: TableRead, signal: AbortSignal): Promise<RowStream>;
  query(caller: Caller, databaseId: string, text: string, signal: AbortSignal): Promise<RowStream>;
}

interface Dependencies {
  readonly databases: DatabaseRepository;
  readonly connectors: Connectors;
  readonly caps: QueryCaps;
}

export const databaseService = ({ databases, connectors, caps }: Dependencies): DatabaseService => {
  const visible = async (caller: Caller, id: string) => {
    const database = await databases.findVisible(caller, id);
    if (!database) throw notFound('database');
    return database;
  };

  const open = ({ connection }: ConnectedDatabase, caller: Caller) => connectors.open(connection, shareOf(caller));

  const includes = ({ schemas }: ConnectedDatabase, schema: string) => schemas === null || schemas.includes(schema);

  return {
    list: (caller) => databases.listVisible(caller),

    async tables(caller, id, signal) {
      const database = await visible(caller, id);
      const tables = await open(database, caller).tables(signal);
      return tables
        .filter(({ schema }) => includes(database, schema))
        .map((table) => ({ ...table, id: encodeTableId({ databaseId: id, schema: table.schema, table: table.name }) }));
    },

    async schema(caller, id, signal) {
      const database = await visible(caller, id);
      const tables = await open(database, caller).schema(database.schemas, signal);
      return tables.map((table) => ({ ...table, id: encodeTableId({ databaseId: id, schema: table.schema, table: table.name }) }));
    },

    async rows(caller, tableId, { offset, limit, orderBy, direction, incrementalValue }, signal) {
      const address = decodeTableId(tableId);
      const database = address && (await databases.findVisible(caller, address.databaseId));
      if (!database || !includes(database, address.schema)) throw notFound('table');
      const after = orderBy === null ? null : incrementalValue;
      const { schema, table: name } = address;
      return open(database, caller)
        .rows({ schema, name, offset, limit, orderBy, direction, after }, signal)
        .catch((error: unknown) => {
          throw error instanceof DomainError && error.code === UNKNOWN_TABLE ? notFound('table') : error;
        });
    },

    async query(caller, databaseId, text, signal) {
      if (text.trim() === '') throw invalid({ path: 'query', message: 'must be one SELECT statement, not blank' });
      const database = await visible(caller, databaseId);
      const bounds = { ...caps, schemas: database.schemas };
      return open(database, caller).query(text, bounds, signal);
    },
  };
};
