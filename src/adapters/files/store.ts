import {
  type BlobInfo,
  type BlobStore,
  checkContentType,
  checkKey,
  checkSize,
  type Presigned,
  type SignedUrls,
} from '../../application/ports/blobs.ts';
import type { Clock } from '../../application/ports/runtime.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { HEADER_BYTES, objectFiles } from './objects.ts';
import { type Permission, permissionOf, targetOf } from './signature.ts';

interface Settings {
  /** Only the store uses it. */
  readonly folder: string;
  readonly baseUrl: string;
  readonly signingKey: Uint8Array;
  readonly maxBytes: number;
  readonly clock: Clock;
}

/** For comparison: type and subtype are case-insensitive, parameters are not. */
const mediaType = (text: string): string => {
  const end = text.indexOf(';');
  return end < 0 ? text.trim().toLowerCase() : text.slice(0, end).trim().toLowerCase() + text.slice(end).trim();
};

const CHUNK_BYTES = 256 * 1024;

/** What is known of an upload before its first byte. */
interface Announced {
  readonly maxBytes: number;
  readonly size: number | null;
  readonly contentLength: number | null;
}

const tooLarge = (bytes: number) =>
  new DomainError('too_large', `The file is larger than the ${bytes} bytes this URL takes.`, {
    code: 'file_too_large',
  });

const wrongSize = (expected: number, got: number) =>
  new DomainError('invalid', `The file has ${got} bytes where ${expected} were announced.`, { code: 'size_mismatch' });

const uploadedAlready = () =>
  new DomainError(
    'conflict',
    'Another file was uploaded by this URL already, and stays as it is: ask for a new URL for this one.',
    {
      code: 'uploaded_already',
    },
  );

/** Refuses an upload that announces a wrong size. */
const checkAnnounced = ({ maxBytes, size, contentLength }: Announced) => {
  const most = Math.min(maxBytes, size ?? maxBytes);
  if (contentLength !== null && contentLength > most) throw tooLarge(most);
  if (contentLength !== null && size !== null && contentLength !== size) throw wrongSize(size, contentLength);
};

async function* received(body: AsyncIterable<Uint8Array>) {
  try {
    yield* body;
  } catch (cause) {
    throw new DomainError('invalid', 'The upload broke off before its end.', { code: 'incomplete_upload', cause });
  }
}

/** Passes the body on; throws at the first byte too many, or at an end that comes too soon. */
async function* measured(body: AsyncIterable<Uint8Array>, { maxBytes, size, contentLength }: Announced) {
  const most = Math.min(maxBytes, size ?? maxBytes);
  let got = 0;
  for await (const chunk of received(body)) {
    got += chunk.byteLength;
    if (got > most) throw tooLarge(most);
    yield chunk;
  }
  const expected = size ?? contentLength;
  if (expected !== null && got !== expected) throw wrongSize(expected, got);
}

async function* one(data: Uint8Array) {
  yield data;
}

/** Objects as files on this machine, behind URLs that Portico signs and answers itself. */
export const fileBlobs = ({ folder, baseUrl, signingKey, maxBytes, clock }: Settings): BlobStore & SignedUrls => {
  const files = objectFiles(folder, () => clock.now());
  const base = baseUrl.replace(/\/+$/, '');
  const mount = `${new URL(base).pathname.replace(/\/+$/, '')}/blobs/`;

  const presign = (permission: Permission, headers: Record<string, string>): Presigned => {
    checkKey(permission.key);
    const url = `${base}/blobs/${targetOf(permission, signingKey)}`;
    return { url, method: permission.method, headers, expiresAt: new Date(permission.expires) };
  };

  const permitted = (method: Permission['method'], target: string): Permission => {
    if (!target.startsWith(mount)) throw notFound('page');
    return permissionOf(method, target.slice(mount.length), signingKey, clock.now());
  };

  const expiry = (seconds: number) => clock.now().getTime() + seconds * 1000;

  const head = async (key: string): Promise<BlobInfo | null> => {
    const file = await files.open(key);
    if (!file) return null;
    const { handle, ...info } = file;
    await handle.close();
    return info;
  };

  return {
    mount,

    async presignPut(key, { contentType, size, expiresInSeconds, once = false }) {
      checkContentType(contentType);
      const expires = expiry(expiresInSeconds);
      return presign(
        { method: 'PUT', key, expires, contentType, size, once, fileName: null },
        { 'Content-Type': contentType },
      );
    },

    async presignGet(key, { expiresInSeconds, fileName = null }) {
      const expires = expiry(expiresInSeconds);
      return presign({ method: 'GET', key, expires, contentType: null, size: null, once: false, fileName }, {});
    },

    head,
    receive: head,

    async read(key, signal) {
      const file = await files.open(key);
      if (!file) return null;
      try {
        checkSize(file.size, maxBytes);
        const bytes = new Uint8Array(file.size);
        for (let at = 0; at < file.size; ) {
          signal?.throwIfAborted();
          const { bytesRead } = await file.handle.read(
            bytes,
            at,
            Math.min(CHUNK_BYTES * 4, file.size - at),
            HEADER_BYTES + at,
          );
          if (bytesRead === 0) throw new Error(`the stored file of ${key} ended too soon`);
          at += bytesRead;
        }
        return bytes;
      } finally {
        await file.handle.close();
      }
    },

    async write(key, data, contentType) {
      checkSize(data.byteLength, maxBytes);
      checkContentType(contentType);
      await files.store(key, contentType, data instanceof Uint8Array ? one(data) : data.read(), { over: true });
    },

    remove: files.remove,
    async purge(key) {
      const [file, beside] = await Promise.all([head(key), files.beside(key)]);
      await files.remove(key);
      return { removed: (file === null ? 0 : 1) + beside.length, isCertain: true };
    },
    beside: files.beside,

    async weigh(key) {
      const [file, beside] = await Promise.all([head(key), files.beside(key)]);
      return { own: file?.size ?? 0, beside: beside.reduce((sum, { size }) => sum + size, 0) };
    },

    async accept({ target, contentType, contentLength, body }) {
      const { key, contentType: signed, size, once } = permitted('PUT', target);
      if (signed === null || contentType === null || mediaType(contentType) !== mediaType(signed)) {
        throw new DomainError('invalid', `The Content-Type must be ${signed}, as in the request for the URL.`, {
          code: 'content_type_mismatch',
        });
      }
      // A size that is signed into the URL was accepted when the URL was made.
      const announced = { maxBytes: size ?? maxBytes, size, contentLength };
      checkAnnounced(announced);
      const before = once ? await head(key) : null;
      if (before !== null && contentLength !== null && contentLength !== before.size) throw uploadedAlready();
      const isStored = await files.store(key, signed, measured(body, announced), { over: !once });
      if (!isStored) throw uploadedAlready();
    },

    async serve({ target }) {
      const { key, fileName } = permitted('GET', target);
      const file = await files.open(key);
      if (!file) throw notFound('file');
      const { handle, size, contentType } = file;
      return {
        size,
        contentType,
        fileName,
        body: handle.createReadStream({ start: HEADER_BYTES, highWaterMark: CHUNK_BYTES }),
      };
    },
  };
};
