import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import { contentTypeOf } from '../../client/content-type.ts';
import type { Client } from './client.ts';
import { CliFailure } from './failures.ts';
import { send } from './send.ts';
import { type UploadUrl, uploadUrls } from './wire.ts';

export interface LocalFile {
  readonly path: string;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
}

interface Progress {
  readonly signal: AbortSignal;
  note(line: string): void;
  uploaded(file: LocalFile): void;
}

const UPLOADS_AT_ONCE = 4;
/** The life of an upload URL. */
const TIMEOUT_SECONDS = 3600;

const causes: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EISDIR: 'it is a folder',
};

const inspect = async (file: string): Promise<LocalFile | string> => {
  try {
    const info = await stat(file);
    if (info.isDirectory()) return `${file}: it is a folder`;
    if (!info.isFile()) return `${file}: it is not a file`;
    return { path: file, name: path.basename(file), contentType: await contentTypeOf(file, await openAsBlob(file)), size: info.size };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read';
    return `${file}: ${causes[code] ?? code}`;
  }
};

/** Every file is looked at before anything is sent. */
export const inspectFiles = async (files: readonly string[]): Promise<readonly LocalFile[]> => {
  const limit = pLimit(UPLOADS_AT_ONCE);
  const found = await limit.map(files, inspect);
  const errors = found.filter((each) => typeof each === 'string');
  if (errors.length > 0)
    throw new CliFailure(errors.length === 1 ? 'a file cannot be sent:' : `${errors.length} files cannot be sent:`, errors);
  return found.filter((each) => typeof each !== 'string');
};

const refused: Readonly<Record<number, string>> = {
  400: 'the store does not take it as it is',
  403: 'its upload URL is no longer valid',
  413: 'it is larger than the server takes',
};

const upload = async (file: LocalFile, target: UploadUrl, { signal, note }: Progress) => {
  const url = URL.parse(target.upload_url);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new CliFailure(`${file.name}: the server gave no usable upload URL`);
  // A blob of a file is read as it is sent, and knows its length.
  const body = await openAsBlob(file.path);
  const headers = new Headers(target.headers);
  if (!headers.has('content-type')) headers.set('content-type', target.content_type);
  const terms = { attempts: { times: 4, reconnect: true }, timeoutSeconds: TIMEOUT_SECONDS, signal, note };
  const { ok, status } = await send(url, { method: target.method, headers, body }, terms).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new CliFailure(`${file.name} could not be uploaded: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (!ok) throw new CliFailure(`${file.name} could not be uploaded: ${refused[status] ?? 'the store refused it'} (${status})`);
};

/** Uploads every file and answers the entries of create-run's `files`. The first failure stops the others. */
export const uploadAll = async (
  client: Client,
  agentId: string,
  files: readonly LocalFile[],
  progress: Progress,
): Promise<readonly UploadUrl[]> => {
  if (files.length === 0) return [];
  const asked = files.map(({ name, contentType }) => ({ file_name: name, content_type: contentType }));
  const path = `agents/${agentId}/upload-urls`;
  const { value } = await client.call({ method: 'POST', path, body: { files: asked }, answer: uploadUrls });
  if (value.files.length !== files.length) throw new CliFailure('the server answered another number of upload URLs than files');
  const failed = new AbortController();
  const signal = AbortSignal.any([progress.signal, failed.signal]);
  const limit = pLimit(UPLOADS_AT_ONCE);
  await Promise.all(
    files.map((file, index) =>
      limit(async () => {
        signal.throwIfAborted();
        const target = value.files[index];
        if (target) await upload(file, target, { ...progress, signal });
        progress.uploaded(file);
      }).catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
    ),
  );
  return value.files;
};
