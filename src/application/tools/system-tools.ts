import type { Connection } from '../../domain/connection.ts';
import { writableTypes } from '../../domain/connection.ts';
import type { Database } from '../../domain/database.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type JsonNumber, parseJson } from '../../domain/json-number.ts';
import { snakeCase } from '../../domain/tool.ts';
import type { ConnectionService } from '../connections/connections.ts';
import type { DatabaseService } from '../databases/databases.ts';
import type { Cell, RowStream, TableDetail } from '../ports/connectors.ts';
import type { ToolResult } from '../ports/tools.ts';
import {
  annotated,
  answered,
  failed,
  inputOf,
  listOf,
  outputOf,
  succeeded,
  type ToolGroup,
  textInput,
  type UnnamedTool,
} from './tool.ts';

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

const text = { type: 'string' };
const flag = { type: 'boolean' };
const count = { type: 'integer', minimum: 0 };

/** What `rowsAnswer` answers. */
const rowsOutput = (more: string) =>
  outputOf(
    { records: listOf({ type: 'object' }), row_count: count, [more]: flag },
    { columns: listOf(outputOf({ name: text, data_type: text })), note: text },
  );

const affectedOutput = outputOf({ rows_affected: count });

const listEntities = (use: ConnectionService, { id, name }: Connection): UnnamedTool => ({
  suffix: '_list_entities',
  description: `Lists the tables and views of the connection ${name}.`,
  inputSchema: inputOf({ offset }),
  outputSchema: outputOf({ entities: listOf(outputOf({ identifier: text, label: text })), has_more: flag }),
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
    {
      entity,
      filter,
      limit: { type: 'integer', minimum: 1, maximum: 200, default: 50, description: 'How many at most.' },
      offset,
    },
    ['entity'],
  ),
  outputSchema: rowsOutput('has_more'),
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
  outputSchema: affectedOutput,
  annotations: annotated(`Insert a record into ${name}`, 'adds'),
  async run(input, { caller, signal }) {
    const affected = await use.insert(
      caller,
      id,
      { entity: String(input.entity), values: cells(input.values) },
      signal,
    );
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
  outputSchema: affectedOutput,
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

type Named = Pick<Database, 'id' | 'name'>;

const TABLES = 500;

const listTables = (use: DatabaseService, { id, name }: Named): UnnamedTool => ({
  suffix: '_list_tables',
  description: `Lists the tables and views of the database ${name}.`,
  inputSchema: inputOf({}),
  outputSchema: outputOf({ tables: listOf(outputOf({ table: text, type: text })), has_more: flag }),
  annotations: annotated(`List the tables of ${name}`, 'reads'),
  async run(_input, { caller, signal }) {
    const tables = await use.tables(caller, id, signal);
    const shown = tables
      .slice(0, TABLES)
      .map(({ schema, name: table, type }) => ({ table: `${schema}.${table}`, type }));
    return answered({ tables: shown, has_more: tables.length > shown.length });
  },
});

const described = ({ schema, name, type, columns }: TableDetail) => ({
  table: `${schema}.${name}`,
  type,
  columns: columns.map((column) => ({
    name: column.name,
    data_type: column.dataType,
    nullable: column.nullable,
    primary_key: column.primaryKey,
  })),
});

const describeTable = (use: DatabaseService, { id, name }: Named): UnnamedTool => ({
  suffix: '_describe_table',
  description: `Lists the columns of a table or view of the database ${name}.`,
  inputSchema: inputOf({ table: textInput('The table, as schema.table.', 300) }, ['table']),
  outputSchema: outputOf({
    table: text,
    type: text,
    columns: listOf(outputOf({ name: text, data_type: text, nullable: flag, primary_key: flag })),
  }),
  annotations: annotated(`Describe a table of ${name}`, 'reads'),
  async run({ table }, { caller, signal }) {
    const tables = await use.schema(caller, id, signal);
    const wanted = String(table).toLowerCase();
    const called = (each: TableDetail) => [`${each.schema}.${each.name}`, each.name].map((word) => word.toLowerCase());
    const found =
      tables.find((each) => called(each)[0] === wanted) ?? tables.find((each) => called(each)[1] === wanted);
    if (found) return answered(described(found));
    const there = tables.slice(0, 50).map((each) => `${each.schema}.${each.name}`);
    return failed(
      `There is no table ${String(table)}. There are: ${there.join(', ')}${tables.length > there.length ? ', …' : ''}.`,
    );
  },
});

const query = (use: DatabaseService, { id, name }: Named): UnnamedTool => ({
  suffix: '_query',
  description: `Runs one read-only SELECT statement on the database ${name}.`,
  inputSchema: inputOf({ query: textInput('One SELECT statement. Name tables as schema.table.', 50_000) }, ['query']),
  outputSchema: rowsOutput('truncated'),
  annotations: annotated(`Query ${name}`, 'reads'),
  async run(input, { caller, signal }) {
    return rowsAnswer(await use.query(caller, id, String(input.query), signal), { more: 'truncated' });
  },
});

export const databaseTools = (use: DatabaseService, database: Named): ToolGroup => ({
  base: snakeCase(database.name, 'database'),
  system: { kind: 'database', id: database.id },
  tools: [listTables, describeTable, query].map((make) => make(use, database)),
});

const rowCaps = { maxRows: 500, maxBytes: 60_000 };

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** Finds where rows end in JSON text that is never parsed: each is an object. */
const rowScanner = ({ maxRows, maxBytes }: typeof rowCaps) => {
  const kept: Uint8Array[] = [];
  let [size, end, rows, depth] = [0, 0, 0, 0];
  let [inText, escaped, more] = [false, false, false];

  const step = (byte: number, at: number) => {
    if (inText) {
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) inText = false;
      return;
    }
    if (byte === QUOTE) inText = true;
    else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) {
      depth -= 1;
      if (depth > 0) return;
      more = rows >= maxRows || at > maxBytes;
      if (!more) [rows, end] = [rows + 1, at];
    }
  };

  return {
    /** Whether there is room for more. */
    take(chunk: Uint8Array): boolean {
      for (let index = 0; index < chunk.length && !more; index += 1) step(chunk[index] as number, size + index + 1);
      kept.push(chunk);
      size += chunk.length;
      if (size > maxBytes && depth > 0) more = true;
      return !more;
    },
    result() {
      const bytes = new Uint8Array(Math.min(size, end));
      let at = 0;
      for (const chunk of kept) {
        if (at >= end) break;
        const part = chunk.subarray(0, end - at);
        bytes.set(part, at);
        at += part.length;
      }
      return { text: new TextDecoder().decode(bytes), rows, cut: more };
    },
  };
};

const remark = (rows: number, { maxRows, maxBytes }: typeof rowCaps) => {
  if (rows === 0) return `The first row alone is over ${maxBytes} bytes: ask for fewer columns.`;
  const why = rows >= maxRows ? `at most ${maxRows} rows` : `at most ${maxBytes} bytes`;
  return `Only the first ${rows} rows are shown (${why}): ask for fewer rows or columns, or sum up.`;
};

/** Rows as JSON, as many of them as fit, with a note about what was cut. */
export const rowsAnswer = async (
  stream: RowStream,
  { more: field }: { more: string },
  caps = rowCaps,
): Promise<ToolResult> => {
  const scanner = rowScanner(caps);
  for await (const chunk of stream.chunks) if (!scanner.take(chunk)) break;
  const { text, rows, cut } = scanner.result();
  const more = cut || stream.end().more;
  const columns =
    rows > 0
      ? ''
      : `,"columns":${JSON.stringify(stream.columns.map(({ name, dataType }) => ({ name, data_type: dataType })))}`;
  const note = cut ? `,"note":${JSON.stringify(remark(rows, caps))}` : '';
  const answer = `{"records":[${text}],"row_count":${rows},"${field}":${more}${columns}${note}}`;
  return { ...succeeded(answer), structured: parseJson(answer) as JsonObject };
};
