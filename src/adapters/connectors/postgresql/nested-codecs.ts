import type { Codec, JsonWriter } from './json-writer.ts';

const [QUOTE, BACKSLASH, COMMA, OPEN_BRACE, CLOSE_BRACE, EQUALS] = [0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x3d];
const [CLOSE_PARENTHESIS, COLON] = [0x29, 0x3a];

const NULL = Buffer.from('null');
const isNull = (from: Buffer, start: number, end: number) => end - start === 4 && from.toString('latin1', start, end) === 'NULL';

/** Where a quoted item ends: at the quote that neither a backslash nor a second quote takes its meaning from. */
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

/** The item between its quotes, freed of what protects its quotes and backslashes. */
const unquoted = (codec: Codec, out: JsonWriter, from: Buffer, start: number, end: number) => {
  const inner = from.subarray(start, end);
  if (!inner.includes(BACKSLASH) && !inner.includes(QUOTE)) return codec(out, from, start, end);
  const freed = Buffer.allocUnsafe(inner.length);
  let length = 0;
  for (let at = 0; at < inner.length; at += 1) {
    if (inner[at] === BACKSLASH || inner[at] === QUOTE) at += 1;
    freed[length++] = inner[at] as number;
  }
  codec(out, freed, 0, length);
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

export interface Attribute {
  readonly name: string;
  readonly codec: Codec;
}

/** `(1,"a ""b""",)` as an object: what stands for nothing between two commas is null. */
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
    if (attributes.length > 0 && at !== end - 1) throw new TypeError('The server sent a row of another shape than its type has.');
  };
};
