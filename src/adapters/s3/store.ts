import { Readable } from 'node:stream';
import type { _Object, HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import pRetry from 'p-retry';
import {
  arrivalKey,
  attachmentNamed,
  type BesideInfo,
  type BlobInfo,
  type BlobStore,
  besideKey,
  checkContentType,
  checkKey,
  checkSize,
  ownerOf,
} from '../../application/ports/blobs.ts';
import type { ErasureLedger } from '../../application/ports/erasures.ts';
import type { Log } from '../../application/ports/runtime.ts';
import { concurrently, inTime } from '../../application/shared/async.ts';
import { busy, DomainError } from '../../domain/errors.ts';
import { type Bucket, type Clients, lazyClients, timeoutsOf } from './client.ts';
import { bucketFailure, notAStore, nullIfMissing, nullIfOvertaken, storeFailure } from './errors.ts';
import { sign } from './signing.ts';
import { removeVersions, versionsUnder } from './versions.ts';

interface Settings extends Bucket {
  readonly maxBytes: number;
  readonly log: Log;
}

/** The slowest connection over which an object is still written. */
const BYTES_PER_MS = 1_000;

const REQUESTS_AT_ONCE = 8;
const MOST_RECEIVES = 5;
/** Where the ledger of erasures is. */
const LEDGER = 'erasures/';

/** The same bytes have the same tag, so the time tells that they were written again. */
const infoOf = ({
  ContentLength = 0,
  ContentType = 'application/octet-stream',
  ETag = '',
  LastModified,
}: HeadObjectCommandOutput): BlobInfo => ({
  size: ContentLength,
  contentType: ContentType,
  version: `${ETag} ${LastModified?.getTime()}`,
});

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
export const s3Blobs = ({
  maxBytes,
  log,
  ...settings
}: Settings): BlobStore & { ledger: ErasureLedger; check(): Promise<void>; close(): Promise<void> } => {
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

  const headOf = (key: string) =>
    ask(({ sdk, client }) => client.send(new sdk.HeadObjectCommand({ Bucket, Key: key })).catch(nullIfMissing));

  const removeOne = (key: string) =>
    ask(({ sdk, client }) => client.send(new sdk.DeleteObjectCommand({ Bucket, Key: key })).catch(nullIfMissing));

  const objectsUnder = (Prefix: string): Promise<readonly _Object[]> =>
    ask(async ({ sdk, client }) => {
      const objects: _Object[] = [];
      for await (const { Contents = [] } of sdk.paginateListObjectsV2({ client }, { Bucket, Prefix }))
        objects.push(...Contents);
      return objects;
    });

  const besideOf = async (key: string): Promise<readonly BesideInfo[]> => {
    const Prefix = besideKey(key, '');
    const objects = await objectsUnder(Prefix);
    return objects
      .toSorted((a, b) => (a.LastModified?.getTime() ?? 0) - (b.LastModified?.getTime() ?? 0))
      .map(({ Key = '', Size = 0 }) => ({ name: Key.slice(Prefix.length), size: Size }));
  };

  /** false if what arrived was replaced meanwhile, or is received already. Not every store minds the second condition. */
  const copyArrival = async (key: string, { ETag, ContentLength = 0 }: HeadObjectCommandOutput): Promise<boolean> => {
    const source = { CopySource: `${Bucket}/${arrivalKey(key)}`, CopySourceIfMatch: ETag };
    const requestTimeout = answerMs + ContentLength / BYTES_PER_MS;
    const copied = await ask(({ sdk, client }) =>
      client
        .send(new sdk.CopyObjectCommand({ Bucket, Key: key, ...source, IfNoneMatch: '*' }), { requestTimeout })
        .catch(nullIfOvertaken),
    );
    return copied !== null;
  };

  const infoAt = async (key: string): Promise<BlobInfo | null> => {
    const head = await headOf(key);
    return head && infoOf(head);
  };

  const receive = async (key: string, left = MOST_RECEIVES): Promise<BlobInfo | null> => {
    const there = await infoAt(key);
    if (there) return there;
    const arrived = await headOf(arrivalKey(key));
    // Another receiver may have taken it between the two looks.
    if (!arrived) return infoAt(key);
    const isTooLarge = infoOf(arrived).size > maxBytes;
    if (!isTooLarge && !(await copyArrival(key, arrived))) {
      if (left === 1) throw busy('The file is being uploaded again');
      return receive(key, left - 1);
    }
    await removeOne(arrivalKey(key));
    return isTooLarge ? infoOf(arrived) : receive(key);
  };

  return {
    async presignPut(key, { contentType, size, expiresInSeconds, once = false }) {
      checkKey(key);
      checkContentType(contentType);
      const object = {
        Bucket,
        Key: once ? arrivalKey(key) : key,
        ContentType: contentType,
        ...(size !== null && { ContentLength: size }),
      };
      const signed = await ask((opened) => sign(opened, new opened.sdk.PutObjectCommand(object), expiresInSeconds));
      return { ...signed, method: 'PUT', headers: { 'Content-Type': contentType } };
    },

    async presignGet(key, { expiresInSeconds, fileName }) {
      checkKey(key);
      const object = {
        Bucket,
        Key: key,
        ...(fileName !== undefined && { ResponseContentDisposition: attachmentNamed(fileName) }),
      };
      const signed = await ask((opened) => sign(opened, new opened.sdk.GetObjectCommand(object), expiresInSeconds));
      return { ...signed, method: 'GET', headers: {} };
    },

    async head(key) {
      checkKey(key);
      return infoAt(key);
    },

    async receive(key) {
      checkKey(key);
      return receive(key);
    },

    async read(key, signal) {
      checkKey(key);
      let isAnswered = false;
      const attempt = async ({ sdk, client }: Clients) => {
        isAnswered = false;
        const options = signal ? { abortSignal: signal } : {};
        const object = await client.send(new sdk.GetObjectCommand({ Bucket, Key: key }), options).catch(nullIfMissing);
        isAnswered = true;
        return object && readBody(object.Body, object.ContentLength ?? 0, maxBytes, signal);
      };
      // The SDK retries until a response begins; one that breaks off is read once more here.
      const shouldRetry = ({ error }: { readonly error: Error }) =>
        isAnswered && !(error instanceof DomainError) && !signal?.aborted;
      return ask((opened) => pRetry(() => attempt(opened), { retries: 1, minTimeout: 0, shouldRetry }), signal);
    },

    async write(key, data, contentType) {
      checkKey(key);
      checkContentType(contentType);
      checkSize(data.byteLength, maxBytes);
      const requestTimeout = answerMs + data.byteLength / BYTES_PER_MS;
      const Body = data instanceof Uint8Array ? data : Readable.from(data.read());
      const object = { Bucket, Key: key, Body, ContentLength: data.byteLength, ContentType: contentType };
      await ask(({ sdk, client }) => client.send(new sdk.PutObjectCommand(object), { requestTimeout }));
    },

    async remove(key) {
      checkKey(key);
      await removeOne(key);
      // After the object: what is put beside it from now on finds it gone.
      await concurrently(await besideOf(key), REQUESTS_AT_ONCE, ({ name }) => removeOne(besideKey(key, name)));
    },

    async purge(key) {
      checkKey(key);
      const isMeant = (name: string) => name === key || ownerOf(name)?.owner === key;
      return ask(async (opened) => {
        const versions = await versionsUnder(opened, { Bucket, Prefix: key }, isMeant);
        const there = versions ?? (await objectsUnder(key)).filter(({ Key = '' }) => isMeant(Key));
        const refused = await removeVersions(opened, Bucket, there);
        return { removed: there.length - refused, isCertain: versions !== null && refused === 0 };
      });
    },

    async beside(key) {
      checkKey(key);
      return besideOf(key);
    },

    async weigh(key) {
      checkKey(key);
      const sizes = { own: 0, beside: 0 };
      for (const { Key = '', Size = 0 } of await objectsUnder(key)) {
        if (Key === key) sizes.own += Size;
        else if (ownerOf(Key)?.owner === key) sizes.beside += Size;
      }
      return sizes;
    },

    ledger: {
      write: (id, text) =>
        ask(async ({ sdk, client }) => {
          const object = { Bucket, Key: LEDGER + id, Body: text, ContentType: 'application/json' };
          await client.send(new sdk.PutObjectCommand(object));
        }),
      ids: async () => (await objectsUnder(LEDGER)).map(({ Key = '' }) => Key.slice(LEDGER.length)),
      read: (id) =>
        ask(async ({ sdk, client }) => {
          const object = await client.send(new sdk.GetObjectCommand({ Bucket, Key: LEDGER + id })).catch(nullIfMissing);
          return (await object?.Body?.transformToString()) ?? null;
        }),
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
