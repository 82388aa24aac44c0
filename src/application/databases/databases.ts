import type { Caller } from '../../domain/caller.ts';
import { DomainError, invalid, mustExist, notFound } from '../../domain/errors.ts';
import { decodeTableId, encodeTableId } from '../../domain/table-id.ts';
import {
  type Connectors,
  type QueryCaps,
  type TableName,
  type TableQuery,
  UNKNOWN_TABLE,
} from '../ports/connectors.ts';
import type { ConnectedDatabase, DatabaseRepository, Window } from '../ports/storage.ts';

interface TableRead extends Pick<TableQuery, keyof Window | 'orderBy' | 'direction'> {
  /** Counts only together with `orderBy`. */
  readonly incrementalValue: string | null;
}

interface Dependencies {
  readonly databases: DatabaseRepository;
  readonly connectors: Connectors;
  readonly caps: QueryCaps;
}

export const databaseService = ({ databases, connectors, caps }: Dependencies) => {
  const visible = async (caller: Caller, id: string) => mustExist(await databases.findVisible(caller, id), 'database');

  const open = ({ connection }: ConnectedDatabase, caller: Caller) => connectors.open(connection, caller);

  const includes = ({ schemas }: ConnectedDatabase, schema: string) => schemas === null || schemas.includes(schema);

  const withIds = <T extends TableName>(databaseId: string, tables: readonly T[]) =>
    tables.map((table) => ({ ...table, id: encodeTableId({ databaseId, schema: table.schema, table: table.name }) }));

  return {
    /** By name. */
    list: (caller: Caller) => databases.listVisible(caller),

    async tables(caller: Caller, id: string, signal: AbortSignal) {
      const database = await visible(caller, id);
      const tables = await open(database, caller).tables(signal);
      return withIds(
        id,
        tables.filter(({ schema }) => includes(database, schema)),
      );
    },

    async schema(caller: Caller, id: string, signal: AbortSignal) {
      const database = await visible(caller, id);
      return withIds(id, await open(database, caller).schema(database.schemas, signal));
    },

    async rows(caller: Caller, tableId: string, { incrementalValue, ...read }: TableRead, signal: AbortSignal) {
      const address = decodeTableId(tableId);
      const database = address && (await databases.findVisible(caller, address.databaseId));
      if (!database || !includes(database, address.schema)) throw notFound('table');
      const after = read.orderBy === null ? null : incrementalValue;
      const { schema, table: name } = address;
      return open(database, caller)
        .rows({ ...read, schema, name, after }, signal)
        .catch((error: unknown) => {
          throw error instanceof DomainError && error.code === UNKNOWN_TABLE ? notFound('table') : error;
        });
    },

    async query(caller: Caller, databaseId: string, text: string, signal: AbortSignal) {
      if (text.trim() === '') throw invalid({ path: 'query', message: 'must be one SELECT statement, not blank' });
      const database = await visible(caller, databaseId);
      const bounds = { ...caps, schemas: database.schemas };
      return open(database, caller).query(text, bounds, signal);
    },
  };
};

export type DatabaseService = ReturnType<typeof databaseService>;
