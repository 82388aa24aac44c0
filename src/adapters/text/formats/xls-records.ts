import { CFB } from '@e965/xlsx';

interface XlsbRecord {
  readonly type: number;
  readonly body: Buffer;
}

interface XlsRecord {
  readonly type: number;
  /** Where it begins, in bytes. */
  readonly at: number;
  readonly body: Buffer;
}

/** The stream of a workbook of before 2007 that has its records; empty if there is none. */
export const xlsStream = (data: Uint8Array): Buffer =>
  Buffer.from(CFB.find(CFB.read(Buffer.from(data), { type: 'buffer' }), '/Workbook')?.content ?? []);

/** The records of these types (MS-XLS 2.1.4), one after the other. */
export function* xlsRecords(stream: Buffer, ...wanted: readonly number[]): Generator<XlsRecord> {
  for (let at = 0; at + 4 <= stream.length; ) {
    const end = at + 4 + stream.readUInt16LE(at + 2);
    const type = stream.readUInt16LE(at);
    if (wanted.includes(type)) yield { type, at, body: stream.subarray(at + 4, end) };
    at = end;
  }
}

/** A text behind its length in so many bytes, and a byte that says whether its characters have two. */
export const textIn = (body: Buffer, at: number, lengthBytes: 1 | 2): string => {
  const start = at + lengthBytes + 1;
  if (body.length < start) return '';
  const count = body.readUIntLE(at, lengthBytes);
  const isWide = ((body[start - 1] ?? 0) & 1) === 1;
  return body.toString(isWide ? 'utf16le' : 'latin1', start, start + count * (isWide ? 2 : 1));
};

/** A sheet and where it begins (MS-XLS 2.4.28), and the beginning of a part. */
const BOUND_SHEET = 0x85;
export const BEGINNING = 0x809;

/** The names of the sheets of a workbook of before 2007, by where they begin. */
export const xlsSheets = (stream: Buffer): ReadonlyMap<number, string> => {
  const names = new Map<number, string>();
  for (const { body } of xlsRecords(stream, BOUND_SHEET))
    if (body.length > 8) names.set(body.readUInt32LE(0), textIn(body, 6, 1));
  return names;
};

/** The records of a part of .xlsb (MS-XLSB 2.1.4), one after the other: of type and length, each byte but the last has its highest bit set. */
export function* xlsbRecords(part: Buffer): Generator<XlsbRecord> {
  let at = 0;
  const number = (mostBytes: number): number => {
    let value = 0;
    for (let index = 0; index < mostBytes; index += 1) {
      const byte = part[at++] ?? 0;
      value |= (byte & 0x7f) << (7 * index);
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < part.length) {
    const type = number(2);
    const length = number(4);
    yield { type, body: part.subarray(at, at + length) };
    at += length;
  }
}
