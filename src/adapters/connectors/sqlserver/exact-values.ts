import type parser from 'tedious/lib/value-parser.js';
import { ExactNumber } from '../../../domain/json-number.ts';
import { float32Text } from '../sql/float-text.ts';

type ReadValue = typeof parser.readValue;
type Metadata = Parameters<ReadValue>[2];

const pad = (value: number): string => `${value}`.padStart(2, '0');

const MILLISECONDS_A_DAY = 86_400_000;

/** `2026-11-20` from days since 1970, years 1 to 9999. */
const calendarDay = (days: number): string => new Date(days * MILLISECONDS_A_DAY).toISOString().slice(0, 10);

/** `09:30:00` */
const timeOfDay = (seconds: number): string =>
  `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;

/** The digits of a fraction of a second with their point, without zeros at the end; empty if all are zeros. */
const fraction = (digits: string): string => {
  const needed = digits.replace(/0+$/, '');
  return needed === '' ? '' : `.${needed}`;
};

/** A value's text from its bytes, which the driver has found to be complete. */
type Exact = (bytes: Buffer, of: { readonly scale: number }) => string;

/** Sign (1 is positive), then the digits as one little-endian integer. */
const decimal: Exact = (bytes, { scale }) => {
  let magnitude = 0n;
  for (let index = bytes.length - 1; index >= 1; index -= 1) magnitude = (magnitude << 8n) | BigInt(bytes[index] ?? 0);
  return point(magnitude, scale, bytes[0] !== 1);
};

/** The digits with their decimal point; zero has no sign. */
const point = (magnitude: bigint, scale: number, negative: boolean): string => {
  const digits = magnitude.toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${negative && magnitude !== 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
};

const MONEY_SCALE = 4;

/** Ten-thousandths; the eight bytes of money have their higher half first. */
const money: Exact = (bytes) => {
  const amount =
    bytes.length === 4
      ? BigInt(bytes.readInt32LE(0))
      : (BigInt(bytes.readInt32LE(0)) << 32n) | BigInt(bytes.readUInt32LE(4));
  return point(amount < 0n ? -amount : amount, MONEY_SCALE, amount < 0n);
};

const DAYS_FROM_1_TO_1970 = 719_162;
const DAYS_FROM_1900_TO_1970 = 25_567;

/** Days since 0001-01-01. */
const dateAt = (bytes: Buffer, at: number) => calendarDay(bytes.readUIntLE(at, 3) - DAYS_FROM_1_TO_1970);

/** Units of 10^-scale seconds since midnight. */
const timeIn = (bytes: Buffer, scale: number): string => {
  const units = bytes.readUIntLE(0, bytes.length);
  const perSecond = 10 ** scale;
  return (
    timeOfDay(Math.floor(units / perSecond)) + fraction(`${units % perSecond}`.padStart(scale, '0').slice(0, scale))
  );
};

const date: Exact = (bytes) => dateAt(bytes, 0);

const time: Exact = (bytes, { scale }) => timeIn(bytes, scale);

const datetime2: Exact = (bytes, { scale }) =>
  `${dateAt(bytes, bytes.length - 3)}T${timeIn(bytes.subarray(0, -3), scale)}`;

const MINUTES_A_DAY = 1440;

/** Stored in UTC, with the offset that it is shown at. */
const datetimeoffset: Exact = (bytes, { scale }) => {
  const offset = bytes.readInt16LE(bytes.length - 2);
  const perMinute = 60 * 10 ** scale;
  const units = bytes.readUIntLE(0, bytes.length - 5);
  const minutes = bytes.readUIntLE(bytes.length - 5, 3) * MINUTES_A_DAY + Math.floor(units / perMinute) + offset;
  const seconds = Math.floor((units % perMinute) / 10 ** scale);
  const rest = `${units % 10 ** scale}`.padStart(scale, '0').slice(0, scale);
  const day = calendarDay(Math.floor(minutes / MINUTES_A_DAY) - DAYS_FROM_1_TO_1970);
  const zone = `${offset < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`;
  return `${day}T${timeOfDay((minutes % MINUTES_A_DAY) * 60 + seconds)}${fraction(rest)}${zone}`;
};

/** Days since 1900 and three hundredths of a second (eight bytes), or minutes (four). */
const datetime: Exact = (bytes) => {
  if (bytes.length === 4)
    return `${calendarDay(bytes.readUInt16LE(0) - DAYS_FROM_1900_TO_1970)}T${timeOfDay(bytes.readUInt16LE(2) * 60)}`;
  const milliseconds = Math.round((bytes.readUInt32LE(4) * 10) / 3);
  const rest = fraction(`${milliseconds % 1000}`.padStart(3, '0'));
  return `${calendarDay(bytes.readInt32LE(0) - DAYS_FROM_1900_TO_1970)}T${timeOfDay(Math.floor(milliseconds / 1000))}${rest}`;
};

interface Form {
  readonly exact: Exact;
  /** How many bytes before the value are its length. */
  readonly lengthBytes: 0 | 1;
}

const forms = new Map<string, Form>([
  ['DecimalN', { exact: decimal, lengthBytes: 1 }],
  ['NumericN', { exact: decimal, lengthBytes: 1 }],
  ['Money', { exact: money, lengthBytes: 0 }],
  ['SmallMoney', { exact: money, lengthBytes: 0 }],
  ['MoneyN', { exact: money, lengthBytes: 1 }],
  ['Date', { exact: date, lengthBytes: 1 }],
  ['Time', { exact: time, lengthBytes: 1 }],
  ['DateTime2', { exact: datetime2, lengthBytes: 1 }],
  ['DateTimeOffset', { exact: datetimeoffset, lengthBytes: 1 }],
  ['DateTime', { exact: datetime, lengthBytes: 0 }],
  ['SmallDateTime', { exact: datetime, lengthBytes: 0 }],
  ['DateTimeN', { exact: datetime, lengthBytes: 1 }],
]);

const bigint: Exact = (bytes) => bytes.readBigInt64LE(0).toString();

const real: Exact = (bytes) => float32Text(bytes.readFloatLE(0));

const numeric = new Set([decimal, money, bigint, real]);

/** The types inside an sql_variant by the numbers of MS-TDS 2.2.5.5.3, and the place of the scale in their properties. */
const variants = new Map<number, { readonly exact: Exact; readonly scaleAt: number | null }>([
  [0x6a, { exact: decimal, scaleAt: 1 }],
  [0x6c, { exact: decimal, scaleAt: 1 }],
  [0x3c, { exact: money, scaleAt: null }],
  [0x7a, { exact: money, scaleAt: null }],
  [0x7f, { exact: bigint, scaleAt: null }],
  [0x3b, { exact: real, scaleAt: null }],
  [0x28, { exact: date, scaleAt: null }],
  [0x29, { exact: time, scaleAt: 0 }],
  [0x2a, { exact: datetime2, scaleAt: 0 }],
  [0x2b, { exact: datetimeoffset, scaleAt: 0 }],
  [0x3a, { exact: datetime, scaleAt: null }],
  [0x3d, { exact: datetime, scaleAt: null }],
]);

/** Length (4 bytes), type, number of bytes of properties, properties, value. */
const variant = (bytes: Buffer, value: unknown): unknown => {
  const form = variants.get(bytes[4] ?? 0);
  const properties = bytes[5] ?? 0;
  if (!form) return value;
  const scale = form.scaleAt === null ? 0 : (bytes[6 + form.scaleAt] ?? 0);
  const text = form.exact(bytes.subarray(6 + properties), { scale });
  // A number must not be taken for a text.
  return numeric.has(form.exact) ? new ExactNumber(text) : text;
};

const isInexact = ({ type }: Metadata): boolean => type.name === 'Variant' || forms.has(type.name);

const exactValue = (bytes: Buffer, { type, scale }: Metadata, value: unknown): unknown => {
  if (type.name === 'Variant') return variant(bytes, value);
  const form = forms.get(type.name);
  return form ? form.exact(bytes.subarray(form.lengthBytes), { scale: scale ?? 0 }) : value;
};

/** Asks the driver's own reader where a value ends, and reads the value again from the same bytes, as text. */
export const exactReader =
  (read: ReadValue, isExact: (options: object) => boolean): ReadValue =>
  (buffer, offset, metadata, options) => {
    const result = read(buffer, offset, metadata, options);
    if (result.value === null || !isInexact(metadata) || !isExact(options)) return result;
    result.value = exactValue(buffer.subarray(offset, result.offset), metadata, result.value);
    return result;
  };
