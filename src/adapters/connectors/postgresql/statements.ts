import pg from 'pg';
import type { RecordsQuery, TableQuery } from '../../../application/ports/connectors.ts';
import type { Window } from '../../../application/ports/storage.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Comparison, Filter, FilterValue } from '../../../domain/filter.ts';
import { type CatalogueColumn, type CatalogueTable, columnOf } from './catalogue.ts';
import { type Parameter, parameterOf } from './values.ts';

const { escapeIdentifier } = pg;

/** A statement, and the column of each parameter, which names one that does not convert. */
export interface Statement {
  readonly text: string;
  readonly values: readonly (string | Buffer)[];
  readonly parameters: readonly Parameter[];
}

const operators: Readonly<Record<Comparison, string>> = {
  eq: '=',
  ne: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
};

const asText = (column: CatalogueColumn) => `${escapeIdentifier(column.name)}::pg_catalog.text`;
const operand = (column: CatalogueColumn) => (column.ordered ? escapeIdentifier(column.name) : asText(column));

const typeOf = ({ ordered, base }: CatalogueColumn) =>
  ordered ? `${escapeIdentifier(base.schema)}.${escapeIdentifier(base.name)}` : 'pg_catalog.text';

/** Collects values, which are never in the text. */
const parameters = () => {
  const values: (string | Buffer)[] = [];
  const columns: Parameter[] = [];
  const add = (column: CatalogueColumn, value: FilterValue, type = typeOf(column)) => {
    values.push(parameterOf(column, value));
    columns.push({ column, value });
    return `$${values.length}::${type}`;
  };
  return { values, columns, add };
};

type Add = ReturnType<typeof parameters>['add'];

const like = (column: CatalogueColumn, value: FilterValue, add: Add): string => {
  if (column.form === 'text') return `${asText(column)} like ${add(column, value, 'pg_catalog.text')}`;
  throw new DomainError('invalid', `Column "${column.name}" is ${column.dataType}: "like" compares texts only.`);
};

const condition = (table: CatalogueTable, filter: Filter, add: Add): string => {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.parts.map((part) => condition(table, part, add));
      return parts.length === 0 ? `${filter.kind === 'and'}` : `(${parts.join(` ${filter.kind} `)})`;
    }
    case 'not':
      return `(not ${condition(table, filter.part, add)})`;
    case 'null':
      return `${operand(columnOf(table, filter.column))} is ${filter.isNull ? '' : 'not '}null`;
    case 'in': {
      const column = columnOf(table, filter.column);
      return `${operand(column)} in (${filter.values.map((value) => add(column, value)).join(', ')})`;
    }
    case 'compare': {
      const column = columnOf(table, filter.column);
      if (filter.comparison === 'like') return like(column, filter.value, add);
      return `${operand(column)} ${operators[filter.comparison]} ${add(column, filter.value)}`;
    }
  }
};

const isCollated = ({ base }: CatalogueColumn) =>
  base.schema === 'pg_catalog' && (base.name === 'text' || base.name === 'varchar');

/** A total order of what can be seen: by their bytes as text if equal values may look different, or cannot be sorted. */
const orderOf = (column: CatalogueColumn): readonly string[] => {
  const name = escapeIdentifier(column.name);
  const bytes = `${asText(column)} collate "C"`;
  if (column.exact) return [isCollated(column) ? bytes : name];
  return column.ordered ? [name, bytes] : [bytes];
};

/** The primary key, if it puts all rows in one order; null if there is none, or if some of it may not be read. */
const keyOf = ({ columns, keyed }: CatalogueTable): readonly string[] | null => {
  const key = columns
    .filter(({ keyPlace }) => keyPlace !== null)
    .toSorted((a, b) => (a.keyPlace ?? 0) - (b.keyPlace ?? 0));
  const serves = keyed && key.length > 0 && key.every(({ readable, ordered }) => readable && ordered);
  return serves ? key.map(({ name }) => escapeIdentifier(name)) : null;
};

/** The order of rows without a key. */
const allColumns = (table: CatalogueTable): readonly string[] =>
  table.columns.filter(({ readable }) => readable).flatMap(orderOf);

interface Leading {
  readonly column: CatalogueColumn;
  readonly direction: TableQuery['direction'];
}

/** From this offset on it pays to find a page by its keys, which are cheap to sort or in an index, before its rows are read. */
const DEEP = 1000;

/** A page of the table, by the leading column if there is one and then in the total order. */
const select = (table: CatalogueTable, where: string, leading: Leading | null, { offset, limit }: Window): string => {
  const all = table.columns.every(({ readable }) => readable);
  const columns = all
    ? ['*']
    : table.columns.filter(({ readable }) => readable).map(({ name }) => escapeIdentifier(name));
  const from = `${escapeIdentifier(table.schema)}.${escapeIdentifier(table.name)}`;
  const key = keyOf(table);
  const first = leading === null ? [] : [`${operand(leading.column)} ${leading.direction}`];
  const page = (selected: readonly string[]) =>
    [
      `select ${selected.join(', ')} from ${from}`,
      where && `where ${where}`,
      `order by ${[...first, ...(key ?? allColumns(table))].join(', ')}`,
      `limit ${BigInt(limit) + 1n} offset ${BigInt(offset)}`,
    ]
      .filter(Boolean)
      .join(' ');
  if (offset < DEEP || key === null) return page(columns);
  const found = (names: readonly string[]) => names.map((name) => `found.${name}`);
  const same = key.map((name) => `found.${name} = page.${name}`).join(' and ');
  const order = found([...first, ...key]).join(', ');
  return `select ${found(columns).join(', ')} from (${page(key)}) page join ${from} found on ${same} order by ${order}`;
};

export const selectRecords = (table: CatalogueTable, query: RecordsQuery): Statement => {
  const { values, columns, add } = parameters();
  const where = query.filter === null ? '' : condition(table, query.filter, add);
  return { text: select(table, where, null, query), values, parameters: columns };
};

export const selectRows = (table: CatalogueTable, query: TableQuery): Statement => {
  const { values, columns, add } = parameters();
  if (query.orderBy === null) return { text: select(table, '', null, query), values, parameters: columns };
  const column = columnOf(table, query.orderBy);
  const where = query.after === null ? '' : `${operand(column)} > ${add(column, { type: 'text', text: query.after })}`;
  return { text: select(table, where, { column, direction: query.direction }, query), values, parameters: columns };
};
