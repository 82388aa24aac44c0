import { CFB } from '@e965/xlsx';

interface XlsRecord {
  readonly type: number;
  /** Where it begins, in bytes. */
  readonly at: number;
  readonly body: Buffer;
}

/** The records of these types in a workbook of before 2007 (MS-XLS 2.1.4), one after the other. */
export function* xlsRecords(data: Uint8Array, ...wanted: readonly number[]): Generator<XlsRecord> {
  const stream = CFB.find(CFB.read(Buffer.from(data), { type: 'buffer' }), '/Workbook');
  const bytes = Buffer.from(stream?.content ?? []);
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt16LE(at + 2);
    const type = bytes.readUInt16LE(at);
    if (wanted.includes(type)) yield { type, at, body: bytes.subarray(at + 4, end) };
    at = end;
  }
}
