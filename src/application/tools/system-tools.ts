import type { Agent } from '../../domain/agent.ts';
import type { Connection } from '../../domain/connection.ts';
import { writableTypes } from '../../domain/connection.ts';
import type { Database } from '../../domain/database.ts';
import type { JsonObject } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import { slugOf } from '../../domain/tool.ts';
import { cell, entity, keyValue, rehearsedWrite, rowsAffected } from '../../wire/connection.ts';
import { column } from '../../wire/database.ts';
import { about, closed, list, map, optional, wire, withDefault } from '../../wire/kit/structures.ts';
import { anyObject, boolean, integer, string } from '../../wire/kit/values.ts';
import type { ConnectionService } from '../connections/connections.ts';
import { isSeenByAll, wordsFor } from '../connections/unseen-names.ts';
import type { DatabaseService } from '../databases/databases.ts';
import type { RowStream, TableDetail } from '../ports/connectors.ts';
import type { ToolResult } from '../ports/tools.ts';
import {
  annotated,
  answered,
  described,
  failed,
  succeeded,
  type ToolContext,
  type ToolGroup,
  textInput,
  type UnnamedTool,
} from './tool.ts';

const ENTITIES = 200;

const entityInput = textInput('The table or view, as schema.table.', 300);
const offset = about('How many to skip.', withDefault(integer({ min: 0 }), 0));
const values = about('Column name → value.', map(cell, { min: 1 }));

const count = integer({ min: 0 });

/** What `rowsAnswer` answers. */
const rows = {
  records: list(anyObject),
  rowCount: count,
  columns: optional(list(column)),
  note: optional(string),
};

const entities = closed({ entities: list(entity), hasMore: boolean });

const listEntities = (use: ConnectionService, { id, name }: Connection): UnnamedTool => ({
  suffix: '_list_entities',
  ...described({
    description: `Lists the tables and views of the connection ${name}.`,
    input: closed({ offset }),
    output: entities,
    annotations: annotated(`List the tables of ${name}`, 'reads'),
    async run({ offset: skip }, { caller, signal }) {
      const rows = await use.entities(caller, id, { limit: ENTITIES + 1, offset: skip }, signal);
      return answered(entities, { entities: rows.slice(0, ENTITIES), hasMore: rows.length > ENTITIES });
    },
  }),
});

const listRecords = (use: ConnectionService, { id, name }: Connection): UnnamedTool => ({
  suffix: '_list_records',
  ...described({
    description: `Reads records of a table or view of the connection ${name}, in a stable order.`,
    input: closed({
      entity: entityInput,
      filter: about(
        'Conditions by column: {"status": "open"}, {"total": {"gte": 100}}, {"name": {"like": "A%"}}, {"and": […]}, {"or": […]}, {"not": {…}}. ' +
          'Operators: eq, ne, gt, gte, lt, lte, like, in, is_null.',
        optional(anyObject),
      ),
      limit: about('How many at most.', withDefault(integer({ min: 1, max: 200 }), 50)),
      offset,
    }),
    output: closed({ ...rows, hasMore: boolean }),
    annotations: annotated(`Read records of ${name}`, 'reads'),
    async run({ entity: entityId, filter: where, limit, offset: skip }, { caller, signal }) {
      const filter = where === undefined ? null : JSON.stringify(where);
      const records = await use.records(caller, id, { entityId, filter, limit, offset: skip }, signal);
      return rowsAnswer(records, { more: 'has_more' });
    },
  }),
});

/** Who reads what a write would come to: all who see its approval. */
type Readers = Pick<Agent, 'visibleTo'>;

const rehearsed = async (
  use: ConnectionService,
  connection: Connection,
  readers: Readers,
  row: Parameters<ConnectionService['rehearse']>[2],
  { caller, signal }: ToolContext,
): Promise<JsonObject> => {
  const words = wordsFor(isSeenByAll(connection, readers), connection, row.entity);
  const { rejected, rowsAffected } = await use.rehearse(caller, connection.id, row, signal);
  return rehearsedWrite.encode({ rowsAffected, rejected: rejected && words(rejected) }) as JsonObject;
};

const insertRecord = (use: ConnectionService, connection: Connection, readers: Readers): UnnamedTool => ({
  suffix: '_insert_record',
  ...described({
    description: `Inserts one row into a table of the connection ${connection.name}.`,
    input: closed({ entity: entityInput, values }),
    output: rowsAffected,
    annotations: annotated(`Insert a record into ${connection.name}`, 'adds'),
    async run(row, { caller, signal }) {
      return {
        ...answered(rowsAffected, { rowsAffected: await use.insert(caller, connection.id, row, signal) }),
        own: true,
      };
    },
    rehearse: (row, context) => rehearsed(use, connection, readers, row, context),
  }),
});

const updateRecord = (use: ConnectionService, connection: Connection, readers: Readers): UnnamedTool => ({
  suffix: '_update_record',
  ...described({
    description: `Changes the one row of a table of the connection ${connection.name} that a key names.`,
    input: closed({
      entity: entityInput,
      keyColumn: textInput('The column that names the row.', 300),
      keyValue: about('Its value in that row.', keyValue),
      values,
    }),
    output: rowsAffected,
    annotations: annotated(`Change a record of ${connection.name}`, 'changes'),
    async run(row, { caller, signal }) {
      return {
        ...answered(rowsAffected, { rowsAffected: await use.update(caller, connection.id, row, signal) }),
        own: true,
      };
    },
    rehearse: (row, context) => rehearsed(use, connection, readers, row, context),
  }),
});

export const connectionTools = (
  use: ConnectionService,
  connection: Connection,
  write: boolean,
  readers: Readers,
): ToolGroup => {
  const writes = write && writableTypes.includes(connection.type) ? [insertRecord, updateRecord] : [];
  const tools = [listEntities, listRecords, ...writes].map((make) => make(use, connection, readers));
  return { base: slugOf(connection.name, 'connection'), system: { kind: 'connection', id: connection.id }, tools };
};

type Named = Pick<Database, 'id' | 'name'>;

const TABLES = 500;

const tableName = { table: string, type: string };
const tables = closed({ tables: list(wire(tableName)), hasMore: boolean });

const nameOf = ({ schema, name }: Pick<TableDetail, 'schema' | 'name'>) => `${schema}.${name}`;

const listTables = (use: DatabaseService, { id, name }: Named): UnnamedTool => ({
  suffix: '_list_tables',
  ...described({
    description: `Lists the tables and views of the database ${name}.`,
    input: closed({ offset }),
    output: tables,
    annotations: annotated(`List the tables of ${name}`, 'reads'),
    async run({ offset: skip }, { caller, signal }) {
      const listed = (await use.tables(caller, id, signal)).slice(skip);
      const shown = listed.slice(0, TABLES).map((table) => ({ table: nameOf(table), type: table.type }));
      return answered(tables, { tables: shown, hasMore: listed.length > shown.length });
    },
  }),
});

const description = closed({
  ...tableName,
  columns: list(wire({ name: string, dataType: string, nullable: boolean, primaryKey: boolean })),
});

const describeTable = (use: DatabaseService, { id, name }: Named): UnnamedTool => ({
  suffix: '_describe_table',
  ...described({
    description: `Lists the columns of a table or view of the database ${name}.`,
    input: closed({ table: textInput('The table, as schema.table.', 300) }),
    output: description,
    annotations: annotated(`Describe a table of ${name}`, 'reads'),
    async run({ table }, { caller, signal }) {
      const all = await use.schema(caller, id, signal);
      const lower = (text: string) => text.toLowerCase();
      const match =
        all.find((each) => nameOf(each) === table) ??
        all.find((each) => each.name === table) ??
        all.find((each) => lower(nameOf(each)) === lower(table)) ??
        all.find((each) => lower(each.name) === lower(table));
      if (match) return answered(description, { ...match, table: nameOf(match) });
      const there = all.slice(0, 50).map(nameOf);
      return failed(
        `There is no table ${table}. There are: ${there.join(', ')}${all.length > there.length ? ', …' : ''}.`,
      );
    },
  }),
});

const query = (use: DatabaseService, { id, name }: Named): UnnamedTool => ({
  suffix: '_query',
  ...described({
    description: `Runs one read-only SELECT statement on the database ${name}.`,
    input: closed({ query: textInput('One SELECT statement. Name tables as schema.table.', 50_000) }),
    output: closed({ ...rows, truncated: boolean }),
    annotations: annotated(`Query ${name}`, 'reads'),
    async run({ query: statement }, { caller, signal }) {
      return rowsAnswer(await use.query(caller, id, statement, signal), { more: 'truncated' });
    },
  }),
});

export const databaseTools = (use: DatabaseService, database: Named): ToolGroup => ({
  base: slugOf(database.name, 'database'),
  system: { kind: 'database', id: database.id },
  tools: [listTables, describeTable, query].map((make) => make(use, database)),
});

const rowCaps = { maxRows: 500, maxBytes: 60_000 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Finds where rows end in JSON text that is never parsed: each is an object. */
const rowScanner = ({ maxRows, maxBytes }: typeof rowCaps) => {
  const kept: Uint8Array[] = [];
  let size = 0;
  let end = 0;
  let rows = 0;
  let depth = 0;
  let inText = false;
  let escaped = false;
  let more = false;

  const stepInText = (byte: number) => {
    if (escaped) escaped = false;
    else if (byte === BACKSLASH) escaped = true;
    else if (byte === QUOTE) inText = false;
  };

  const endRow = (at: number) => {
    more = rows >= maxRows || at > maxBytes;
    if (more) return;
    rows += 1;
    end = at;
  };

  const step = (byte: number, at: number) => {
    if (inText) stepInText(byte);
    else if (byte === QUOTE) inText = true;
    else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) {
      depth -= 1;
      if (depth === 0) endRow(at);
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

/** What a model can do about rows that have no room, by the field that says so. */
const ways = {
  truncated: { none: 'ask for fewer columns', some: 'ask for fewer rows or columns, or sum up' },
  has_more: { none: 'go on behind it with offset', some: 'go on behind them with offset' },
} as const;

const remark = (
  rows: number,
  { maxRows, maxBytes }: typeof rowCaps,
  { none, some }: (typeof ways)[keyof typeof ways],
) => {
  if (rows === 0) return `The first row alone is over ${maxBytes} bytes: ${none}.`;
  const why = rows >= maxRows ? `at most ${maxRows} rows` : `at most ${maxBytes} bytes`;
  return `Only the first ${rows} rows are shown (${why}): ${some}.`;
};

/** Rows as JSON, as many of them as fit, with a note about what was cut. */
export const rowsAnswer = async (
  stream: RowStream,
  { more: field }: { more: keyof typeof ways },
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
  const note = cut ? `,"note":${JSON.stringify(remark(rows, caps, ways[field]))}` : '';
  const answer = `{"records":[${text}],"row_count":${rows},"${field}":${more}${columns}${note}}`;
  return { ...succeeded(answer), structured: parseJson(answer) as JsonObject };
};
