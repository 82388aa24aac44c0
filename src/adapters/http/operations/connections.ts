import type { Cell } from '../../../application/ports/connectors.ts';
import { writableTypes } from '../../../domain/connection.ts';
import { invalid } from '../../../domain/errors.ts';
import {
  cell,
  connection,
  entity,
  exampleConnection,
  exampleEntity,
  exampleRecord,
  keyValue,
  record,
  rehearsedWrite,
  rowsAffected,
} from '../../../wire/connection.ts';
import { about, list, map, optional, wire } from '../../../wire/kit/structures.ts';
import { booleanParameter, oneOf, text, uuid } from '../../../wire/kit/values.ts';
import { ONCE, operation, REPEATABLE } from '../operation.ts';
import { paging, requestHeaders } from '../parameters.ts';
import { rowsBetween } from '../rows.ts';

const params = wire({ connectionId: about('The connection.', uuid) });
const example = { params: { connectionId: exampleConnection.id } };

const headers = requestHeaders({
  xSvcEgress: about(
    'With `true` the request leaves from a stable IP address. The answer is the same.',
    optional(booleanParameter),
  ),
});

const shared = { tag: 'Connections', access: 'api-key' } as const;

const recordsAt = {
  ...shared,
  path: '/connections/{connection_id}/records',
  alsoAt: '/v1/connections/{connection_id}/records',
  resource: 'connection_records',
  headers,
  params,
} as const;

export const listConnections = operation({
  id: 'listConnections',
  method: 'get',
  path: '/connections',
  resource: 'connections',
  ...shared,
  summary: 'List connections',
  description: 'The connected systems you can see, ordered by name.',
  query: wire(paging({ fallback: 100 })),
  success: { description: 'The connections.', envelope: false, data: list(connection), example: [exampleConnection] },
  handle: ({ connections }, { caller, query }) => connections.list(caller, query),
});

export const listEntities = operation({
  id: 'listEntities',
  method: 'get',
  path: '/connections/{connection_id}/entities',
  resource: 'connection_entities',
  ...shared,
  longRead: true,
  summary: 'List the entities of a connection',
  description: 'Its tables and views, ordered by identifier.',
  params,
  query: wire(paging({ fallback: 1000 })),
  example,
  success: { description: 'The entities.', envelope: false, data: list(entity), example: [exampleEntity] },
  refuses: ['not_found', 'query_timeout', 'upstream_unavailable'],
  handle: ({ connections }, { caller, params: { connectionId }, query, signal }) =>
    connections.entities(caller, connectionId, query, signal),
});

const filterAbout =
  'JSON text. `{"col": value}` equals (`null`: is null); `{"col": {"eq"|"ne"|"gt"|"gte"|"lt"|"lte"|"like"|"in"|"is_null": …}}`; ' +
  '`{"and": […]}`, `{"or": […]}`, `{"not": {…}}`. At most 64 levels and 1,000 values.';

export const listRecords = operation({
  ...recordsAt,
  id: 'listRecords',
  method: 'get',
  longRead: true,
  summary: 'List the records of an entity',
  description: 'In a total order (by primary key, else by all columns), so that paging neither repeats nor skips.',
  query: wire({
    entityId: about('The `identifier` of an entity.', text({ min: 1, max: 1000 })),
    ...paging({ max: 500, fallback: 100 }),
    filter: about(filterAbout, optional(text({ max: 32_000 }))),
  }),
  example: {
    ...example,
    query: { entityId: exampleEntity.identifier, limit: 100, filter: '{"quantity": {"gte": 10}}' },
  },
  success: { description: 'The records.', envelope: false, data: list(record), example: [exampleRecord] },
  refuses: ['not_found', 'unknown_table', 'query_timeout', 'upstream_unavailable'],
  handle: async ({ connections }, { caller, params: { connectionId }, query, signal }) => {
    const rows = await connections.records(caller, connectionId, { ...query, filter: query.filter ?? null }, signal);
    return rowsBetween(rows, '[', () => ']');
  },
});

const onlyWritable = `Only types of connections that accept writes (${writableTypes.join(', ')}) have this: others answer 400.`;

const column = text({ min: 1, max: 200 });
const table = about('The table, as `schema.table`.', text({ min: 1, max: 1000 }));
const values = about('Column → value. Numbers keep every digit.', map<Cell>(cell));

export const updateRecord = operation({
  ...recordsAt,
  id: 'updateRecord',
  method: 'patch',
  writes: true,
  specified: true,
  idempotent: REPEATABLE,
  summary: 'Update a record',
  description:
    'Updates the one row whose key column has the value, in a transaction. A key of more than one row changes none and is 400; a key of ' +
    'no row is 200 with `rows_affected` 0. ' +
    onlyWritable,
  body: wire({ entity: table, keyColumn: about('The column that identifies the row.', column), keyValue, values }),
  example: {
    ...example,
    body: { entity: exampleEntity.identifier, keyColumn: 'id', keyValue: 17, values: { quantity: 14 } },
  },
  success: {
    description: 'How many rows were updated: one, or none.',
    envelope: false,
    data: rowsAffected,
    example: { rowsAffected: 1 },
  },
  refuses: ['not_found', 'unknown_table', 'connection_read_only', 'upstream_unavailable', 'outcome_unknown'],
  handle: async ({ connections }, { caller, params: { connectionId }, body, signal }) => ({
    rowsAffected: await connections.update(caller, connectionId, body, signal),
  }),
});

export const insertRecord = operation({
  ...recordsAt,
  id: 'insertRecord',
  method: 'post',
  writes: true,
  specified: true,
  idempotent: ONCE,
  summary: 'Insert a record',
  description: `Inserts one row, in a transaction. ${onlyWritable}`,
  body: wire({ entity: table, values }),
  example: {
    ...example,
    body: { entity: exampleEntity.identifier, values: { item: 'Soup cup 12 oz', quantity: 3, unit_price: 48.2 } },
  },
  success: {
    status: 201,
    description: 'The row is inserted.',
    envelope: false,
    data: rowsAffected,
    example: { rowsAffected: 1 },
  },
  refuses: ['not_found', 'unknown_table', 'connection_read_only', 'upstream_unavailable', 'outcome_unknown'],
  handle: async ({ connections }, { caller, params: { connectionId }, body, signal }) => ({
    rowsAffected: await connections.insert(caller, connectionId, body, signal),
  }),
});

const required = (path: string) => ({ path, message: 'is required where operation is update' });

export const rehearseRecord = operation({
  ...recordsAt,
  path: `${recordsAt.path}/rehearsal`,
  alsoAt: `${recordsAt.alsoAt}/rehearsal`,
  resource: 'connection_records_rehearsal',
  id: 'rehearseRecord',
  method: 'post',
  writes: true,
  idempotent: REPEATABLE,
  summary: 'Rehearse an update or an insert',
  description:
    'What an update or an insert of a record would come to: its own statements, in a transaction that is always rolled back. Takes the body of ' +
    'that operation, and its name. What a rollback does not bring back: identity values go on, and what a trigger does outside of its database, ' +
    'or commits by itself, is done. ' +
    onlyWritable,
  body: wire({
    operation: oneOf('update', 'insert'),
    entity: table,
    keyColumn: about('Of an update: the column that identifies the row.', optional(column)),
    keyValue: about('Of an update: its value.', optional(keyValue)),
    values,
  }),
  example: {
    ...example,
    body: {
      operation: 'update',
      entity: exampleEntity.identifier,
      keyColumn: 'id',
      keyValue: 17,
      values: { quantity: 14 },
    },
  },
  success: {
    description: 'How many rows would be affected, or why it would be refused.',
    envelope: false,
    data: rehearsedWrite,
    example: { rowsAffected: 1, rejected: null },
  },
  refuses: ['not_found', 'connection_read_only', 'upstream_unavailable'],
  handle: async ({ connections }, { caller, params: { connectionId }, body, signal }) => {
    const { operation: kind, keyColumn, keyValue: key, ...insert } = body;
    if (kind === 'insert') return connections.rehearse(caller, connectionId, insert, signal);
    if (keyColumn !== undefined && key !== undefined)
      return connections.rehearse(caller, connectionId, { ...insert, keyColumn, keyValue: key }, signal);
    throw invalid(
      ...(keyColumn === undefined ? [required('key_column')] : []),
      ...(key === undefined ? [required('key_value')] : []),
    );
  },
});
