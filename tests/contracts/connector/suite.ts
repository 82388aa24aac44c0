import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Connector, RowStream } from '../../../src/application/ports/connectors.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import type { Comparison, Filter, FilterValue } from '../../../src/domain/filter.ts';
import type { ConnectorHarness, Dialect, OpenConnectors, OpenSettings } from './harness.ts';

export const never = new AbortController().signal;

/** All of a stream as JSON text, with the brackets that it leaves out. */
export const textOf = async (coming: Promise<RowStream> | RowStream): Promise<string> => {
  const stream = await coming;
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream.chunks) chunks.push(chunk);
  return `[${Buffer.concat(chunks).toString('utf8')}]`;
};

export type Row = Record<string, unknown>;

/** All rows as objects; numbers are JavaScript's. */
export const rowsOf = async (coming: Promise<RowStream> | RowStream): Promise<Row[]> =>
  JSON.parse(await textOf(coming));

export const refusal = async (work: Promise<unknown>): Promise<DomainError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DomainError)) throw new Error('A refusal was expected.', { cause: error });
  return error;
};

/** The words of an error of the caller's, which the whole answer is, not its first part only. */
export const invalid = async (coming: Promise<RowStream>): Promise<string> => {
  const { kind, message } = await refusal(coming.then(textOf));
  expect(kind).to.equal('invalid');
  return message;
};

export const is = (column: string, comparison: Comparison, value: string | number | bigint | boolean): Filter => {
  const given: FilterValue =
    typeof value === 'string'
      ? { type: 'text', text: value }
      : typeof value === 'boolean'
        ? { type: 'boolean', value }
        : { type: 'number', text: String(value) };
  return { kind: 'compare', column, comparison, value: given };
};

/** A number as it was written, with every digit. */
export const number = (column: string, comparison: Comparison, text: string): Filter => ({
  kind: 'compare',
  column,
  comparison,
  value: { type: 'number', text },
});

/** Resolves when the condition has held for a while, so that what is seen is the work itself and not what goes before it. */
export const steadily = async (condition: () => Promise<boolean>) => {
  const giveUp = Date.now() + 10_000;
  for (let held = 0; held < 5; ) {
    if (Date.now() > giveUp) throw new Error('What was waited for did not come about.');
    held = (await condition()) ? held + 1 : 0;
    await sleep(40);
  }
};

export interface Made {
  readonly schema: string;
  readonly name: string;
  /** `schema.table` */
  readonly entity: string;
  /** As it stands in SQL. */
  readonly quoted: string;
}

interface TableSpec {
  /** Column → its declared type. */
  readonly columns: Readonly<Record<string, string>>;
  readonly key?: readonly string[];
  /** Literals. */
  readonly rows?: readonly (readonly string[])[];
  readonly name?: string;
  readonly schema?: string;
}

/** What the parts of the contract share. */
export interface Suite {
  readonly dialect: Dialect;
  readonly harness: () => ConnectorHarness;
  /** Connectors that are closed at the end. */
  readonly open: (settings?: OpenSettings) => OpenConnectors;
  /** That of the harness's own connection. */
  readonly connector: () => Connector;
  readonly make: (spec: TableSpec) => Promise<Made>;
  /** A table with `id` 1 … count as its key, and `name` `row 1` …. */
  readonly numbered: (count: number) => Promise<Made>;
  readonly records: (
    table: Made,
    filter?: Filter | null,
    window?: { limit?: number; offset?: number },
  ) => Promise<RowStream>;
}

const MOST_ROWS_A_STATEMENT = 500;

const inserts = (quoted: string, rows: readonly (readonly string[])[]): readonly string[] => {
  const values = rows.map((row) => `(${row.join(', ')})`);
  const count = Math.ceil(values.length / MOST_ROWS_A_STATEMENT);
  const part = (index: number) => values.slice(index * MOST_ROWS_A_STATEMENT, (index + 1) * MOST_ROWS_A_STATEMENT);
  return Array.from({ length: count }, (_, index) => `insert into ${quoted} values ${part(index).join(', ')}`);
};

export const suiteOf = (dialect: Dialect, harness: () => ConnectorHarness): Suite => {
  const opened: OpenConnectors[] = [];
  let own: OpenConnectors | undefined;
  const open = (settings?: OpenSettings) => {
    const connectors = harness().open(settings);
    opened.push(connectors);
    return connectors;
  };
  after(async () => {
    await Promise.all(opened.map((connectors) => connectors.close()));
  });
  const connector = () => {
    own ??= open();
    return own.open(harness().connection);
  };

  const make = async ({
    columns,
    key = [],
    rows = [],
    name = `t_${randomUUID().slice(0, 8)}`,
    schema = harness().schema,
  }: TableSpec) => {
    const quoted = `${dialect.quote(schema)}.${dialect.quote(name)}`;
    const definitions = Object.entries(columns).map(
      ([column, type]) => `${dialect.quote(column)} ${type} ${key.includes(column) ? 'not null' : 'null'}`,
    );
    const primaryKey = key.length > 0 ? [`primary key (${key.map((column) => dialect.quote(column)).join(', ')})`] : [];
    await harness().execute(
      `create table ${quoted} (${[...definitions, ...primaryKey].join(', ')})`,
      ...inserts(quoted, rows),
    );
    return { schema, name, entity: `${schema}.${name}`, quoted };
  };

  return {
    dialect,
    harness,
    open,
    connector,
    make,
    numbered: (count) =>
      make({
        columns: { id: dialect.types.integer, name: dialect.types.text },
        key: ['id'],
        rows: Array.from({ length: count }, (_, index) => [`${index + 1}`, dialect.literal(`row ${index + 1}`)]),
      }),
    records: (table, filter = null, { limit = 100, offset = 0 } = {}) =>
      connector().records({ entity: table.entity, filter, limit, offset }, never),
  };
};
