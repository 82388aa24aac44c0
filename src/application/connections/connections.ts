import { type AuditAction, actOf } from '../../domain/audit.ts';
import { type Caller, mustWrite } from '../../domain/caller.ts';
import { DomainError, mustExist } from '../../domain/errors.ts';
import { parseFilter } from '../../domain/filter.ts';
import type { JsonNumber } from '../../domain/json-number.ts';
import type { AuditLog } from '../ports/audit.ts';
import type { Cell, Connectors, RowWriter } from '../ports/connectors.ts';
import type { Log } from '../ports/runtime.ts';
import type { ConnectionRepository, Window } from '../ports/storage.ts';

interface Entity {
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

/** `sales.order_lines` is shown as `Order Lines`. */
const labelOf = (name: string): string =>
  name
    .split(/[_\s-]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ') || name;

const updateBy = (
  writer: RowWriter,
  { entity, keyColumn, keyValue, values }: RowUpdate,
  signal: AbortSignal,
): Promise<number> => writer.update(entity, { column: keyColumn, value: keyValue }, values, signal);

interface Dependencies {
  readonly connections: ConnectionRepository;
  readonly connectors: Connectors;
  readonly audit: Pick<AuditLog, 'hold' | 'settle' | 'drop'>;
  readonly log: Log;
}

export const connectionService = ({ connections, connectors, audit, log }: Dependencies) => {
  const visible = async (caller: Caller, id: string) =>
    mustExist(await connections.findVisible(caller, id), 'connection');
  const open = async (caller: Caller, id: string) => connectors.open(await visible(caller, id), caller);

  const writerOf = async (caller: Caller, id: string, kind: 'writer' | 'rehearsal' = 'writer'): Promise<RowWriter> => {
    mustWrite(caller);
    const connection = await visible(caller, id);
    const { [kind]: writer } = connectors.open(connection, caller);
    if (writer) return writer;
    throw new DomainError('invalid', `A connection of type ${connection.type} takes no writes.`, {
      code: 'connection_read_only',
    });
  };

  /** A write is noted before it begins: whatever dies, the audit log says that it may have been done. One that was refused is none. */
  const noted = async (
    caller: Caller,
    id: string,
    action: Extract<AuditAction, `record.${string}`>,
    entity: string,
    write: () => Promise<number>,
  ): Promise<number> => {
    const deed = actOf(caller, { action, details: { outcome: 'unknown' } });
    const subject = { type: 'record', id, name: entity } as const;
    const held = await audit.hold({ ...deed, workspaceId: caller.workspaceId, subject });
    const rows = await write().catch(async (error: unknown) => {
      if (error instanceof DomainError && error.kind !== 'outcome_unknown') await audit.drop(held);
      throw error;
    });
    // An error now would have the client write the row again. The act stands as it was noted.
    await audit
      .settle(held, { ...deed.details, outcome: 'written', rows })
      .catch((err: unknown) =>
        log.error({ err, connection_id: id, rows }, 'a write stands in the audit log as unknown'),
      );
    return rows;
  };

  return {
    /** By name. */
    list: (caller: Caller, window: Window) => connections.listVisible(caller, window),

    /** By identifier. */
    async entities(
      caller: Caller,
      id: string,
      { offset, limit }: Window,
      signal: AbortSignal,
    ): Promise<readonly Entity[]> {
      const tables = await (await open(caller, id)).tables(signal);
      return tables
        .slice(offset, offset + limit)
        .map(({ schema, name }) => ({ identifier: `${schema}.${name}`, label: labelOf(name) }));
    },

    async records(
      caller: Caller,
      id: string,
      { entityId: entity, filter, ...window }: RecordsRequest,
      signal: AbortSignal,
    ) {
      const read = { entity, filter: filter === null ? null : parseFilter(filter, 'filter'), ...window };
      return (await open(caller, id)).records(read, signal);
    },

    /** How many rows were affected: one, or none. */
    async insert(caller: Caller, id: string, { entity, values }: RowInsert, signal: AbortSignal) {
      const writer = await writerOf(caller, id);
      return noted(caller, id, 'record.inserted', entity, () => writer.insert(entity, values, signal));
    },

    async update(caller: Caller, id: string, row: RowUpdate, signal: AbortSignal) {
      const writer = await writerOf(caller, id);
      return noted(caller, id, 'record.updated', row.entity, () => updateBy(writer, row, signal));
    },

    /** What the same insert or update would come to, by its own statement in a transaction that is rolled back. `rejected`: why it would be refused. */
    async rehearse(caller: Caller, id: string, row: RowInsert | RowUpdate, signal: AbortSignal) {
      const rehearsal = await writerOf(caller, id, 'rehearsal');
      try {
        const affected =
          'keyColumn' in row ? updateBy(rehearsal, row, signal) : rehearsal.insert(row.entity, row.values, signal);
        return { rowsAffected: await affected, rejected: null };
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'invalid')
          return { rowsAffected: 0, rejected: error.message };
        throw error;
      }
    },
  };
};

export type ConnectionService = ReturnType<typeof connectionService>;
