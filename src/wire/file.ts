import * as t from 'io-ts';
import { FILE_NAME } from '../domain/run.ts';
import { exampleId } from './example.ts';
import { about, component, optional } from './kit/structures.ts';
import { integer, mediaType, text } from './kit/values.ts';

export const fileName = text({
  min: 1,
  max: 255,
  pattern: FILE_NAME,
  expected: 'a file name of 1 to 255 characters without slashes, backslashes and control characters',
});

/** A file to upload. */
export const newFile = component('NewFile', {
  fileName,
  contentType: mediaType,
  sizeBytes: about(
    'The exact size, which the URL is made for. Without it, the URL takes any size, and counts in the quota of the workspace as the largest file.',
    optional(integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
  ),
});

/** An uploaded file in a request. */
export const uploadedFile = component('UploadedFile', {
  fileKey: text({ min: 1, max: 1024 }),
  fileName,
  contentType: mediaType,
});

/** A file of a run in an answer. */
export const runFile = component('RunFile', { fileKey: t.string, fileName: t.string, contentType: t.string });

export const exampleFile = {
  fileKey: `uploads/${[1, 2, 3].map((digit) => exampleId(digit)).join('/')}`,
  fileName: 'invoice-4711.pdf',
  contentType: 'application/pdf',
};
