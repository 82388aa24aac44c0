import { decimalText, readDecimal, roundedTo, unitsOf } from '../../../domain/decimal.ts';
import type { Operand as SqlOperand } from '../sql/dialect.ts';
import { loses, type Moment, readMoment } from '../sql/moment.ts';
import { isBase64, plain } from '../sql/values.ts';
import type { CatalogueColumn } from './catalogue.ts';
import { bytesParameter, floatParameter, type Parameter, realParameter, textParameter } from './session.ts';

type Operand = SqlOperand<Parameter>;

/** An operand, or what is wrong with the value: it completes the sentence "12 …". */
type Reading = Operand | string;

/** To compare with a column, or to be stored in it: what is compared keeps every digit, what is stored is rounded as its column is declared. */
export type Use = 'compare' | 'store';

type Read = (text: string, column: CatalogueColumn, use: Use) => Reading;

const converted = (type: string, value: string): Operand => ({
  parameter: textParameter(value),
  sql: (placeholder) => `convert(${type}, ${placeholder})`,
});

const isNot = ({ declared }: CatalogueColumn) => `is not ${/^[aeio]/.test(declared) ? 'an' : 'a'} ${declared}`;

const overflows = ({ declared }: CatalogueColumn) => `is an arithmetic overflow of ${declared}`;

const integers: Readonly<Record<string, readonly [bigint, bigint]>> = {
  tinyint: [0n, 255n],
  smallint: [-32_768n, 32_767n],
  int: [-2_147_483_648n, 2_147_483_647n],
  bigint: [-(2n ** 63n), 2n ** 63n - 1n],
};

const integer: Read = (text, column) => {
  const number = readDecimal(text);
  const read = number && unitsOf(number, 0);
  if (read === null || read.rest) return isNot(column);
  const [least, most] = integers[column.type] ?? [0n, 0n];
  return read.units < least || read.units > most ? overflows(column) : converted(column.type, String(read.units));
};

/** The numbers that a type has: all multiples of 10^-scale between two of them. */
interface Range {
  readonly scale: number;
  readonly least: bigint;
  readonly most: bigint;
}

const moneyScale = 4;

const rangeOf = ({ type, precision, scale }: CatalogueColumn): Range => {
  if (type === 'money') return { scale: moneyScale, least: -(2n ** 63n), most: 2n ** 63n - 1n };
  if (type === 'smallmoney') return { scale: moneyScale, least: -(2n ** 31n), most: 2n ** 31n - 1n };
  const most = 10n ** BigInt(precision) - 1n;
  return { scale, least: -most, most };
};

const multiple = (type: string, units: bigint, scale: number, lies: Operand['lies']): Operand => ({
  ...converted(type, decimalText({ digits: units, scale })),
  ...(lies && { lies }),
});

/** A number is compared with the nearest one that the column may have, and its own place beside that one is kept in mind. */
const decimal: Read = (text, column, use) => {
  const read = readDecimal(text);
  if (!read) return isNot(column);
  const { scale, least, most } = rangeOf(column);
  const { units, rest } = use === 'store' ? { units: roundedTo(read, scale), rest: false } : unitsOf(read, scale);
  const type = column.declared;
  if (units >= least && units <= most) return multiple(type, units, scale, rest ? 'above' : undefined);
  if (use === 'store') return overflows(column);
  return units > most ? multiple(type, most, scale, 'above') : multiple(type, least, scale, 'below');
};

const float: Read = (text, column) => {
  if (!readDecimal(text) && !/^[+-]?\d+(?:\.\d*)?[eE][+-]?\d+$/.test(text)) return isNot(column);
  const value = column.type === 'real' ? Math.fround(Number(text)) : Number(text);
  if (!Number.isFinite(value)) return overflows(column);
  return plain(column.type === 'real' ? realParameter(value) : floatParameter(value));
};

const bit: Read = (text, column) => {
  if (/^(?:true|1)$/i.test(text)) return converted('bit', '1');
  return /^(?:false|0)$/i.test(text) ? converted('bit', '0') : isNot(column);
};

const guid = /^\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$/i;

const uniqueidentifier: Read = (text, column) =>
  guid.test(text) ? converted('uniqueidentifier', text.replace(/[{}]/g, '')) : isNot(column);

const binary: Read = (text, column, use) => {
  if (!isBase64(text)) return 'is not base64';
  const bytes = Buffer.from(text, 'base64');
  const tooLong = use === 'store' && column.length !== null && bytes.length > column.length;
  return tooLong ? `is longer than ${column.declared}` : plain(bytesParameter(bytes));
};

const spans: Readonly<Record<string, readonly [string, string]>> = {
  datetime: ['1753-01-01', '9999-12-31'],
  smalldatetime: ['1900-01-01', '2079-06-06'],
};

const MIDNIGHT = '00:00:00.0000000';

/** ISO 8601 with a T and seven digits is read the same way in every language of a session. */
const written: Readonly<Record<string, (moment: Moment) => readonly [string, string] | null>> = {
  date: ({ date, time }) => (date !== null && (time ?? MIDNIGHT) === MIDNIGHT ? ['date', date] : null),
  time: ({ date, time }) => (date === null && time !== null ? ['time(7)', time] : null),
  datetimeoffset: ({ date, time, offset }) =>
    date === null ? null : ['datetimeoffset(7)', `${date}T${time ?? MIDNIGHT}${offset ?? '+00:00'}`],
  datetime2: ({ date, time }) => (date === null ? null : ['datetime2(7)', `${date}T${time ?? MIDNIGHT}`]),
};

const moment: Read = (text, column) => {
  const read = readMoment(text.trim());
  const [type, value] = (read && (written[column.type] ?? written.datetime2)?.(read)) ?? [];
  if (!read || type === undefined || value === undefined) return isNot(column);
  if (column.type !== 'datetimeoffset' && (read.offset ?? '+00:00') !== '+00:00')
    return loses('an offset', column.declared);
  const [first, last] = spans[column.type] ?? [];
  if (first !== undefined && last !== undefined && read.date !== null && (read.date < first || read.date > last))
    return overflows(column);
  const operand = converted(type, value);
  // The older types take three digits of a second from a text, but round what has seven.
  return first === undefined
    ? operand
    : { ...operand, sql: (placeholder) => `convert(${column.type}, ${operand.sql(placeholder)})` };
};

const LONGEST_VARCHAR = 8000;
const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);
const singleByte = new Set(['char', 'varchar', 'text']);

/**
 * Only ASCII is the same in every code page. A text with other characters is compared as what it is, because in the column's code page
 * it might turn into another one.
 */
const text: Read = (value, column, use) => {
  if (value.includes('\0')) return 'holds a NUL character, which cannot be sent';
  if (!value.isWellFormed()) return 'holds half of a surrogate pair, which is not text';
  if (use === 'store') {
    const measured = !singleByte.has(column.type) || isAscii(value);
    return measured && column.length !== null && value.length > column.length
      ? `is longer than ${column.declared}`
      : plain(textParameter(value));
  }
  const narrow = singleByte.has(column.type) && value.length <= LONGEST_VARCHAR && isAscii(value);
  return narrow ? converted(`varchar(${LONGEST_VARCHAR})`, value) : plain(textParameter(value));
};

/** Types that are stored by their text, and compared with nothing. */
const parsed =
  (sql: (column: CatalogueColumn, placeholder: string) => string): Read =>
  (value, column, use) => {
    if (use === 'compare') return `cannot be compared with a column of type ${column.declared}`;
    const operand = text(value, { ...column, length: null }, 'store');
    return typeof operand === 'string' ? operand : { ...operand, sql: (placeholder) => sql(column, placeholder) };
  };

const readers: Readonly<Record<string, Read>> = {
  tinyint: integer,
  smallint: integer,
  int: integer,
  bigint: integer,
  decimal,
  numeric: decimal,
  money: decimal,
  smallmoney: decimal,
  float,
  real: float,
  bit,
  uniqueidentifier,
  binary,
  varbinary: binary,
  image: binary,
  timestamp: binary,
  date: moment,
  time: moment,
  datetime: moment,
  smalldatetime: moment,
  datetime2: moment,
  datetimeoffset: moment,
  char: text,
  varchar: text,
  nchar: text,
  nvarchar: text,
  text,
  ntext: text,
  xml: parsed((_, placeholder) => `convert(xml, ${placeholder})`),
  geography: parsed((_, placeholder) => `geography::Parse(${placeholder})`),
  geometry: parsed((_, placeholder) => `geometry::Parse(${placeholder})`),
  hierarchyid: parsed((_, placeholder) => `hierarchyid::Parse(${placeholder})`),
  sql_variant: parsed((_, placeholder) => `convert(nvarchar(4000), ${placeholder})`),
};

const assigned = parsed((_, placeholder) => placeholder);

/** Reads a value as its column's type does. */
export const operandFor = (value: string, column: CatalogueColumn, use: Use): Reading =>
  (readers[column.type] ?? assigned)(value, column, use);
