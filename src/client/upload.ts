import pLimit from 'p-limit';
import { contentTypeOf } from './content-type.ts';
import { PorticoError } from './error.ts';
import type { components } from './openapi.ts';
import { eitherOf, type SendOptions, send } from './send.ts';

/** A file to upload. In Node, `openAsBlob` of `node:fs` gives the content of a file without reading it into memory. */
export interface FileToUpload {
  readonly name: string;
  readonly content: Blob | Uint8Array<ArrayBuffer>;
  /** Absent: the type of the Blob, else what the name or the first bytes say. */
  readonly contentType?: string;
}

type UploadUrl = components['schemas']['UploadUrl'];
type NewFile = components['schemas']['NewFile'];

export interface UploadOptions extends SendOptions {
  /** Called with the index of each file that is uploaded. */
  readonly onUploaded?: (index: number) => void;
}

const UPLOADS_AT_ONCE = 4;
/** The life of an upload URL. */
const TIMEOUT_SECONDS = 3600;

const blobOf = ({ content }: FileToUpload): Blob => (content instanceof Blob ? content : new Blob([content]));

const refusals: Readonly<Record<number, string>> = {
  400: 'the store does not take it as it is',
  403: 'its upload URL is no longer valid',
  409: 'another file was uploaded by its upload URL already',
  413: 'it is larger than the server takes',
};

/** What the store answers may be of its own kind (S3 answers XML): only the status says the same everywhere. */
const refused = (error: unknown): unknown => {
  if (!(error instanceof PorticoError) || error.status === null || error.code === 'redirected') return error;
  const { request, origin, status, code, requestId, retryAfterSeconds } = error;
  const uploadCode = code === 'not_portico' ? 'upload_refused' : code;
  const detail = refusals[status] ?? 'the store refused it';
  return new PorticoError({
    request,
    origin,
    status,
    code: uploadCode,
    detail,
    requestId,
    retryAfterSeconds,
    cause: error,
  });
};

const put = async (
  { upload_url, method, headers, content_type, file_name }: UploadUrl,
  body: Blob,
  options: SendOptions,
) => {
  const name = `${method} ${file_name}`;
  const url = URL.parse(upload_url);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new PorticoError({
      request: name,
      origin: upload_url,
      code: 'not_portico',
      detail: 'the server gave no usable upload URL',
    });
  }
  const sent = new Headers(headers);
  if (!sent.has('content-type')) sent.set('content-type', content_type);
  const outgoing = {
    name,
    origin: url.origin,
    repeatable: true,
    fetch: (init: RequestInit) => fetch(url, { ...init, method, headers: sent, body }),
  };
  await send(outgoing, { timeoutSeconds: TIMEOUT_SECONDS, reconnect: true, ...options }).catch((error: unknown) => {
    throw refused(error);
  });
};

/** Uploads every file by the URLs that `urlsOf` asks for, a few at a time. The first failure stops the others. */
export const uploadFiles = async (
  files: readonly FileToUpload[],
  urlsOf: (files: readonly NewFile[]) => Promise<readonly UploadUrl[]>,
  { onUploaded, ...options }: UploadOptions,
): Promise<readonly UploadUrl[]> => {
  if (files.length === 0) return [];
  const blobs = files.map(blobOf);
  const typeOf = async ({ name, contentType }: FileToUpload, blob: Blob) =>
    contentType ?? (blob.type || (await contentTypeOf(name, blob)));
  const wanted = files.map(async (file, index) => {
    const blob = blobs[index] as Blob;
    return { file_name: file.name, content_type: await typeOf(file, blob), size_bytes: blob.size };
  });
  const urls = await urlsOf(await Promise.all(wanted));
  const failed = new AbortController();
  const signal = eitherOf(options.signal, failed.signal);
  const limit = pLimit(UPLOADS_AT_ONCE);
  const uploads = blobs.map((blob, index) =>
    limit(async () => {
      signal.throwIfAborted();
      await put(urls[index] as UploadUrl, blob, { ...options, signal });
      onUploaded?.(index);
    }),
  );
  await Promise.all(uploads).catch((error: unknown) => {
    failed.abort(error);
    throw error;
  });
  return urls;
};
