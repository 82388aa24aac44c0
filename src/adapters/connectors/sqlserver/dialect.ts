import { refused } from '../errors.ts';
import { type Assignment, type Dialect, nothingBroken, type Statement } from '../sql/dialect.ts';
import { comparedWith, notText, textOf } from '../sql/values.ts';
import { type CatalogueColumn, type CatalogueTable, constraintColumns, findTable } from './catalogue.ts';
import { brokenIn, isDeadlock, reasonOf, rejectionOf } from './errors.ts';
import { operandFor } from './operands.ts';
import { bigintParameter, intParameter, lockMilliseconds, type Parameter, textParameter } from './session.ts';

/** A name as it stands in T-SQL, whatever is in it. */
export const quoteName = (name: string): string => `[${name.replaceAll(']', ']]')}]`;

const jsonTypes = new Set(['json', 'vector']);

/** The column's value as JSON text. */
export const isJsonColumn = ({ type }: CatalogueColumn): boolean => jsonTypes.has(type);

const longTexts = new Set(['text', 'ntext', 'xml', 'json', 'vector']);

const asText = (reference: string): string => `convert(nvarchar(max), ${reference})`;

/** The expression by which a column is compared and sorted: its text or bytes if the type itself has no order. */
const comparable = (column: CatalogueColumn, reference: string): string => {
  if (column.type === 'hierarchyid') return reference;
  if (column.clr) return `${reference}.ToString()`;
  if (longTexts.has(column.type)) return asText(reference);
  return column.type === 'image' ? `convert(varbinary(max), ${reference})` : reference;
};

const textTypes = new Set(['char', 'varchar', 'nchar', 'nvarchar', 'text', 'ntext']);

const isText = ({ type }: CatalogueColumn): boolean => textTypes.has(type);

const unbounded = new Set(['char', 'varchar', 'nchar', 'nvarchar', 'binary', 'varbinary']);

/** A value of it may be too large to sort by. */
const isLarge = ({ type, length, clr }: CatalogueColumn): boolean =>
  clr ? type !== 'hierarchyid' : longTexts.has(type) || type === 'image' || (unbounded.has(type) && length === null);

/** `%`, `_` and a backslash before either mean what they mean everywhere; brackets, which mean something to this database only, are texts. */
const withoutBrackets = (pattern: string): string =>
  pattern.replace(/\\[\s\S]|\[/g, (part) => (part === '[' ? '\\[' : part));

/** The columns that have a place in an index, in its order. */
const inOrder = (
  columns: readonly CatalogueColumn[],
  ordinal: (column: CatalogueColumn) => number,
): readonly CatalogueColumn[] =>
  columns.filter((column) => ordinal(column) > 0).toSorted((one, other) => ordinal(one) - ordinal(other));

const primaryKey = ({ columns }: Pick<CatalogueTable, 'columns'>) => inOrder(columns, ({ keyOrdinal }) => keyOrdinal);

/** Stands for a large value in an order; it also distinguishes texts that are equal in a collation. */
const digest = (expression: string): string => `hashbytes('SHA2_256', ${expression})`;

const LOCK = `declare @portico_lock int;
exec @portico_lock = sp_getapplock @Resource = @p0, @LockMode = N'Exclusive', @LockOwner = N'Transaction', @LockTimeout = @p1;
select @portico_lock as answer`;

const singleByte = new Set(['char', 'varchar', 'text']);

/** A collation is a name without quotes in the statement, so it must be one. */
const isCollation = (name: string | null): name is string => name !== null && /^\w+$/.test(name);

/** A text for a column of one code page with characters that it may not have: the database would store question marks in silence. */
const isDoubtful = ({ column, operand }: Assignment<CatalogueColumn, Parameter>): boolean =>
  operand !== null &&
  singleByte.has(column.type) &&
  isCollation(column.collation) &&
  typeof operand.parameter.value === 'string' &&
  /[^\0-\x7f]/.test(operand.parameter.value);

/** There and back by way of the column's code page, compared by its bytes: a collation takes many things for the same. */
const survives = ({ column }: Assignment<CatalogueColumn, Parameter>, index: number): string => {
  const there = `convert(varchar(max), @p${index} collate ${column.collation})`;
  return `case when convert(varbinary(max), convert(nvarchar(max), ${there})) = convert(varbinary(max), convert(nvarchar(max), @p${index})) then 1 else 0 end as c${index}`;
};

export const losslessStatement = (
  assignments: readonly Assignment<CatalogueColumn, Parameter>[],
): Statement<Parameter> => ({
  text: `select ${assignments.map(survives).join(', ')}`,
  parameters: assignments.flatMap(({ operand }) => (operand === null ? [] : [operand.parameter])),
});

/** Texts are the same to the letter, whatever their collation takes for the same. */
const TO_THE_LETTER = 'collate Latin1_General_100_BIN2';

const comparableTypes = new Set([
  'tinyint',
  'smallint',
  'int',
  'bigint',
  'decimal',
  'numeric',
  'money',
  'smallmoney',
  'float',
  'real',
  'bit',
  'uniqueidentifier',
  'binary',
  'varbinary',
  'date',
  'time',
  'datetime',
  'smalldatetime',
  'datetime2',
  'datetimeoffset',
]);

export const sqlserver: Dialect<CatalogueColumn, Parameter> = {
  quote: quoteName,
  placeholder: (index) => `@p${index}`,
  selected(column, reference) {
    if (column.clr) return `${reference}.ToString()`;
    return isJsonColumn(column) ? asText(reference) : reference;
  },
  comparable,
  compared: (column, value) => operandFor(textOf(value), column, 'compare'),
  stored: (column, value) =>
    notText(value) ?? operandFor(typeof value === 'object' ? JSON.stringify(value) : String(value), column, 'store'),
  like(column, reference, pattern, bind) {
    if (!isText(column))
      throw refused(`Column "${column.name}" is of type ${column.declared}: like compares texts only.`);
    const operand = comparedWith(sqlserver, column, { type: 'text', text: withoutBrackets(textOf(pattern)) });
    return `${comparable(column, reference)} like ${bind(operand)} escape N'\\'`;
  },
  orderKey({ columns }) {
    const primary = primaryKey({ columns });
    return primary.length > 0 ? primary : inOrder(columns, ({ uniqueOrdinal }) => uniqueOrdinal);
  },
  totalOrder: (columns, reference) => [
    ...columns.filter((column) => !isLarge(column)).map((column) => comparable(column, reference(column))),
    // No large value is copied into the sort, only its digest.
    ...columns
      .filter((column) => isLarge(column) || isText(column))
      .map((column) => digest(comparable(column, reference(column)))),
  ],
  page(offset, limit, bind) {
    const count = (value: number) => bind({ parameter: bigintParameter(value), sql: (placeholder) => placeholder });
    return `offset ${count(offset)} rows fetch next ${count(limit)} rows only`;
  },
  first: (count, columns, rest) => `select top (${count}) ${columns} ${rest}`,
  allDefaults: 'default values',
  findTable,
  constraintColumns,
  async lockDocument(documentId, { timeoutSeconds }, run) {
    const parameters = [textParameter(`portico:${documentId}`), intParameter(lockMilliseconds(timeoutSeconds))];
    const [row] = await run<{ readonly answer: number }>({ text: LOCK, parameters });
    if ((row?.answer ?? -1) < 0)
      throw Object.assign(new Error('The lock of the document was not granted.'), { code: 'ETIMEOUT' });
  },
  async assertLossless(assignments, run) {
    const doubtful = assignments.filter(isDoubtful);
    if (doubtful.length === 0) return;
    const [answer] = await run<Readonly<Record<string, unknown>>>(losslessStatement(doubtful));
    const lost = doubtful.filter((_, index) => answer?.[`c${index}`] !== 1).map(({ column }) => `"${column.name}"`);
    if (lost.length > 0)
      throw refused(
        `Column ${lost.join(', ')}: the text has characters that the code page of the column's type cannot hold.`,
      );
  },
  outcome: {
    by: 'row',
    primaryKey,
    isAssigned(column, reference, operand, bind) {
      const there = comparable(column, reference);
      if (isText(column)) return `${there} ${TO_THE_LETTER} = ${bind(operand)} ${TO_THE_LETTER}`;
      return comparableTypes.has(column.type) ? `${there} = convert(${column.declared}, ${bind(operand)})` : '1 = 0';
    },
    // Readers that see older versions of rows would wait for nothing.
    waiting: { table: ' with (readcommittedlock)', end: '' },
  },
  rejection(error) {
    const rejection = rejectionOf(error);
    return rejection && reasonOf(rejection);
  },
  broken(error) {
    const rejection = rejectionOf(error);
    return rejection ? brokenIn(rejection) : nothingBroken;
  },
  isDeadlock,
};
