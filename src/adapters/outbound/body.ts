import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { OutboundFailure } from '../../application/ports/outbound.ts';

type Bytes = AsyncIterable<Uint8Array>;

/** What answers may be compressed with; the other ways are either rare or read differently by different programs. */
export const ACCEPT_ENCODING = 'gzip, br';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** At most so many bytes: the rest is refused. An answer that decompresses to nothing is bounded by this as well. */
const atMost = async function* (source: Bytes, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new OutboundFailure('too_large', `The answer is over ${maxBytes} bytes long.`);
    yield chunk;
  }
};

const decoderOf = (encoding: string): Transform | null => {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return null;
  const make = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (!make) throw new OutboundFailure('invalid_answer', 'The answer is compressed in a way that was not asked for.');
  return make();
};

/** Decompresses at the pace of the reader, so that little becomes much only as long as somebody wants it. */
const decompressed = async function* (source: Bytes, decoder: Transform): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  const watched = async function* () {
    for await (const chunk of source) {
      isEmpty = false;
      yield chunk;
    }
  };
  try {
    yield* pipeline(Readable.from(watched()), decoder, () => {});
  } catch (error) {
    // An empty body is no valid compressed one, and is sent all the same.
    if (!isEmpty) throw error;
  }
};

const decoded = (source: Bytes, encoding: string): Bytes => {
  const decoder = decoderOf(encoding);
  return decoder ? decompressed(source, decoder) : source;
};

/** The body as it was before it was compressed. */
export const readWhole = async (
  source: Bytes,
  encoding: string,
  maxBytes: number,
  hear: (piece: Uint8Array) => void,
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of atMost(decoded(atMost(source, maxBytes), encoding), maxBytes)) {
    chunks.push(chunk);
    hear(chunk);
  }
  return Buffer.concat(chunks);
};

/** As much of the body as there is and fits; what breaks on the way ends it. */
export const readBeginning = async (source: Bytes, encoding: string, maxBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(source, encoding)) {
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.byteLength;
      if (size >= maxBytes) break;
    }
  } catch {
    // The head has said what matters.
  }
  return Buffer.concat(chunks);
};
