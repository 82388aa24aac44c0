import { Readable } from 'node:stream';
import type { _Object } from '@aws-sdk/client-s3';
import pRetry from 'p-retry';
import { concurrently, inTime } from '../../application/async.ts';
import {
  attachmentNamed,
  type BesideInfo,
  type BlobStore,
  besideKey,
  checkContentType,
  checkKey,
  checkSize,
} from '../../application/ports/blobs.ts';
import type { Log } from '../../application/ports/runtime.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Bucket, type Clients, lazyClients, timeoutsOf } from './client.ts';
import { bucketFailure, notAStore, nullIfMissing, storeFailure } from './errors.ts';
import { sign } from './signing.ts';

interface Settings extends Bucket {
  readonly maxBytes: number;
  readonly log: Log;
}

/** The slowest connection over which an object is still written. */
const BYTES_PER_MS = 1_000;

const REQUESTS_AT_ONCE = 8;

/** Reads the whole body into memory; a body that is shorter than announced is an error. */
const readBody = async (body: unknown, size: number, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> => {
  if (!(body instanceof Readable)) throw new Error('the file store answered without a body');
  try {
    checkSize(size, maxBytes);
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

/** Objects in a bucket, behind URLs that the store itself answers. */
export const s3Blobs = ({ maxBytes, log, ...settings }: Settings): BlobStore & { check(): Promise<void>; close(): Promise<void> } => {
  const clients = lazyClients(settings, log);
  const Bucket = settings.bucket;
  const { answerMs, checkMs } = timeoutsOf(settings);

  const ask = async <T>(work: (clients: Clients) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    try {
      return await work(await clients.get());
    } catch (error) {
      signal?.throwIfAborted();
      throw storeFailure(error);
    }
  };

  const nameOfBucket = async (abortSignal: AbortSignal) => {
    const { sdk, client } = await clients.get();
    // Not HeadBucket: a response to HEAD has no body that could name the error.
    return (await client.send(new sdk.ListObjectsV2Command({ Bucket, MaxKeys: 1 }), { abortSignal })).Name;
  };

  const removeOne = (key: string) =>
    ask(({ sdk, client }) => client.send(new sdk.DeleteObjectCommand({ Bucket, Key: key })).catch(nullIfMissing));

  const besideOf = async (key: string): Promise<readonly BesideInfo[]> => {
    const Prefix = besideKey(key, '');
    const found = await ask(async ({ sdk, client }) => {
      const objects: _Object[] = [];
      for await (const { Contents = [] } of sdk.paginateListObjectsV2({ client }, { Bucket, Prefix })) objects.push(...Contents);
      return objects;
    });
    return found
      .toSorted((a, b) => (a.LastModified?.getTime() ?? 0) - (b.LastModified?.getTime() ?? 0))
      .map(({ Key = '', Size = 0 }) => ({ name: Key.slice(Prefix.length), size: Size }));
  };

  return {
    async presignPut(key, { contentType, size, expiresInSeconds }) {
      checkKey(key);
      checkContentType(contentType);
      const object = { Bucket, Key: key, ContentType: contentType, ...(size !== null && { ContentLength: size }) };
      const signed = await ask((opened) => sign(opened, new opened.sdk.PutObjectCommand(object), expiresInSeconds));
      return { ...signed, method: 'PUT', headers: { 'Content-Type': contentType } };
    },

    async presignGet(key, { expiresInSeconds, fileName }) {
      checkKey(key);
      const object = { Bucket, Key: key, ...(fileName !== undefined && { ResponseContentDisposition: attachmentNamed(fileName) }) };
      const signed = await ask((opened) => sign(opened, new opened.sdk.GetObjectCommand(object), expiresInSeconds));
      return { ...signed, method: 'GET', headers: {} };
    },

    async head(key) {
      checkKey(key);
      const found = await ask(({ sdk, client }) => client.send(new sdk.HeadObjectCommand({ Bucket, Key: key })).catch(nullIfMissing));
      return found && { size: found.ContentLength ?? 0, contentType: found.ContentType ?? 'application/octet-stream' };
    },

    async read(key, signal) {
      checkKey(key);
      let isAnswered = false;
      const attempt = async ({ sdk, client }: Clients) => {
        isAnswered = false;
        const options = signal ? { abortSignal: signal } : {};
        const found = await client.send(new sdk.GetObjectCommand({ Bucket, Key: key }), options).catch(nullIfMissing);
        isAnswered = true;
        return found && readBody(found.Body, found.ContentLength ?? 0, maxBytes, signal);
      };
      // The SDK retries until a response begins; one that breaks off is read once more here.
      const shouldRetry = ({ error }: { readonly error: Error }) => isAnswered && !(error instanceof DomainError) && !signal?.aborted;
      return ask((opened) => pRetry(() => attempt(opened), { retries: 1, minTimeout: 0, shouldRetry }), signal);
    },

    async write(key, data, contentType) {
      checkKey(key);
      checkContentType(contentType);
      checkSize(data.byteLength, maxBytes);
      const requestTimeout = answerMs + data.byteLength / BYTES_PER_MS;
      const object = { Bucket, Key: key, Body: data, ContentType: contentType };
      await ask(({ sdk, client }) => client.send(new sdk.PutObjectCommand(object), { requestTimeout }));
    },

    async remove(key) {
      checkKey(key);
      await removeOne(key);
      // After the object: what is put beside it from now on finds it gone.
      await concurrently(await besideOf(key), REQUESTS_AT_ONCE, ({ name }) => removeOne(besideKey(key, name)));
    },

    async beside(key) {
      checkKey(key);
      return besideOf(key);
    },

    async check() {
      // The search for credentials ignores the signal, so the time limit ends the wait itself.
      const late = () => new DOMException('the bucket did not answer', 'TimeoutError');
      const name = await inTime(nameOfBucket, { seconds: checkMs / 1000, late }).catch((error: unknown) => {
        throw bucketFailure(settings, error);
      });
      if (name !== Bucket) throw notAStore(settings);
    },

    close: () => clients.close(),
  };
};
