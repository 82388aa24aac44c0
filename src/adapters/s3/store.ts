import { Readable } from 'node:stream';
import pRetry from 'p-retry';
import {
  arrivalKey,
  attachmentNamed,
  type BesideInfo,
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
import { DomainError } from '../../domain/errors.ts';
import { arrivals } from './arrivals.ts';
import { type Bucket, type Clients, lazyClients, timeoutsOf, transferMs } from './client.ts';
import { bucketFailure, notAStore, nullIfMissing } from './errors.ts';
import { bucketLedger } from './ledger.ts';
import { bucketObjects } from './objects.ts';
import { sign } from './signing.ts';
import { removeVersions, versionsUnder } from './versions.ts';

interface Settings extends Bucket {
  readonly maxBytes: number;
  readonly log: Log;
}

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
export const s3Blobs = ({
  maxBytes,
  log,
  ...settings
}: Settings): BlobStore & { ledger: ErasureLedger; check(): Promise<void>; close(): Promise<void> } => {
  const clients = lazyClients(settings, log);
  const Bucket = settings.bucket;
  const objects = bucketObjects(clients, Bucket);
  const { ask } = objects;
  const { infoAt, receive } = arrivals(objects, { ...settings, maxBytes });

  const nameOfBucket = async (abortSignal: AbortSignal) => {
    const { sdk, client } = await clients.get();
    // Not HeadBucket: a response to HEAD has no body that could name the error.
    return (await client.send(new sdk.ListObjectsV2Command({ Bucket, MaxKeys: 1 }), { abortSignal })).Name;
  };

  const besideOf = async (key: string): Promise<readonly BesideInfo[]> => {
    const Prefix = besideKey(key, '');
    const besides = await objects.under(Prefix);
    return besides
      .toSorted((a, b) => (a.LastModified?.getTime() ?? 0) - (b.LastModified?.getTime() ?? 0))
      .map(({ Key = '', Size = 0 }) => ({ name: Key.slice(Prefix.length), size: Size }));
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
      const requestTimeout = transferMs(settings, data.byteLength);
      const Body = data instanceof Uint8Array ? data : Readable.from(data.read());
      const object = { Bucket, Key: key, Body, ContentLength: data.byteLength, ContentType: contentType };
      await ask(({ sdk, client }) => client.send(new sdk.PutObjectCommand(object), { requestTimeout }));
    },

    async remove(key) {
      checkKey(key);
      await objects.remove(key);
      // After the object: what is put beside it from now on finds it gone.
      await concurrently(await besideOf(key), REQUESTS_AT_ONCE, ({ name }) => objects.remove(besideKey(key, name)));
    },

    async purge(key) {
      checkKey(key);
      const isMeant = (name: string) => name === key || ownerOf(name)?.owner === key;
      return ask(async (opened) => {
        const versions = await versionsUnder(opened, { Bucket, Prefix: key }, isMeant);
        const there = versions ?? (await objects.under(key)).filter(({ Key = '' }) => isMeant(Key));
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
      for (const { Key = '', Size = 0 } of await objects.under(key)) {
        if (Key === key) sizes.own += Size;
        else if (ownerOf(Key)?.owner === key) sizes.beside += Size;
      }
      return sizes;
    },

    ledger: bucketLedger(objects, Bucket),

    async check() {
      // The search for credentials ignores the signal, so the time limit ends the wait itself.
      const late = () => new DOMException('the bucket did not answer', 'TimeoutError');
      const { checkMs } = timeoutsOf(settings);
      const name = await inTime(nameOfBucket, { seconds: checkMs / 1000, late }).catch((error: unknown) => {
        throw bucketFailure(settings, error);
      });
      if (name !== Bucket) throw notAStore(settings);
    },

    close: () => clients.close(),
  };
};
