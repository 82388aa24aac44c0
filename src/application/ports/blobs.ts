import { DomainError } from '../../domain/errors.ts';

export interface BlobInfo {
  readonly size: number;
  readonly contentType: string;
}

export interface Presigned {
  readonly url: string;
  readonly method: 'PUT' | 'GET';
  /** Headers the client has to send along, exactly. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
}

/** Objects by key. A key is a path of segments of `A-Za-z0-9._-`, none of them `.` or `..`. */
export interface BlobStore {
  /** A URL that takes one object of this media type, and of exactly this size if one is given. */
  presignPut(key: string, terms: { contentType: string; size: number | null; expiresInSeconds: number }): Promise<Presigned>;
  presignGet(key: string, terms: { expiresInSeconds: number }): Promise<Presigned>;
  /** null if there is no such object. An object is there completely or not at all. */
  head(key: string): Promise<BlobInfo | null>;
  /** The whole object; null if there is none. */
  read(key: string, signal?: AbortSignal): Promise<Uint8Array | null>;
  write(key: string, data: Uint8Array, contentType: string): Promise<void>;
  /** Nothing happens if there is no such object. */
  remove(key: string): Promise<void>;
}

/** What the embedded store adds, so that Portico itself can answer the URLs it signs. Refusals are DomainErrors. */
export interface SignedUrls {
  /** Where its URLs begin, as a path: `/blobs/`. */
  readonly mount: string;
  accept(request: {
    /** The request target, as it came: path and query. */
    readonly target: string;
    readonly contentType: string | null;
    readonly contentLength: number | null;
    readonly body: AsyncIterable<Uint8Array>;
  }): Promise<void>;
  serve(request: { readonly target: string }): Promise<BlobInfo & { readonly body: AsyncIterable<Uint8Array> }>;
}

const MAX_KEY_CHARACTERS = 512;
/** Proxies and stores resolve `..` and escape characters each in their own way: a key has nothing of the kind, so it reaches the store as it is. */
const KEY = /^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*$/;

export const isKey = (text: string) => text.length <= MAX_KEY_CHARACTERS && KEY.test(text);

export const checkKey = (key: string) => {
  if (!isKey(key))
    throw new DomainError('invalid', 'There is no file with such a key: it is not one that was issued.', { code: 'invalid_key' });
};

/** It goes into a header as it is. */
export const checkContentType = (text: string) => {
  if (!/^[\x20-\x7e]{1,255}$/.test(text))
    throw new DomainError('invalid', 'The content type is not a media type.', { code: 'invalid_content_type' });
};

export const checkSize = (size: number, maxBytes: number) => {
  if (size > maxBytes) throw new DomainError('too_large', `The file is larger than ${maxBytes} bytes.`, { code: 'file_too_large' });
};
