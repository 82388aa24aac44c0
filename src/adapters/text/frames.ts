import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';

/** A message between two processes: a header that is JSON, and bytes. On the wire: both lengths (64-bit), header, bytes. */
export interface Frame {
  readonly header: unknown;
  readonly body: Uint8Array;
}

/** Where a reader writes its answers. */
export const RESULT_FD = 3;

const PREFIX_BYTES = 16;
/** A pipe takes what it is given in one go, as long as the other side keeps up: in pieces, others get their turn. */
const CHUNK_BYTES = 262_144;

export const writeFrame = async (stream: Writable, header: unknown, bodies: readonly Uint8Array[]): Promise<void> => {
  const json = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeBigUInt64LE(BigInt(json.length), 0);
  prefix.writeBigUInt64LE(BigInt(bodies.reduce((sum, body) => sum + body.length, 0)), 8);
  for (const whole of [prefix, json, ...bodies]) {
    for (let at = 0; at < whole.length; at += CHUNK_BYTES) {
      if (!stream.write(whole.subarray(at, at + CHUNK_BYTES))) await once(stream, 'drain');
    }
  }
};

/** The frames of a stream; they end with the stream. */
export async function* readFrames(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void> {
  const chunks = stream[Symbol.asyncIterator]();
  let rest = new Uint8Array(0);
  const take = async (length: number): Promise<Buffer | null> => {
    const target = Buffer.allocUnsafeSlow(length);
    for (let filled = 0; filled < length; ) {
      if (rest.length === 0) {
        const next = await chunks.next();
        if (next.done === true) return null;
        rest = new Uint8Array(next.value.buffer as ArrayBuffer, next.value.byteOffset, next.value.byteLength);
      }
      const part = rest.subarray(0, length - filled);
      target.set(part, filled);
      filled += part.length;
      rest = rest.subarray(part.length);
    }
    return target;
  };
  for (let prefix = await take(PREFIX_BYTES); prefix !== null; prefix = await take(PREFIX_BYTES)) {
    const json = await take(Number(prefix.readBigUInt64LE(0)));
    const body = await take(Number(prefix.readBigUInt64LE(8)));
    if (json === null || body === null) return;
    yield { header: JSON.parse(json.toString()), body: new Uint8Array(body.buffer, 0, body.length) };
  }
}

/** What a reader answers, and how much memory it takes by then. */
export interface AnswerHeader<Answer> {
  readonly answer: Answer;
  readonly memoryBytes: number;
}

/** In the process of a reader: answers one request after the other, until there are no more. */
export const answerRequests = async <Request, Answer>(
  respond: (
    request: Request,
    data: Uint8Array,
  ) => Promise<{ readonly answer: Answer; readonly bodies?: readonly Uint8Array[] }>,
): Promise<void> => {
  // A library's promise may still fail after its file is done.
  process.on('unhandledRejection', () => undefined);
  const results = createWriteStream('', { fd: RESULT_FD });
  for await (const { header, body } of readFrames(process.stdin)) {
    const { answer, bodies = [] } = await respond(header as Request, body);
    await writeFrame(
      results,
      { answer, memoryBytes: process.memoryUsage.rss() } satisfies AnswerHeader<Answer>,
      bodies,
    );
  }
};
