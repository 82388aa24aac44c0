import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import { contentTypeOf } from '../../client/content-type.ts';
import type { Portico } from '../../client/portico.ts';
import { codeOf } from '../../domain/errors.ts';
import { CliFailure } from './failures.ts';

const FILES_AT_ONCE = 4;

const causes: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EISDIR: 'it is a folder',
};

/** What is to be sent, or why it cannot be. */
const inspect = async (file: string) => {
  try {
    const info = await stat(file);
    if (info.isDirectory()) return `${file}: it is a folder`;
    if (!info.isFile()) return `${file}: it is not a file`;
    return {
      path: file,
      name: path.basename(file),
      contentType: await contentTypeOf(file, await openAsBlob(file)),
      size: info.size,
    };
  } catch (error) {
    const code = codeOf(error) || 'it cannot be read';
    return `${file}: ${causes[code] ?? code}`;
  }
};

type LocalFile = Exclude<Awaited<ReturnType<typeof inspect>>, string>;

/** Every file is looked at before anything is sent. */
export const inspectFiles = async (files: readonly string[]): Promise<readonly LocalFile[]> => {
  const limit = pLimit(FILES_AT_ONCE);
  const inspected = await limit.map(files, inspect);
  const errors = inspected.filter((each) => typeof each === 'string');
  if (errors.length > 0)
    throw new CliFailure(
      errors.length === 1 ? 'a file cannot be sent:' : `${errors.length} files cannot be sent:`,
      errors,
    );
  return inspected.filter((each) => typeof each !== 'string');
};

/** Uploads every file and answers the entries of create-run's `files`. */
export const uploadAll = async (
  client: Portico,
  agentId: string,
  files: readonly LocalFile[],
  uploaded: (file: LocalFile) => void,
) => {
  const limit = pLimit(FILES_AT_ONCE);
  // A blob of a file is read as it is sent, and knows its length.
  const opened = await limit.map(files, async ({ path: file, name, contentType }) => ({
    name,
    contentType,
    content: await openAsBlob(file),
  }));
  const onUploaded = (index: number) => {
    const file = files[index];
    if (file) uploaded(file);
  };
  return client.upload(agentId, opened, { onUploaded });
};
