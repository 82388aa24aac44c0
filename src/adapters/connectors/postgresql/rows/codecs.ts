import type { Codec, JsonWriter } from './json-writer.ts';

const QUOTE = 0x22;
const PLUS = 0x2b;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
const T_UPPER = 0x54;
const T_LOWER = 0x74;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const EQUALS = 0x3d;
const CLOSE_PARENTHESIS = 0x29;
const COLON = 0x3a;

/** The text is JSON already: integers, json. */
export const verbatim: Codec = (out, from, start, end) => out.raw(from, start, end);

export const text: Codec = (out, from, start, end) => out.string(from, start, end);

/** Every digit as the database wrote it; NaN and the infinities, which JSON has no numbers for, as strings. */
export const number: Codec = (out, from, start, end) => {
  const first = from[from[start] === MINUS ? start + 1 : start] as number;
  if (first >= ZERO && first <= NINE) out.raw(from, start, end);
  else out.string(from, start, end);
};

export const boolean: Codec = (out, from, start) => out.ascii(from[start] === T_LOWER ? 'true' : 'false');

/** `\x0aff` as base64. */
export const bytes: Codec = (out, from, start, end) => {
  const decoded = Buffer.from(from.toString('latin1', start + 2, end), 'hex');
  out.byte(QUOTE);
  out.ascii(decoded.toString('base64'));
  out.byte(QUOTE);
};

const instant = /^(\d{4,})(-\d\d-\d\d)(?: (\d\d:\d\d:\d\d(?:\.\d+)?)(?:([+-]\d\d)(:\d\d(?::\d\d)?)?)?)?( BC)?$/;

/** The year of ISO 8601: 1 BC is 0000, and what has other than four digits has a sign. */
const isoYear = (digits: string, beforeChrist: boolean) => {
  const year = beforeChrist ? 1 - Number(digits) : Number(digits);
  const written = `${Math.abs(year)}`.padStart(4, '0');
  if (year < 0) return `-${written}`;
  return year > 9999 ? `+${written}` : written;
};

/** Dates and timestamps with a year of more than four digits or before Christ; infinite ones stay as they are. */
const rare = (written: string): string => {
  const [, year, day, time, hours, rest, era] = instant.exec(written) ?? [];
  if (year === undefined) return written;
  const zone = hours === undefined ? '' : hours + (rest ?? ':00');
  return `${isoYear(year, era !== undefined)}${day}${time === undefined ? '' : `T${time}`}${zone}`;
};

const writeText = (out: JsonWriter, value: string) => {
  const encoded = Buffer.from(value);
  out.string(encoded, 0, encoded.length);
};

const isPlain = (from: Buffer, start: number, end: number) =>
  (from[start] as number) <= NINE && from[start + 4] === MINUS && (from[end - 1] as number) <= NINE;

/** `2026-11-20`, also for an array's element of that type. */
export const date: Codec = (out, from, start, end) => {
  if (isPlain(from, start, end)) out.string(from, start, end);
  else writeText(out, rare(from.toString('latin1', start, end)));
};

/** `2026-11-20 09:30:00.25+00` with a T, and minutes in its offset. */
export const timestamp: Codec = (out, from, start, end) => {
  if (!isPlain(from, start, end) || from[start + 10] !== SPACE)
    return writeText(out, rare(from.toString('latin1', start, end)));
  out.byte(QUOTE);
  out.raw(from, start, start + 10);
  out.byte(T_UPPER);
  out.raw(from, start + 11, end);
  if (endsInHours(from, end)) out.ascii(':00');
  out.byte(QUOTE);
};

const endsInHours = (from: Buffer, end: number) => from[end - 3] === PLUS || from[end - 3] === MINUS;

/** `09:30:00+02`, whose offset lacks its minutes. */
export const timeWithZone: Codec = (out, from, start, end) => {
  out.byte(QUOTE);
  out.raw(from, start, end);
  if (endsInHours(from, end)) out.ascii(':00');
  out.byte(QUOTE);
};

const NULL = Buffer.from('null');
const isNull = (from: Buffer, start: number, end: number) =>
  end - start === 4 && from.toString('latin1', start, end) === 'NULL';

/** Where a quoted item ends: at the first quote that neither a backslash nor a second quote escapes. */
const endOfQuoted = (from: Buffer, start: number): number => {
  let at = start;
  for (;;) {
    const byte = from[at];
    if (byte === undefined) throw new TypeError('The server sent a value that has no end.');
    if (byte === BACKSLASH) at += 2;
    else if (byte !== QUOTE) at += 1;
    else if (from[at + 1] === QUOTE) at += 2;
    else return at;
  }
};

/** The item between its quotes, without what escapes its quotes and backslashes. */
const unquoted = (codec: Codec, out: JsonWriter, from: Buffer, start: number, end: number) => {
  const inner = from.subarray(start, end);
  if (!inner.includes(BACKSLASH) && !inner.includes(QUOTE)) return codec(out, from, start, end);
  const plain = Buffer.allocUnsafe(inner.length);
  let length = 0;
  for (let at = 0; at < inner.length; at += 1) {
    if (inner[at] === BACKSLASH || inner[at] === QUOTE) at += 1;
    plain[length++] = inner[at] as number;
  }
  codec(out, plain, 0, length);
};

/** `{1,NULL,"a,b",{…}}` as a JSON array; bounds that do not begin at 1 (`[0:1]={…}`) are left out. */
export const array = (element: Codec, delimiter: string): Codec => {
  const between = delimiter.charCodeAt(0);
  const list = (out: JsonWriter, from: Buffer, start: number): number => {
    out.ascii('[');
    let at = start + 1;
    while (from[at] !== CLOSE_BRACE) {
      if (from[at] === between) {
        out.byte(COMMA);
        at += 1;
      }
      at = item(out, from, at);
    }
    out.ascii(']');
    return at + 1;
  };
  const item = (out: JsonWriter, from: Buffer, start: number): number => {
    if (from[start] === OPEN_BRACE) return list(out, from, start);
    if (from[start] === QUOTE) {
      const end = endOfQuoted(from, start + 1);
      unquoted(element, out, from, start + 1, end);
      return end + 1;
    }
    let end = start;
    while (from[end] !== between && from[end] !== CLOSE_BRACE) {
      if (end >= from.length) throw new TypeError('The server sent an array that has no end.');
      end += 1;
    }
    if (isNull(from, start, end)) out.raw(NULL, 0, 4);
    else element(out, from, start, end);
    return end;
  };
  return (out, from, start) => {
    list(out, from, from[start] === OPEN_BRACE ? start : from.indexOf(EQUALS, start) + 1);
  };
};

interface Attribute {
  readonly name: string;
  readonly codec: Codec;
}

/** `(1,"a ""b""",)` as an object: nothing between two commas is null. */
export const composite = (attributes: readonly Attribute[]): Codec => {
  const keys = attributes.map(({ name }, index) => Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(name)}`));
  const value = (codec: Codec, out: JsonWriter, from: Buffer, start: number): number => {
    if (from[start] === QUOTE) {
      const end = endOfQuoted(from, start + 1);
      unquoted(codec, out, from, start + 1, end);
      return end + 1;
    }
    let end = start;
    while (from[end] !== COMMA && from[end] !== CLOSE_PARENTHESIS) {
      if (end >= from.length) throw new TypeError('The server sent a row that has no end.');
      end += 1;
    }
    if (end === start) out.raw(NULL, 0, 4);
    else codec(out, from, start, end);
    return end;
  };
  return (out, from, start, end) => {
    let at = start;
    out.byte(OPEN_BRACE);
    for (const [index, { codec }] of attributes.entries()) {
      const key = keys[index] as Buffer;
      out.raw(key, 0, key.length);
      out.byte(COLON);
      at = value(codec, out, from, at + 1);
    }
    out.byte(CLOSE_BRACE);
    if (attributes.length > 0 && at !== end - 1)
      throw new TypeError('The server sent a row of another shape than its type has.');
  };
};
