import type { FieldPacket } from 'mysql2';
import type { Column } from '../../../application/ports/connectors.ts';
import { distinctNames } from '../names.ts';
import { float32Text, float64Text } from '../sql/float-text.ts';

/** A value other than null as JSON text. */
type Encode = (value: never) => string;

/** What the driver says of a column, with what its types leave out. */
export interface Field extends Pick<FieldPacket, 'name'> {
  readonly columnType: number;
  readonly columnLength: number;
  readonly decimals: number;
  readonly flags: number;
  readonly characterSet: number;
  /** MariaDB's own types and JSON, which look like texts otherwise. */
  readonly extendedTypeName?: string;
  readonly extendedFormat?: string;
}

const UNSIGNED = 32;
const ENUM = 256;
const SET = 2048;
const BINARY = 63;
const BYTES_PER_CHARACTER = 4;

const isBinary = ({ characterSet }: Field) => characterSet === BINARY;
const isUnsigned = ({ flags }: Field) => (flags & UNSIGNED) !== 0;
const fraction = ({ decimals }: Field) => (decimals > 0 && decimals <= 6 ? `(${decimals})` : '');
const integer = (name: string) => (field: Field) => (isUnsigned(field) ? `${name} unsigned` : name);
const decimal = ({ columnLength, decimals, ...field }: Field) => {
  const precision = columnLength - (decimals > 0 ? 1 : 0) - (isUnsigned(field as Field) ? 0 : 1);
  return `decimal(${precision},${decimals})`;
};

/** By the bytes that fit, which are four for each character of a text. */
const large = (field: Field): string => {
  const [tiny, small, medium] = [255, 65_535, 16_777_215].map((most) =>
    isBinary(field) ? most : most * BYTES_PER_CHARACTER,
  );
  const kind = isBinary(field) ? 'blob' : 'text';
  if (field.columnLength <= (tiny ?? 0)) return `tiny${kind}`;
  if (field.columnLength <= (small ?? 0)) return kind;
  return field.columnLength <= (medium ?? 0) ? `medium${kind}` : `long${kind}`;
};

const sized =
  (text: string, bytes: string) =>
  (field: Field): string => {
    if (field.extendedTypeName !== undefined) return field.extendedTypeName;
    if ((field.flags & ENUM) !== 0) return 'enum';
    if ((field.flags & SET) !== 0) return 'set';
    return isBinary(field)
      ? `${bytes}(${field.columnLength})`
      : `${text}(${Math.floor(field.columnLength / BYTES_PER_CHARACTER)})`;
  };

const verbatim: Encode = (value: number | string) => String(value);
const quoted: Encode = (value: string) => `"${value}"`;
const text: Encode = (value: string) => JSON.stringify(value);
const bytes = (value: Buffer) => `"${value.toString('base64')}"`;
const textOrBytes: Encode = (value: string | Buffer) =>
  typeof value === 'string' ? JSON.stringify(value) : bytes(value);
/** A column of BOOLEAN is one of TINYINT(1), which may have other numbers too. */
const boolean: Encode = (value: number) => (value === 0 || value === 1 ? String(value === 1) : String(value));
/** Zeros of ZEROFILL are no digits of a number of JSON. */
const exact: Encode = (value: string) => value.replace(/^(-?)0+(?=\d)/, '$1');
const bits: Encode = (value: Buffer) => String(BigInt(`0x${value.toString('hex') || '0'}`));
const single: Encode = (value: number) => float32Text(value);
const double: Encode = (value: number) => float64Text(value);
const date: Encode = (value: string) => `"${value.slice(0, 10)}"`;
const withoutZeros = (value: string) => value.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
const datetime: Encode = (value: string) => `"${withoutZeros(value).replace(' ', 'T')}"`;
/** The session is in UTC. */
const timestamp: Encode = (value: string) =>
  `"${withoutZeros(value).replace(' ', 'T')}${value.startsWith('0000') ? '' : '+00:00'}"`;
const structure: Encode = (value: object) => JSON.stringify(value);

/** A text that is no JSON, in spite of its type, would break the whole answer. */
const json: Encode = (value: string) => {
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
};

interface Type {
  readonly name: (field: Field) => string;
  readonly encode: Encode;
}

const named = (name: string, encode: Encode): Type => ({ name: () => name, encode });

/** By their numbers in the protocol. */
const types: Readonly<Record<number, Type>> = {
  0: { name: decimal, encode: exact },
  1: { name: integer('tinyint'), encode: verbatim },
  2: { name: integer('smallint'), encode: verbatim },
  3: { name: integer('int'), encode: verbatim },
  4: named('float', single),
  5: named('double', double),
  6: named('null', text),
  7: { name: (field) => `timestamp${fraction(field)}`, encode: timestamp },
  8: { name: integer('bigint'), encode: verbatim },
  9: { name: integer('mediumint'), encode: verbatim },
  10: named('date', date),
  11: { name: (field) => `time${fraction(field)}`, encode: quoted },
  12: { name: (field) => `datetime${fraction(field)}`, encode: datetime },
  13: named('year', verbatim),
  14: named('date', date),
  15: { name: sized('varchar', 'varbinary'), encode: textOrBytes },
  16: { name: ({ columnLength }) => `bit(${columnLength})`, encode: bits },
  242: named('vector', structure),
  245: named('json', json),
  246: { name: decimal, encode: exact },
  249: { name: large, encode: textOrBytes },
  250: { name: large, encode: textOrBytes },
  251: { name: large, encode: textOrBytes },
  252: { name: large, encode: textOrBytes },
  253: { name: sized('varchar', 'varbinary'), encode: textOrBytes },
  254: { name: sized('char', 'binary'), encode: textOrBytes },
  255: named('geometry', structure),
};

const booleans = { name: () => 'tinyint(1)', encode: boolean };

const typeOf = (field: Field): Type => {
  if (field.extendedFormat === 'json') return named('json', json);
  if (field.columnType === 1 && field.columnLength === 1) return booleans;
  return types[field.columnType] ?? named('unknown', textOrBytes);
};

export interface RowEncoder {
  readonly columns: readonly Column[];
  /** One row as a JSON object. */
  encode(values: readonly unknown[]): string;
}

export const rowEncoder = (fields: readonly Field[]): RowEncoder => {
  const names = distinctNames(fields.map(({ name }, index) => name || `column_${index + 1}`));
  const parts = fields.map((field, index) => ({
    key: `${index === 0 ? '{' : ','}${JSON.stringify(names[index])}:`,
    encode: typeOf(field).encode,
  }));
  return {
    columns: fields.map((field, index) => ({ name: names[index] ?? '', dataType: typeOf(field).name(field) })),
    encode(values) {
      let row = '';
      for (let index = 0; index < parts.length; index += 1) {
        const { key, encode } = parts[index] as (typeof parts)[number];
        const value = values[index];
        row += key + (value === null || value === undefined ? 'null' : encode(value as never));
      }
      return `${row}}`;
    },
  };
};
