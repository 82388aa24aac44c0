import { readDecimal, unitsOf } from '../../../domain/decimal.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { FilterValue } from '../../../domain/filter.ts';
import type { JsonValue } from '../../../domain/json.ts';
import { shown } from '../names.ts';
import type { CatalogueColumn, Form } from './catalogue.ts';
import { failedParameter, isRejection, rejectionReason } from './errors.ts';

const scalarText = (value: JsonValue): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

type Element = string | null | readonly Element[];

const elements = (items: readonly JsonValue[], scalar: (value: JsonValue) => Element): readonly Element[] =>
  items.map((item) => (item === null ? null : scalar(item)));

const nested = (value: JsonValue): Element => (Array.isArray(value) ? elements(value, nested) : scalarText(value));

/** What is sent for a value: text, or for an array column a list of texts, which the driver writes as an array literal. */
export const encode = (form: Form, value: JsonValue): Element | Buffer => {
  if (value === null) return null;
  if (form === 'json') return JSON.stringify(value);
  if (form === 'bytes' && typeof value === 'string') return Buffer.from(value, 'base64');
  if (form === 'json_array' && Array.isArray(value)) return elements(value, (item) => JSON.stringify(item));
  return form === 'array' ? nested(value) : scalarText(value);
};

const texts = (value: JsonValue): readonly string[] =>
  Array.isArray(value) ? value.flatMap(texts) : typeof value === 'string' ? [value] : [];

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Why a value cannot be sent at all, before the database is asked. */
export const unsendable = (form: Form, value: JsonValue): string | null => {
  if (form === 'bytes')
    return value === null || (typeof value === 'string' && base64.test(value)) ? null : 'must be base64';
  if (form === 'json' || form === 'json_array') return null;
  if (texts(value).some((text) => text.includes('\0'))) return 'holds a NUL character, which the database cannot store';
  if (texts(value).some((text) => !text.isWellFormed())) return 'holds half of a surrogate pair, which is not text';
  return null;
};

/** No integer type has as many digits. */
const LONGEST_INTEGER = 100;

/** `1e3` and `7.0` as the integers they are; anything else as it is, for the database to refuse. */
const asInteger = (written: string): string => {
  const number = written.length > LONGEST_INTEGER ? null : readDecimal(written);
  const read = number && unitsOf(number, 0);
  return read === null || read.rest ? written : String(read.units);
};

const instants = new Set(['date', 'timestamp', 'timestamptz']);

/** A year before Christ, or of more than four digits, as rows show it and as the server reads it: -0043 is 44 BC. */
const asInstant = (written: string): string => {
  const [, sign, digits, rest] = /^([+-]?)(\d{4,6})(-\d\d-\d\d.*)$/s.exec(written) ?? [];
  if (digits === undefined) return written;
  if (sign !== '-' && Number(digits) > 0) return digits + rest;
  return `${`${Number(digits) + 1}`.padStart(4, '0')}${rest} BC`;
};

const written = (value: FilterValue): string => (value.type === 'boolean' ? String(value.value) : value.text);

const unconvertible = (column: CatalogueColumn, value: FilterValue) =>
  `Column "${column.name}": "${shown(written(value))}" is no ${column.dataType}`;

/** What is sent for a value, which the server then reads as the column's own type. */
export const parameterOf = (column: CatalogueColumn, value: FilterValue): string | Buffer => {
  const text = written(value);
  const error = unsendable('text', text);
  if (error) throw new DomainError('invalid', `Column "${column.name}": the value ${error}.`);
  if (column.form === 'bytes') {
    if (unsendable('bytes', text)) throw new DomainError('invalid', `${unconvertible(column, value)} in base64.`);
    return Buffer.from(text, 'base64');
  }
  if (column.form === 'integer') return asInteger(text);
  return column.base.schema === 'pg_catalog' && instants.has(column.base.name) ? asInstant(text) : text;
};

/** A value of a statement, and the column that it is compared with. */
export interface Parameter {
  readonly column: CatalogueColumn;
  readonly value: FilterValue;
}

/** Why a read is refused, in plain words; null if the error is not about what was asked for. */
export const readError = (error: unknown, parameters: readonly Parameter[]): string | null => {
  if (!isRejection(error)) return null;
  const parameter = failedParameter(error);
  const failed = parameter === null ? undefined : parameters[parameter - 1];
  return failed === undefined ? rejectionReason(error, []) : `${unconvertible(failed.column, failed.value)}.`;
};
