import type { Connection } from '../../domain/connection.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { parseFilter } from '../../domain/filter.ts';
import type { JsonNumber } from '../../domain/json-number.ts';
import { type Caller, mustWrite, shareOf } from '../access/caller.ts';
import type { Cell, Connectors, RowStream, RowWriter } from '../ports/connectors.ts';
import type { ConnectionRepository, Window } from '../ports/storage.ts';

export interface Entity {
  readonly identifier: string;
  readonly label: string;
}

interface RecordsRequest extends Window {
  readonly entityId: string;
  /** JSON text, or null for every record. */
  readonly filter: string | null;
}

interface RowInsert {
  readonly entity: string;
  readonly values: Readonly<Record<string, Cell>>;
}

interface RowUpdate extends RowInsert {
  readonly keyColumn: string;
  readonly keyValue: string | JsonNumber;
}

export interface ConnectionService {
  /** By name. */
  list(caller: Caller, window: Window): Promise<readonly Connection[]>;
  /** By identifier. */
  entities(caller: Caller, id: string, window: Window, signal: AbortSignal): Promise<readonly Entity[]>;
  records(caller: Caller, id: string, request: RecordsRequest, signal: AbortSignal): Promise<RowStream>;
  /** How many rows were affected: one, or none. */
  insert(caller: Caller, id: string, row: RowInsert, signal: AbortSignal): Promise<number>;
  update(caller: Caller, id: string, row: RowUpdate, signal: AbortSignal): Promise<number>;
  /** What the same insert or update would come to, by its own statement in a transaction that is rolled back. */
  rehearse(caller: Caller, id: string, row: RowInsert | RowUpdate, signal: AbortSignal): Promise<RehearsedWrite>;
}

export interface RehearsedWrite {
  readonly rowsAffected: number;
  /** Why it would be refused. */
  readonly rejected: string | null;
}

/** `sales.order_lines` is shown as `Order Lines`. */
const labelOf = (name: string): string =>
  name
    .split(/[_\s-]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ') || name;

const updateBy = (writer: RowWriter, { entity, keyColumn, keyValue, values }: RowUpdate, signal: AbortSignal): Promise<number> =>
  writer.update(entity, { column: keyColumn, value: keyValue }, values, signal);

export const connectionService = ({
  connections,
  connectors,
}: {
  connections: ConnectionRepository;
  connectors: Connectors;
}): ConnectionService => {
  const visible = async (caller: Caller, id: string) => {
    const connection = await connections.findVisible(caller, id);
    if (!connection) throw notFound('connection');
    return connection;
  };

  const writerOf = async (caller: Caller, id: string, kind: 'writer' | 'rehearsal' = 'writer'): Promise<RowWriter> => {
    mustWrite(caller);
    const connection = await visible(caller, id);
    const { [kind]: writer } = connectors.open(connection, shareOf(caller));
    if (writer) return writer;
    throw new DomainError('invalid', `A connection of type ${connection.type} takes no writes.`, { code: 'connection_read_only' });
  };

  return {
    list: (caller, window) => connections.listVisible(caller, window),

    async entities(caller, id, { offset, limit }, signal) {
      const tables = await connectors.open(await visible(caller, id), shareOf(caller)).tables(signal);
      return tables.slice(offset, offset + limit).map(({ schema, name }) => ({ identifier: `${schema}.${name}`, label: labelOf(name) }));
    },

    async records(caller, id, { entityId: entity, filter, offset, limit }, signal) {
      const read = { entity, filter: filter === null ? null : parseFilter(filter, 'filter'), offset, limit };
      return connectors.open(await visible(caller, id), shareOf(caller)).records(read, signal);
    },

    async insert(caller, id, { entity, values }, signal) {
      return (await writerOf(caller, id)).insert(entity, values, signal);
    },

    update: async (caller, id, row, signal) => updateBy(await writerOf(caller, id), row, signal),

    async rehearse(caller, id, row, signal) {
      const rehearsal = await writerOf(caller, id, 'rehearsal');
      try {
        const affected = 'keyColumn' in row ? updateBy(rehearsal, row, signal) : rehearsal.insert(row.entity, row.values, signal);
        return { rowsAffected: await affected, rejected: null };
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'invalid') return { rowsAffected: 0, rejected: error.message };
        throw error;
      }
    },
  };
};
