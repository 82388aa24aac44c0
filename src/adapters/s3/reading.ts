import { Readable } from 'node:stream';
import { DomainError } from '../../domain/errors.ts';
import type { Opened } from './client.ts';
import { nullWhereMissing } from './errors.ts';

interface Terms {
  /** Throws where the size is more than may be read. */
  readonly bounded: (size: number) => void;
  readonly signal: AbortSignal | undefined;
}

/** The SDK tries again until an answer begins; where one breaks off in the middle, that is up to us. */
const READS = 2;

/** The bytes of an answer, all of them or none: what is shorter than announced is not the object. */
const readBody = async (body: unknown, size: number, { bounded, signal }: Terms): Promise<Uint8Array> => {
  if (!(body instanceof Readable)) throw new Error('the file store answered without a body');
  try {
    bounded(size);
    const bytes = new Uint8Array(size);
    let at = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      signal?.throwIfAborted();
      bytes.set(chunk, at);
      at += chunk.byteLength;
    }
    if (at !== size) throw new Error('the object ended too soon');
    return bytes;
  } finally {
    body.destroy();
  }
};

export const readObject = async (
  { sdk, client }: Opened,
  object: { readonly Bucket: string; readonly Key: string },
  terms: Terms,
): Promise<Uint8Array | null> => {
  const options = terms.signal ? { abortSignal: terms.signal } : {};
  for (let time = 1; ; time++) {
    const found = await client.send(new sdk.GetObjectCommand(object), options).catch(nullWhereMissing);
    if (!found) return null;
    try {
      return await readBody(found.Body, found.ContentLength ?? 0, terms);
    } catch (error) {
      if (time === READS || error instanceof DomainError || terms.signal?.aborted) throw error;
    }
  }
};
