import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { OutboundFailure } from '../../application/ports/outbound.ts';

type Bytes = AsyncIterable<Uint8Array>;

/** The encodings that requests ask for; others are rare, or programs disagree about them. */
export const ACCEPT_ENCODING = 'gzip, br';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Throws once there are more bytes. */
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

/** Decompresses at the pace of the reader, so that a small body expands only as far as it is read. */
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
    // Some servers send an empty body with a Content-Encoding, although it is not valid.
    if (!isEmpty) throw error;
  }
};

const decoded = (source: Bytes, encoding: string): Bytes => {
  const decoder = decoderOf(encoding);
  return decoder ? decompressed(source, decoder) : source;
};

/** The whole body, decompressed; `onPiece` gets it piece by piece as it arrives. */
export const readWhole = async (
  source: Bytes,
  encoding: string,
  maxBytes: number,
  onPiece: (piece: Uint8Array) => void,
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  // The bytes as they travel are limited too: a long body may decompress to nothing.
  for await (const chunk of atMost(decoded(atMost(source, maxBytes), encoding), maxBytes)) {
    chunks.push(chunk);
    onPiece(chunk);
  }
  return Buffer.concat(chunks);
};

/** The first bytes of the body, as many as arrive without an error. */
export const readBeginning = async (source: Bytes, encoding: string, maxBytes: number) => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let brokeOff = false;
  try {
    for await (const chunk of decoded(source, encoding)) {
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.byteLength;
      if (size >= maxBytes) break;
    }
  } catch {
    // The beginning is wanted even if the rest is broken.
    brokeOff = size < maxBytes;
  }
  return { body: Buffer.concat(chunks), brokeOff };
};
