import { type BlobStore, checkContentType, checkKey } from '../../application/ports/blobs.ts';
import type { Log } from '../../application/ports/runtime.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Bucket, lazyClient, type Opened, patienceOf } from './client.ts';
import { bucketFailure, notAStore, nullWhereMissing, storeFailure } from './errors.ts';
import { readObject } from './reading.ts';
import { signGet, signPut } from './signing.ts';

interface Settings extends Bucket {
  readonly maxBytes: number;
  readonly log: Log;
}

/** The slowest line that an object is still written over. */
const BYTES_PER_MS = 1_000;

/** Objects in a bucket, behind URLs that the store itself answers. */
export const s3Blobs = ({ maxBytes, log, ...where }: Settings): BlobStore & { check(): Promise<void>; close(): Promise<void> } => {
  const lazy = lazyClient(where, log);
  const Bucket = where.bucket;
  const { answerMs, checkMs } = patienceOf(where);

  const bounded = (size: number) => {
    if (size > maxBytes) throw new DomainError('too_large', `The file is larger than ${maxBytes} bytes.`, { code: 'file_too_large' });
  };

  const ask = async <T>(work: (opened: Opened) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    try {
      return await work(await lazy.get());
    } catch (error) {
      signal?.throwIfAborted();
      throw storeFailure(error);
    }
  };

  const nameOfBucket = async (abortSignal: AbortSignal) => {
    const { sdk, client } = await lazy.get();
    // Not HeadBucket: an answer to HEAD has no body, so it cannot say what is wrong.
    return (await client.send(new sdk.ListObjectsV2Command({ Bucket, MaxKeys: 1 }), { abortSignal })).Name;
  };

  return {
    async presignPut(key, { contentType, size, expiresInSeconds }) {
      checkKey(key);
      checkContentType(contentType);
      const length = size === null ? {} : { ContentLength: size };
      const object = { Bucket, Key: key, ContentType: contentType, ...length };
      return ask((opened) => signPut({ ...opened, expiresInSeconds }, object));
    },

    async presignGet(key, { expiresInSeconds }) {
      checkKey(key);
      return ask((opened) => signGet({ ...opened, expiresInSeconds }, { Bucket, Key: key }));
    },

    async head(key) {
      checkKey(key);
      const found = await ask(({ sdk, client }) => client.send(new sdk.HeadObjectCommand({ Bucket, Key: key })).catch(nullWhereMissing));
      return found && { size: found.ContentLength ?? 0, contentType: found.ContentType ?? 'application/octet-stream' };
    },

    async read(key, signal) {
      checkKey(key);
      signal?.throwIfAborted();
      return ask((opened) => readObject(opened, { Bucket, Key: key }, { bounded, signal }), signal);
    },

    async write(key, data, contentType) {
      checkKey(key);
      checkContentType(contentType);
      bounded(data.byteLength);
      const requestTimeout = answerMs + data.byteLength / BYTES_PER_MS;
      const object = { Bucket, Key: key, Body: data, ContentType: contentType };
      await ask(({ sdk, client }) => client.send(new sdk.PutObjectCommand(object), { requestTimeout }));
    },

    async remove(key) {
      checkKey(key);
      await ask(({ sdk, client }) => client.send(new sdk.DeleteObjectCommand({ Bucket, Key: key })).catch(nullWhereMissing));
    },

    async check() {
      const silence = AbortSignal.timeout(checkMs);
      // Looking for credentials heeds no signal, so the signal is waited for besides.
      const silent = new Promise<never>((_, reject) => silence.addEventListener('abort', () => reject(silence.reason), { once: true }));
      const name = await Promise.race([nameOfBucket(silence), silent]).catch((error: unknown) => {
        throw bucketFailure(where, error);
      });
      if (name !== Bucket) throw notAStore(where);
    },

    close: () => lazy.close(),
  };
};
