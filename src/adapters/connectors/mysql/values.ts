import { decimalText, readDecimal, unitsOf } from '../../../domain/decimal.ts';
import type { Operand } from '../sql/dialect.ts';
import { loses, readMoment } from '../sql/moment.ts';
import { isBase64, plain } from '../sql/values.ts';
import type { CatalogueColumn, Kind } from './catalogue.ts';
import type { Value } from './session.ts';

/** An operand, or what is wrong with the value: it completes the sentence "12 …". */
type Reading = Operand<Value> | string;

/** To compare with a column, or to be stored in it: what is compared keeps every digit, what is stored is rounded as its column is declared. */
type Use = 'compare' | 'store';

type Read = (text: string, column: CatalogueColumn, use: Use) => Reading;

const cast = (parameter: Value, type: string): Operand<Value> => ({
  parameter,
  sql: (placeholder) => `cast(${placeholder} as ${type})`,
});

const isNot = ({ declared }: CatalogueColumn) => `is no ${declared}`;

const MOST_DIGITS = 65;
const MOST_SCALE = 30;
const LEAST_SIGNED = -(2n ** 63n);
const MOST_SIGNED = 2n ** 63n - 1n;
const MOST_UNSIGNED = 2n ** 64n - 1n;

/** Without a cast the server compares a number with a text as doubles, which have fewer digits. */
const exactly = (text: string): Reading => {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  if (fraction.length > MOST_SCALE || whole.length > MOST_DIGITS - fraction.length) return 'has too many digits';
  return cast(text, `decimal(${MOST_DIGITS},${fraction.length})`);
};

const truths: Readonly<Record<string, string>> = { true: '1', false: '0' };

const integer: Read = (text, column, use) => {
  const number = readDecimal(truths[text] ?? text);
  if (number === null) return isNot(column);
  const { units, rest } = unitsOf(number, 0);
  if (use === 'store') return rest ? isNot(column) : plain(String(units));
  if (!rest && units >= LEAST_SIGNED && units <= MOST_UNSIGNED)
    return cast(String(units), units > MOST_SIGNED ? 'unsigned' : 'signed');
  return exactly(decimalText(number));
};

const bit: Read = (text, column) => {
  const number = readDecimal(truths[text] ?? text);
  const { units, rest } = number === null ? { units: -1n, rest: true } : unitsOf(number, 0);
  if (rest || units < 0n || units > MOST_UNSIGNED) return isNot(column);
  return cast(String(units), 'unsigned');
};

const decimal: Read = (text, column, use) => {
  const number = readDecimal(text);
  if (number === null) return isNot(column);
  return use === 'store' ? plain(decimalText(number)) : exactly(decimalText(number));
};

const float: Read = (text, column) => {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return isNot(column);
  const value = column.kind === 'float' ? Math.fround(Number(text)) : Number(text);
  return Number.isFinite(value) ? plain(value) : isNot(column);
};

const text: Read = (value) => {
  if (value.includes('\0')) return 'holds a NUL character, which cannot be sent';
  return value.isWellFormed() ? plain(value) : 'holds half of a surrogate pair, which is not text';
};

const bytes: Read = (value) => (isBase64(value) ? plain(Buffer.from(value, 'base64')) : 'is not base64');

const UTC = '+00:00';
/** As rows show them, where a server has let them in. */
const zeroDate = /^0000-00-00(?:[T ]00:00:00)?$/;

const moment: Read = (value, column, use) => {
  if (use === 'compare' && zeroDate.test(value)) return plain(value.replace('T', ' '));
  const read = readMoment(value.trim());
  if (read === null || read.date === null) return isNot(column);
  const { date, time, offset } = read;
  const clock = (time ?? '00:00:00').slice(0, 15);
  if (column.kind === 'date') return time === null || /^[0:.]+$/.test(time) ? plain(date) : isNot(column);
  if ((offset ?? UTC) === UTC) return plain(`${date} ${clock}`);
  if (column.kind === 'datetime') return loses('an offset', column.declared);
  const instant = new Date(`${date}T${clock.slice(0, 8)}${offset}`).toISOString();
  return plain(`${instant.slice(0, 19).replace('T', ' ')}${clock.slice(8)}`);
};

/** Hours go on beyond a day, and below zero. */
const time: Read = (value, column) =>
  /^-?\d{2,3}:[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?$/.test(value) ? plain(value) : isNot(column);

const uuid: Read = (value, column) =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value) ? plain(value) : isNot(column);

const readers: Readonly<Record<Kind, Read>> = {
  integer,
  bit,
  decimal,
  float,
  double: float,
  text,
  bytes,
  date: moment,
  time,
  datetime: moment,
  timestamp: moment,
  json: text,
  uuid,
  other: text,
};

/** Reads a value as its column's type does. */
export const operandFor = (value: string, column: CatalogueColumn, use: Use): Reading =>
  readers[column.kind](value, column, use);
