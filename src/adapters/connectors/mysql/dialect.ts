import type { JsonValue } from '../../../domain/json.ts';
import { identifierOf } from '../catalogue.ts';
import { refused } from '../errors.ts';
import { shown } from '../names.ts';
import type { Dialect } from '../sql/dialect.ts';
import { comparedWith, notText, textOf } from '../sql/values.ts';
import { type CatalogueColumn, type CatalogueTable, constraintColumns, findTable } from './catalogue.ts';
import { brokenIn, isDeadlock, rejectionOf } from './errors.ts';
import type { Value } from './session.ts';
import { operandFor } from './values.ts';

/** JSON is compared by its text, because the servers differ in what they take for equal. */
const comparable = ({ kind }: CatalogueColumn, reference: string): string =>
  kind === 'json' ? `cast(${reference} as char)` : reference;

const primaryKey = ({ columns }: Pick<CatalogueTable, 'columns'>): readonly CatalogueColumn[] =>
  columns.filter(({ keyPlace }) => keyPlace > 0).toSorted((one, other) => one.keyPlace - other.keyPlace);

/** Only their beginning is sorted, and a collation takes different ones for the same: the digest of their bytes tells them apart. */
const digested = new Set(['text', 'json', 'bytes', 'other']);

const orderOf = (column: CatalogueColumn, reference: string): readonly string[] => {
  const expression = comparable(column, reference);
  if (digested.has(column.kind)) return [expression, `sha2(${expression}, 256)`];
  return column.kind === 'float' || column.kind === 'double'
    ? [expression, `cast(${reference} as char)`]
    : [expression];
};

const textFor = ({ kind }: CatalogueColumn, value: Exclude<JsonValue, null>): string =>
  typeof value === 'object' || kind === 'json' ? JSON.stringify(value) : String(value);

export const mysql: Dialect<CatalogueColumn, Value> = {
  quote: (name) => `\`${name.replaceAll('`', '``')}\``,
  placeholder: () => '?',
  selected: (_, reference) => reference,
  comparable,
  compared: (column, value) => operandFor(textOf(value), column, 'compare'),
  stored: (column, value) => notText(value) ?? operandFor(textFor(column, value), column, 'store'),
  like(column, reference, pattern, bind) {
    if (column.kind !== 'text')
      throw refused(`Column "${column.name}" is of type ${column.declared}: like compares texts only.`);
    return `${reference} like ${bind(comparedWith(mysql, column, pattern))}`;
  },
  orderKey: primaryKey,
  totalOrder: (columns, reference) => columns.flatMap((column) => orderOf(column, reference(column))),
  // As text: the driver would send numbers as doubles.
  page: (offset, limit) => `limit ${BigInt(limit)} offset ${BigInt(offset)}`,
  first: (count, columns, rest) => `select ${columns} ${rest} limit ${count}`,
  allDefaults: '() values ()',
  /** Only writes look for a table by way of this. */
  async findTable(wanted, run) {
    const table = await findTable(wanted, run);
    if (typeof table === 'string' || table.withoutTransactions === null) return table;
    return `The rows of ${shown(identifierOf(wanted))} are kept by ${table.withoutTransactions}, which has no transactions: nothing is written there.`;
  },
  constraintColumns,
  /** The lock is the session's own: it ends with the session, which is reset after each transaction that may write. */
  async lockDocument(documentId, { timeoutSeconds }, run) {
    const parameters = [`portico:${documentId}`];
    const [row] = await run<{ readonly granted: number | null }>({
      text: `select get_lock(?, ${Math.max(1, Math.floor(timeoutSeconds - 1))}) as granted`,
      parameters,
    });
    if (row?.granted !== 1)
      throw Object.assign(new Error('The lock of the document was not granted.'), { code: 'ETIMEDOUT' });
  },
  outcome: {
    by: 'row',
    primaryKey,
    isAssigned(column, reference, operand, bind) {
      const there = comparable(column, reference);
      return column.kind === 'text' || column.kind === 'json'
        ? `cast(${there} as binary) = cast(${bind(operand)} as binary)`
        : `${there} = ${bind(operand)}`;
    },
    // Other reads see what was committed last, and wait for nothing.
    waiting: { table: '', end: ' lock in share mode' },
  },
  rejection: rejectionOf,
  broken: brokenIn,
  isDeadlock,
};
