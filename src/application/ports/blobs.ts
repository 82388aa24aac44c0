import { DomainError } from '../../domain/errors.ts';

export interface BlobInfo {
  readonly size: number;
  readonly contentType: string;
  /** Another one whenever the object was written, at the latest. */
  readonly version: string;
}

export interface Presigned {
  readonly url: string;
  readonly method: 'PUT' | 'GET';
  /** Headers the client has to send along, exactly. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
}

/** An object that is kept beside another one. */
export interface BesideInfo {
  readonly name: string;
  readonly size: number;
}

/** Bytes that are too many to hold at once. */
export interface StreamedContent {
  readonly byteLength: number;
  /** Exactly as many bytes, each time from the first. */
  read(): AsyncIterable<Uint8Array>;
}

/** Objects by key. A key is a path of segments of `A-Za-z0-9._-`, none of them `.` or `..`. */
export interface BlobStore {
  /**
   * A URL that takes one object of this media type, and of exactly this size if one is given. `once`: what arrives is the object when
   * `receive` takes it, and no PUT changes it from then on.
   */
  presignPut(
    key: string,
    terms: { contentType: string; size: number | null; expiresInSeconds: number; once?: boolean },
  ): Promise<Presigned>;
  /**
   * Makes what arrived at a URL for `once` the object of this key, unless there is one. null if nothing arrived; what is larger than the
   * store takes is removed, and its size answered.
   */
  receive(key: string): Promise<BlobInfo | null>;
  /** A URL that browsers save as a file of this name, if one is given. */
  presignGet(key: string, terms: { expiresInSeconds: number; fileName?: string }): Promise<Presigned>;
  /** null if there is no such object. An object is there completely or not at all. */
  head(key: string): Promise<BlobInfo | null>;
  /** The whole object; null if there is none. */
  read(key: string, signal?: AbortSignal): Promise<Uint8Array | null>;
  write(key: string, data: Uint8Array | StreamedContent, contentType: string): Promise<void>;
  /** With what is kept beside it. Nothing happens if there is no such object. */
  remove(key: string): Promise<void>;
  /**
   * Removes an object for good, with what is kept beside it and, where the store keeps older versions, all of these. How many objects and
   * versions there were; `isCertain`: whether none is left.
   */
  purge(key: string): Promise<{ readonly removed: number; readonly isCertain: boolean }>;
  /** What is kept beside an object, the earliest first. */
  beside(key: string): Promise<readonly BesideInfo[]>;
  /** The bytes of the object, and of what is kept beside it, with what arrived and is not received. */
  weigh(key: string): Promise<{ readonly own: number; readonly beside: number }>;
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
  serve(request: { readonly target: string }): Promise<
    Omit<BlobInfo, 'version'> & {
      /** As which browsers save it; null: as they like. */
      readonly fileName: string | null;
      readonly body: AsyncIterable<Uint8Array>;
    }
  >;
}

const MAX_KEY_CHARACTERS = 512;
/** Proxies and stores resolve `..` and escape characters each in their own way: a key has nothing of the kind, so it reaches the store as it is. */
const SEGMENT = /^[A-Za-z0-9._-]+$/;
const isPath = (key: string) =>
  key.split('/').every((segment) => SEGMENT.test(segment) && segment !== '.' && segment !== '..');

/** Lower case only, because some file systems do not tell the cases apart. */
const BESIDE = /^(?<owner>.+)\.beside\/(?<name>[a-z0-9][a-z0-9.-]{0,99})$/;

/** The key of what is kept beside an object under this name; it goes with the object. */
export const besideKey = (key: string, name: string) => `${key}.beside/${name}`;

/** Where a store may keep what arrives for a key until it is received. */
export const arrivalKey = (key: string) => besideKey(key, 'arrival');

/** The key of the object that this one is kept beside, and its name there; null if it is kept for itself. */
export const ownerOf = (key: string): { readonly owner: string; readonly name: string } | null => {
  const { owner, name } = BESIDE.exec(key)?.groups ?? {};
  return owner === undefined || name === undefined ? null : { owner, name };
};

const isOwnKey = (key: string) => !key.split('/').some((segment) => segment.endsWith('.beside'));

export const isKey = (text: string) =>
  text.length <= MAX_KEY_CHARACTERS && isPath(text) && isOwnKey(ownerOf(text)?.owner ?? text);

export const checkKey = (key: string) => {
  if (!isKey(key))
    throw new DomainError('invalid', 'There is no file with such a key: it is not one that was issued.', {
      code: 'invalid_key',
    });
};

/** It goes into a header as it is. */
export const checkContentType = (text: string) => {
  if (!/^[\x20-\x7e]{1,255}$/.test(text))
    throw new DomainError('invalid', 'The content type is not a media type.', { code: 'invalid_content_type' });
};

export const checkSize = (size: number, maxBytes: number) => {
  if (size > maxBytes)
    throw new DomainError('too_large', `The file is larger than ${maxBytes} bytes.`, { code: 'file_too_large' });
};

/** The value of a Content-Disposition header (RFC 6266) that makes browsers save the answer as a file of this name. */
export const attachmentNamed = (fileName: string): string => {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
};
