import type { Connection, ConnectionType } from '../../domain/connection.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { JsonNumber } from '../../domain/json-number.ts';
import { snakeCase } from '../../domain/tool.ts';
import type { ConnectionService } from '../connections/connections.ts';
import type { Cell } from '../ports/connectors.ts';
import { rowsAnswer } from './rows.ts';
import { annotated, answered, inputOf, type ToolGroup, textInput, type UnnamedTool } from './tool.ts';

/** Offered only where they can work. */
export const writableTypes: readonly ConnectionType[] = ['sqlserver'];

const ENTITIES = 200;

const entity = textInput('The table or view, as schema.table.', 300);
const offset = { type: 'integer', minimum: 0, default: 0, description: 'How many to skip.' };
const values = {
  type: 'object',
  minProperties: 1,
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  description: 'Column name → value.',
};
const filter = {
  type: 'object',
  description:
    'Conditions by column: {"status": "open"}, {"total": {"gte": 100}}, {"name": {"like": "A%"}}, {"and": […]}, {"or": […]}, {"not": {…}}. ' +
    'Operators: eq, ne, gt, gte, lt, lte, like, in, is_null.',
};

const listEntities = (use: ConnectionService, { id, name }: Connection): UnnamedTool => ({
  suffix: '_list_entities',
  description: `Lists the tables and views of the connection ${name}.`,
  inputSchema: inputOf({ offset }),
  annotations: annotated(`List the tables of ${name}`, 'reads'),
  async run({ offset: skip = 0 }, { caller, signal }) {
    const found = await use.entities(caller, id, { limit: ENTITIES + 1, offset: Number(skip) }, signal);
    return answered({ entities: found.slice(0, ENTITIES), has_more: found.length > ENTITIES });
  },
});

const listRecords = (use: ConnectionService, { id, name }: Connection): UnnamedTool => ({
  suffix: '_list_records',
  description: `Reads records of a table or view of the connection ${name}, in a stable order.`,
  inputSchema: inputOf(
    { entity, filter, limit: { type: 'integer', minimum: 1, maximum: 200, default: 50, description: 'How many at most.' }, offset },
    ['entity'],
  ),
  annotations: annotated(`Read records of ${name}`, 'reads'),
  async run({ entity: entityId, filter: where, limit = 50, offset: skip = 0 }, { caller, signal }) {
    const request = { entityId: String(entityId), filter: where === undefined ? null : JSON.stringify(where) };
    const rows = await use.records(caller, id, { ...request, limit: Number(limit), offset: Number(skip) }, signal);
    return rowsAnswer(rows, { more: 'has_more' });
  },
});

const cells = (given: JsonObject[string] | undefined) => given as Readonly<Record<string, Cell>>;

const insertRecord = (use: ConnectionService, { id, name }: Connection): UnnamedTool => ({
  suffix: '_insert_record',
  description: `Inserts one row into a table of the connection ${name}.`,
  inputSchema: inputOf({ entity, values }, ['entity', 'values']),
  annotations: annotated(`Insert a record into ${name}`, 'adds'),
  async run(input, { caller, signal }) {
    const affected = await use.insert(caller, id, { entity: String(input.entity), values: cells(input.values) }, signal);
    return { ...answered({ rows_affected: affected }), own: true };
  },
});

const updateRecord = (use: ConnectionService, { id, name }: Connection): UnnamedTool => ({
  suffix: '_update_record',
  description: `Changes the one row of a table of the connection ${name} that a key names.`,
  inputSchema: inputOf(
    {
      entity,
      key_column: textInput('The column that names the row.', 300),
      key_value: { type: ['string', 'number'], description: 'Its value in that row.' },
      values,
    },
    ['entity', 'key_column', 'key_value', 'values'],
  ),
  annotations: annotated(`Change a record of ${name}`, 'changes'),
  async run(input, { caller, signal }) {
    const row = { entity: String(input.entity), keyColumn: String(input.key_column), values: cells(input.values) };
    const affected = await use.update(caller, id, { ...row, keyValue: input.key_value as string | JsonNumber }, signal);
    return { ...answered({ rows_affected: affected }), own: true };
  },
});

export const connectionTools = (use: ConnectionService, connection: Connection, write: boolean): ToolGroup => {
  const writes = write && writableTypes.includes(connection.type) ? [insertRecord, updateRecord] : [];
  const tools = [listEntities, listRecords, ...writes].map((make) => make(use, connection));
  return { base: snakeCase(connection.name, 'connection'), system: { kind: 'connection', id: connection.id }, tools };
};
