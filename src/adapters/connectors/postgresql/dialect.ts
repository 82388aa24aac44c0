import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readDecimal, unitsOf } from '../../../domain/decimal.ts';
import type { FilterValue } from '../../../domain/filter.ts';
import type { JsonValue } from '../../../domain/json.ts';
import { isNumber } from '../../../domain/json-number.ts';
import { refused } from '../errors.ts';
import { type Dialect, nothingBroken, type Run } from '../sql/dialect.ts';
import { loses, type Moment, readMoment } from '../sql/moment.ts';
import { isBase64, textOf } from '../sql/values.ts';
import type { Finding } from '../unanswered.ts';
import { type CatalogueColumn, constraintColumns, type Form, findTable } from './catalogue.ts';
import { isRejection, rejectionReason } from './errors.ts';
import { type Parameter, parametersOf, queryBy } from './query.ts';

const { escapeIdentifier: quote } = pg;

const asText = (reference: string) => `${reference}::pg_catalog.text`;

const typeOf = ({ ordered, base }: CatalogueColumn) =>
  ordered ? `${quote(base.schema)}.${quote(base.name)}` : 'pg_catalog.text';

const scalarText = (value: JsonValue): string =>
  typeof value === 'object' && !isNumber(value) ? JSON.stringify(value) : String(value);

const instants = new Set(['date', 'timestamp', 'timestamptz']);
const isInstant = ({ schema, name }: CatalogueColumn['base']) => schema === 'pg_catalog' && instants.has(name);

type Element = string | null | readonly Element[];

const elements = (items: readonly JsonValue[], scalar: (value: JsonValue) => Element): readonly Element[] =>
  items.map((item) => (item === null ? null : scalar(item)));

const nested = (value: JsonValue): Element => (Array.isArray(value) ? elements(value, nested) : scalarText(value));

/** With points the day comes first, whatever order the login reads dates in. */
const dayFirst = (written: string): string =>
  written.replace(/^(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/, (_, day, month, year) => `${year}-${month}-${day}`);

/** What is sent for a value: text, or for an array column a list of texts, which the driver writes as an array literal. */
const encode = ({ form, base }: CatalogueColumn, value: JsonValue): Element | Buffer => {
  if (form === 'json') return JSON.stringify(value);
  if (form === 'bytes' && typeof value === 'string') return Buffer.from(value, 'base64');
  if (form === 'json_array' && Array.isArray(value)) return elements(value, (item) => JSON.stringify(item));
  if (form === 'array') return nested(value);
  if (isInstant(base)) return dayFirst(scalarText(value));
  return form === 'integer' ? asInteger(scalarText(value)) : scalarText(value);
};

const texts = (value: JsonValue): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(texts);
  return typeof value === 'string' ? [value] : [];
};

/** Why a value cannot be sent at all, before the database is asked. */
const unsendable = (form: Form, value: JsonValue): string | null => {
  if (form === 'bytes') return typeof value === 'string' && isBase64(value) ? null : 'is not base64';
  if (form === 'json' || form === 'json_array') return null;
  if (texts(value).some((text) => text.includes('\0'))) return 'holds a NUL character, which the database cannot store';
  if (texts(value).some((text) => !text.isWellFormed())) return 'holds half of a surrogate pair, which is not text';
  return null;
};

/** What a type of the server leaves out of a text without a word: the value would be another one then. */
const losses: Readonly<Record<string, (moment: Moment, declared: string) => string | null>> = {
  date: ({ date, time }, declared) =>
    date === null || /^[0:.]*$/.test(time ?? '') ? null : `${loses('a time', declared)}: write ${date}`,
  time: ({ date, offset }, declared) => (date === null ? lostOffset(offset, declared) : loses('a date', declared)),
  timetz: ({ date }, declared) => (date === null ? null : loses('a date', declared)),
  timestamp: ({ offset }, declared) => lostOffset(offset, declared),
};

const lostOffset = (offset: string | null, declared: string): string | null =>
  offset === null || /^[+-]00:00$/.test(offset) ? null : loses('an offset', declared);

/** The day and the month of a date whose order the login decides. */
const SWAPPABLE = /^(0?[1-9]|1[0-2])([/.-])(0?[1-9]|1[0-2])\2(?:\d\d|\d{4})(?!\d)/;

/** Why a date or time would be stored, or compared, as another one. */
const misread = ({ base, declared }: CatalogueColumn, text: string): string | null => {
  if (base.schema !== 'pg_catalog') return null;
  const written = dayFirst(text.trim());
  const [, first, , second] = (isInstant(base) && SWAPPABLE.exec(written)) || [];
  if (Number(first) !== Number(second) && first !== undefined)
    return 'could be two dates: write it as year-month-day, such as 2026-11-03';
  const moment = readMoment(written);
  return moment && (losses[base.name]?.(moment, declared) ?? null);
};

/** No integer type has as many digits. */
const LONGEST_INTEGER = 100;

/** `1e3` and `7.0` as the integers they are; anything else as it is, for the database to refuse. */
const asInteger = (written: string): string => {
  const number = written.length > LONGEST_INTEGER ? null : readDecimal(written);
  const read = number && unitsOf(number, 0);
  return read === null || read.rest ? written : String(read.units);
};

/** A year before Christ, or of more than four digits, as rows show it and as the server reads it: -0043 is 44 BC. */
const asInstant = (written: string): string => {
  const [, sign, digits, rest] = /^([+-]?)(\d{4,6})(-\d\d-\d\d.*)$/s.exec(written) ?? [];
  if (digits === undefined) return written;
  if (sign !== '-' && Number(digits) > 0) return digits + rest;
  return `${`${Number(digits) + 1}`.padStart(4, '0')}${rest} BC`;
};

/** What is sent for a value to compare with, which the server then reads as the column's own type. */
const asCompared = ({ form, base }: CatalogueColumn, text: string): string | Buffer => {
  if (form === 'bytes') return Buffer.from(text, 'base64');
  if (form === 'integer') return asInteger(text);
  return isInstant(base) ? asInstant(text) : text;
};

const comparedAs = (column: CatalogueColumn, value: FilterValue, type: string) => {
  const text = textOf(value);
  const defect =
    unsendable('text', text) ?? (column.form === 'bytes' ? unsendable('bytes', text) : misread(column, text));
  if (defect !== null) return defect;
  const parameter: Parameter = { value: asCompared(column, text), column, compared: text };
  return { parameter, sql: (placeholder: string) => `${placeholder}::${type}` };
};

const isCollated = ({ base }: CatalogueColumn) =>
  base.schema === 'pg_catalog' && (base.name === 'text' || base.name === 'varchar');

/** By their bytes as text if equal values may look different, or cannot be sorted. */
const orderOf = (column: CatalogueColumn, reference: string): readonly string[] => {
  const bytes = `${asText(reference)} collate "C"`;
  if (column.exact) return [isCollated(column) ? bytes : reference];
  return column.ordered ? [reference, bytes] : [bytes];
};

/** Portico's own space among the advisory locks of the system: one lock a document. */
const LOCK_SPACE = 7004;

const POLL_MILLISECONDS = 100;

/** Another server, or one that was started anew, may count its transactions differently. */
const transaction = `
select pg_catalog.txid_current()::pg_catalog.text as id, pg_catalog.pg_postmaster_start_time()::pg_catalog.text as started`;

const status = `
select pg_catalog.txid_status($1::pg_catalog.int8) as status, pg_catalog.pg_postmaster_start_time()::pg_catalog.text as started`;

interface Noted {
  readonly id: string;
  readonly started: string;
}

/** A transaction whose session was lost is over as soon as the server notices it. */
const statusOf = async ({ id, started }: Noted, run: Run<Parameter>): Promise<Finding> => {
  const query = queryBy(run);
  for (;;) {
    const [row] = await query<{ status: string | null; started: string }>(status, [id]);
    if (row?.started !== started) return 'unclear';
    if (row.status === 'committed') return 'written';
    if (row.status === 'aborted') return 'not written';
    if (row.status === null) return 'unclear';
    await sleep(POLL_MILLISECONDS);
  }
};

export const postgresql: Dialect<CatalogueColumn, Parameter> = {
  quote,
  placeholder: (index) => `$${index + 1}`,
  selected: (_, reference) => reference,
  comparable: (column, reference) => (column.ordered ? reference : asText(reference)),
  compared: (column, value) => comparedAs(column, value, typeOf(column)),
  /**
   * Nothing is cast: the server reads the value as the type of the column, and a cast to `varchar(3)` would silently cut a longer text,
   * which an assignment refuses.
   */
  stored: (column, value) =>
    unsendable(column.form, value) ??
    misread(column, scalarText(value)) ?? {
      parameter: { value: encode(column, value), column, compared: null },
      sql: (placeholder) => placeholder,
    },
  like(column, reference, pattern, bind) {
    if (column.form !== 'text')
      throw refused(`Column "${column.name}" is ${column.declared}: "like" compares texts only.`);
    const operand = comparedAs(column, pattern, 'pg_catalog.text');
    if (typeof operand === 'string') throw refused(`Column "${column.name}": the pattern ${operand}.`);
    return `${asText(reference)} like ${bind(operand)}`;
  },
  /** The primary key, unless some of it may not be read or sorted. */
  orderKey({ columns }) {
    const key = columns
      .filter(({ keyPlace }) => keyPlace !== null)
      .toSorted((a, b) => (a.keyPlace ?? 0) - (b.keyPlace ?? 0));
    return key.every(({ hidden, ordered }) => !hidden && ordered) ? key : [];
  },
  totalOrder: (columns, reference) => columns.flatMap((column) => orderOf(column, reference(column))),
  page: (offset, limit) => `limit ${BigInt(limit)} offset ${BigInt(offset)}`,
  first: (count, columns, rest) => `select ${columns} ${rest} limit ${count}`,
  allDefaults: 'default values',
  findTable: (wanted, run) => findTable(wanted, queryBy(run)),
  constraintColumns: (table, constraint, run) => constraintColumns(table, constraint, queryBy(run)),
  async lockDocument(documentId, _, run) {
    const text = 'select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, $2))';
    await queryBy(run)(text, [documentId, LOCK_SPACE]);
  },
  outcome: {
    by: 'transaction',
    async note(run) {
      const [noted] = await queryBy(run)<Noted>(transaction);
      return async (again) => (noted ? statusOf(noted, again) : 'unclear');
    },
  },
  rejection: (error) => (isRejection(error) ? rejectionReason(error, parametersOf(error)) : null),
  broken: (error) =>
    error instanceof pg.DatabaseError
      ? { constraint: error.constraint ?? null, column: error.column ?? null }
      : nothingBroken,
  isDeadlock: (error) => error instanceof pg.DatabaseError && error.code === '40P01',
};
