import { DomainError } from '../../../domain/errors.ts';
import type { FilterValue } from '../../../domain/filter.ts';
import { shown } from '../nearest.ts';
import type { CatalogueColumn } from './catalogue.ts';
import { unsendable } from './columns.ts';
import { failedParameter, isRejection, rejectionReason } from './errors.ts';

const decimal = /^(-?)(\d+)(?:\.(\d*?)0*)?(?:[eE]([+-]?\d{1,2}))?$/;

/** No integer type has as many digits. */
const LONGEST_INTEGER = 100;

/** `1e3` and `7.0` as the integers they are; anything else as it is, for the database to refuse. */
const asInteger = (written: string): string => {
  const [, sign, whole, fraction = '', exponent = '0'] = written.length > LONGEST_INTEGER ? [] : (decimal.exec(written) ?? []);
  if (whole === undefined) return written;
  const shift = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  if (shift >= 0) return `${sign}${digits * 10n ** BigInt(shift)}`;
  const divisor = 10n ** BigInt(-shift);
  return digits % divisor === 0n ? `${sign}${digits / divisor}` : written;
};

const written = (value: FilterValue): string => (value.type === 'boolean' ? String(value.value) : value.text);

const unconvertible = (column: CatalogueColumn, value: FilterValue) =>
  `Column "${column.name}": "${shown(written(value))}" is no ${column.dataType}`;

/** What is sent for a value, which the server then reads as the column's own type. */
export const parameterOf = (column: CatalogueColumn, value: FilterValue): string | Buffer => {
  const text = written(value);
  const error = unsendable('plain', text);
  if (error) throw new DomainError('invalid', `Column "${column.name}": the value ${error}.`);
  if (column.form === 'bytes') {
    if (unsendable('bytes', text)) throw new DomainError('invalid', `${unconvertible(column, value)} in base64.`);
    return Buffer.from(text, 'base64');
  }
  return column.form === 'integer' ? asInteger(text) : text;
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
