import { type BlobStore, checkContentType, checkKey, type Presigned, type SignedUrls } from '../../application/ports/blobs.ts';
import type { Clock } from '../../application/ports/runtime.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { checkAnnounced, measured } from './limits.ts';
import { HEADER_BYTES, objectFiles } from './objects.ts';
import { type Grant, grantOf, targetOf } from './signature.ts';

interface Settings {
  /** Portico's own: everything in it is the store's. */
  readonly folder: string;
  readonly baseUrl: string;
  readonly signingKey: Uint8Array;
  readonly maxBytes: number;
  readonly clock: Clock;
}

/** Type and subtype in any case, parameters as they are. */
const mediaType = (text: string): string => {
  const end = text.indexOf(';');
  return end < 0 ? text.trim().toLowerCase() : text.slice(0, end).trim().toLowerCase() + text.slice(end).trim();
};

const CHUNK_BYTES = 256 * 1024;

async function* one(data: Uint8Array) {
  yield data;
}

/** Objects as files of this machine, behind URLs that it signs and answers itself. */
export const fileBlobs = ({ folder, baseUrl, signingKey, maxBytes, clock }: Settings): BlobStore & SignedUrls => {
  const files = objectFiles(folder, () => clock.now());
  const base = baseUrl.replace(/\/+$/, '');
  const mount = `${new URL(base).pathname.replace(/\/+$/, '')}/blobs/`;

  let ready = files.prepare();
  ready.catch(() => undefined);
  /** A folder that could not be prepared at first is tried again: the disk may be back. */
  const prepared = () => {
    ready = ready.catch(() => files.prepare());
    return ready;
  };

  const presign = (grant: Grant, headers: Record<string, string>): Presigned => {
    checkKey(grant.key);
    const url = `${base}/blobs/${targetOf(grant, signingKey)}`;
    return { url, method: grant.method, headers, expiresAt: new Date(grant.expires) };
  };

  const granted = (method: Grant['method'], target: string): Grant => {
    if (!target.startsWith(mount)) throw notFound('page');
    return grantOf(method, target.slice(mount.length), signingKey, clock.now());
  };

  const expiry = (seconds: number) => clock.now().getTime() + seconds * 1000;

  const opened = async (key: string) => {
    await prepared();
    return files.open(key);
  };

  const bounded = (size: number) => {
    if (size > maxBytes) throw new DomainError('too_large', `The file is larger than ${maxBytes} bytes.`, { code: 'file_too_large' });
  };

  return {
    mount,

    async presignPut(key, { contentType, size, expiresInSeconds }) {
      checkContentType(contentType);
      const grant: Grant = { method: 'PUT', key, expires: expiry(expiresInSeconds), contentType, size };
      return presign(grant, { 'Content-Type': contentType });
    },

    async presignGet(key, { expiresInSeconds }) {
      return presign({ method: 'GET', key, expires: expiry(expiresInSeconds), contentType: null, size: null }, {});
    },

    async head(key) {
      const found = await opened(key);
      if (!found) return null;
      await found.handle.close();
      return { size: found.size, contentType: found.contentType };
    },

    async read(key, signal) {
      const found = await opened(key);
      if (!found) return null;
      try {
        bounded(found.size);
        const bytes = new Uint8Array(found.size);
        for (let at = 0; at < found.size; ) {
          signal?.throwIfAborted();
          const { bytesRead } = await found.handle.read(bytes, at, Math.min(CHUNK_BYTES * 4, found.size - at), HEADER_BYTES + at);
          if (bytesRead === 0) throw new Error(`the stored file of ${key} ended too soon`);
          at += bytesRead;
        }
        return bytes;
      } finally {
        await found.handle.close();
      }
    },

    async write(key, data, contentType) {
      bounded(data.byteLength);
      checkContentType(contentType);
      await prepared();
      await files.store(key, contentType, one(data));
    },

    async remove(key) {
      await prepared();
      await files.remove(key);
    },

    async accept({ target, contentType, contentLength, body }) {
      const { key, contentType: signed, size } = granted('PUT', target);
      if (signed === null || contentType === null || mediaType(contentType) !== mediaType(signed)) {
        throw new DomainError('invalid', `The Content-Type has to be ${signed}, as the URL was made for.`, {
          code: 'content_type_mismatch',
        });
      }
      // Whoever signed a size for the URL has decided that it may be so large.
      const announced = { maxBytes: size ?? maxBytes, size, contentLength };
      checkAnnounced(announced);
      await prepared();
      await files.store(key, signed, measured(body, announced));
    },

    async serve({ target }) {
      const { key } = granted('GET', target);
      const found = await opened(key);
      if (!found) throw notFound('file');
      const { handle, size, contentType } = found;
      return { size, contentType, body: handle.createReadStream({ start: HEADER_BYTES, highWaterMark: CHUNK_BYTES }) };
    },
  };
};
