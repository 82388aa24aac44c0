import type { ColumnMetadata } from 'tedious/lib/token/colmetadata-token-parser.js';
import type { Column } from '../../../application/ports/connectors.ts';
import { ExactNumber } from '../../../domain/json-number.ts';
import { refused } from '../errors.ts';
import { distinctNames } from '../names.ts';
import { float32Text, float64Text } from '../sql/float-text.ts';
import { LONGEST_VALUE } from './pool-config.ts';

export type { ColumnMetadata };

/** A value other than null as JSON text. */
type Encode = (value: unknown) => string;

const MAX = 65535;

const lengthText = (bytes: number | undefined, bytesPerCharacter: number): string =>
  bytes === undefined || bytes === MAX ? '(max)' : `(${bytes / bytesPerCharacter})`;

const sized: Readonly<Record<string, (metadata: ColumnMetadata) => string>> = {
  Char: ({ dataLength }) => `char${lengthText(dataLength, 1)}`,
  VarChar: ({ dataLength }) => `varchar${lengthText(dataLength, 1)}`,
  NChar: ({ dataLength }) => `nchar${lengthText(dataLength, 2)}`,
  NVarChar: ({ dataLength }) => `nvarchar${lengthText(dataLength, 2)}`,
  Binary: ({ dataLength }) => `binary${lengthText(dataLength, 1)}`,
  VarBinary: ({ dataLength }) => `varbinary${lengthText(dataLength, 1)}`,
  DecimalN: ({ precision, scale }) => `decimal(${precision},${scale})`,
  NumericN: ({ precision, scale }) => `numeric(${precision},${scale})`,
  Time: ({ scale }) => `time(${scale})`,
  DateTime2: ({ scale }) => `datetime2(${scale})`,
  DateTimeOffset: ({ scale }) => `datetimeoffset(${scale})`,
  IntN: ({ dataLength }) => ({ 1: 'tinyint', 2: 'smallint', 8: 'bigint' })[dataLength ?? 4] ?? 'int',
  FloatN: ({ dataLength }) => (dataLength === 4 ? 'real' : 'float'),
  MoneyN: ({ dataLength }) => (dataLength === 4 ? 'smallmoney' : 'money'),
  DateTimeN: ({ dataLength }) => (dataLength === 4 ? 'smalldatetime' : 'datetime'),
  BitN: () => 'bit',
  Variant: () => 'sql_variant',
  UDT: ({ udtInfo }) => udtInfo?.typeName ?? 'udt',
};

/** The database's own name of the type of a column of an answer. */
export const dataTypeOf = (metadata: ColumnMetadata): string =>
  sized[metadata.type.name]?.(metadata) ?? metadata.type.name.toLowerCase();

const verbatim: Encode = (value) => String(value);

const quoted: Encode = (value) => `"${value}"`;

const bytes: Encode = (value) => `"${(value as Buffer).toString('base64')}"`;

/** The server cuts a longer value in silence; the check is worth its time for long ones only. */
const whole = (name: string, value: { readonly length: number }, size: () => number) => {
  if (value.length >= LONGEST_VALUE / 4 && size() >= LONGEST_VALUE - 4) {
    throw refused(
      `Column "${name}" has a value over ${LONGEST_VALUE / 1024 / 1024} MiB, which is longer than can be read.`,
    );
  }
};

const variant: Encode = (value) => {
  if (value instanceof ExactNumber) return value.text;
  if (Buffer.isBuffer(value)) return bytes(value);
  return typeof value === 'number' ? float64Text(value) : JSON.stringify(value);
};

const widths: Readonly<Record<string, number>> = { NVarChar: 2, NText: 2, Xml: 2 };

const single: Encode = (value) => float32Text(value as number);

const double: Encode = (value) => float64Text(value as number);

const byType = new Map<string, Encode>([
  ...['TinyInt', 'SmallInt', 'Int', 'BigInt', 'IntN', 'Bit', 'BitN', 'Null'].map((type) => [type, verbatim] as const),
  ...['DecimalN', 'NumericN', 'Money', 'SmallMoney', 'MoneyN'].map((type) => [type, verbatim] as const),
  ...['Date', 'Time', 'DateTime', 'SmallDateTime', 'DateTimeN', 'DateTime2', 'DateTimeOffset'].map(
    (type) => [type, quoted] as const,
  ),
  ['UniqueIdentifier', quoted],
  ['Real', single],
  ['Float', double],
  ['Binary', bytes],
  ['Variant', variant],
]);

const longBytes =
  (name: string): Encode =>
  (value) => {
    const buffer = value as Buffer;
    whole(name, buffer, () => buffer.length);
    return bytes(buffer);
  };

const longText = (name: string, type: string): Encode => {
  const width = widths[type];
  return (value) => {
    const text = value as string;
    whole(name, text, () => (width === undefined ? Buffer.byteLength(text) : text.length * width));
    return JSON.stringify(text);
  };
};

/** `json`: the text of the column is JSON already. */
const encoderOf = (metadata: ColumnMetadata, json = false): Encode => {
  const { name } = metadata.type;
  if (json) return verbatim;
  if (name === 'FloatN') return metadata.dataLength === 4 ? single : double;
  if (name === 'VarBinary' || name === 'Image' || name === 'UDT') return longBytes(metadata.colName);
  return byType.get(name) ?? longText(metadata.colName, name);
};

/** Without a name the third column is `column_3`. */
export const columnNames = (names: readonly string[]): readonly string[] =>
  distinctNames(names.map((name, index) => name || `column_${index + 1}`));

export type Cells = readonly { readonly value: unknown }[];

export interface RowEncoder {
  readonly columns: readonly Column[];
  /** One row as a JSON object. */
  encode(cells: Cells): string;
  /** The rows are pieces of one value: together they make one object. */
  readonly joins?: boolean;
  /** What closes that object. */
  end?(): string;
}

export const rowEncoder = (
  metadata: readonly ColumnMetadata[],
  isJson: (name: string) => boolean = () => false,
): RowEncoder => {
  const names = columnNames(metadata.map(({ colName }) => colName));
  const parts = metadata.map((column, index) => ({
    key: `${index === 0 ? '{' : ','}${JSON.stringify(names[index])}:`,
    encode: encoderOf(column, isJson(column.colName)),
  }));
  return {
    columns: metadata.map((column, index) => ({ name: names[index] ?? '', dataType: dataTypeOf(column) })),
    encode(cells) {
      let text = '';
      for (let index = 0; index < parts.length; index += 1) {
        const { key, encode } = parts[index] as (typeof parts)[number];
        const value = cells[index]?.value;
        text += key + (value === null || value === undefined ? 'null' : encode(value));
      }
      return `${text}}`;
    },
  };
};

/** What the server calls the one column of FOR JSON and FOR XML, whose single value comes in pieces, each as a row. */
const JOINED = /^(?:JSON|XML)_F52E2B61-18A1-11d1-B105-00805F49916B$/i;

/** Joins the pieces into the one value that they are; null for an ordinary answer. */
export const joinedEncoder = (columns: readonly ColumnMetadata[]): RowEncoder | null => {
  const [only, ...others] = columns;
  if (!only || others.length > 0 || !JOINED.test(only.colName)) return null;
  let begun = false;
  return {
    columns: [{ name: only.colName, dataType: dataTypeOf(only) }],
    joins: true,
    encode([piece]) {
      const opening = begun ? '' : `{${JSON.stringify(only.colName)}:"`;
      begun = true;
      return opening + JSON.stringify(String(piece?.value ?? '')).slice(1, -1);
    },
    end: () => (begun ? '"}' : ''),
  };
};
