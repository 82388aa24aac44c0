import { CFB } from '@e965/xlsx';

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
