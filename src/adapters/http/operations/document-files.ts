import * as t from 'io-ts';
import type { DocumentFile } from '../../../application/documents/document-files.ts';
import { dateTime, integer, integerParameter, oneOf, uri, uuid } from '../codecs.ts';
import { documented, named } from '../json-schema.ts';
import { BodyBytes, operation } from '../operation.ts';
import { exampleDocument } from '../shapes/document.ts';
import { exampleFile } from '../shapes/file.ts';
import { about, list, nullable, wire, withDefault } from '../structures.ts';

const points = documented(
  new t.Type<number, number, unknown>('points', t.number.is, t.number.validate, (size) => Math.round(size * 100) / 100),
  () => ({
    type: 'number',
    minimum: 0,
  }),
);

const page = named(
  'FilePage',
  wire({
    page: integer({ min: 1 }),
    width: about('In points (1/72 inch), as the page is shown.', points),
    height: points,
    source: about(
      '`text`: the file itself has the words of the page. `ocr`: the page is a picture, and OCR reads its words.',
      oneOf('text', 'ocr'),
    ),
  }),
);

const file = named(
  'DocumentFile',
  wire({
    index: about('Its place among the files of the document.', integer({ min: 0 })),
    fileName: t.string,
    contentType: t.string,
    sizeBytes: about('null, like the address, if the file is no longer in the store.', nullable(integer({ min: 0 }))),
    pages: about('Of a PDF document or a picture; empty for other formats, and for files that cannot be opened.', list(page)),
    downloadUrl: about('Takes a `GET` without a credential until `expires_at`.', nullable(uri)),
    expiresAt: nullable(dateTime),
  }),
);

export const exampleDocumentFile: DocumentFile = {
  ...{ index: 0, fileName: exampleFile.fileName, contentType: exampleFile.contentType, sizeBytes: 48_213 },
  pages: [
    { page: 1, width: 595.28, height: 841.89, source: 'text' },
    { page: 2, width: 595.28, height: 841.89, source: 'text' },
  ],
  downloadUrl: `https://portico.example.com/blobs/${exampleFile.fileKey}?expires=1795169820&signature=Zm9v`,
  expiresAt: new Date('2026-11-20T09:57:00.000Z'),
};

const ofDocument = { id: about('The document.', uuid) };

const at = { method: 'get', tag: 'Documents', access: { scope: 'runs:read' } } as const;

export const listDocumentFiles = operation({
  ...at,
  id: 'listDocumentFiles',
  path: '/documents/{id}/files',
  resource: 'document_files',
  summary: 'List the files of a document',
  description:
    'The files that the document was read from, in the order in which the run has them, and the size of each of their pages. Attachments of an ' +
    'e-mail are a part of it. With a `download_url` browsers save the file.',
  params: wire(ofDocument),
  example: { params: { id: exampleDocument.id } },
  success: { description: 'The files.', data: wire({ files: list(file) }), example: { files: [exampleDocumentFile] } },
  refuses: ['not_found'],
  handle: async ({ documentFiles }, { caller, params: { id }, signal }) => ({ files: await documentFiles.list(caller, id, signal) }),
});

export const getDocumentPage = operation({
  ...at,
  id: 'getDocumentPage',
  path: '/documents/{id}/files/{index}/pages/{page}',
  resource: 'document_page',
  summary: 'Get a page of a document as an image',
  description:
    'The page as a person sees it, upright if the file says how it is to be turned. The `boxes` of evidence are fractions of this image. The first ' +
    'request for a page draws it, which may take seconds; if too many pages wait to be drawn the answer is 429 with `Retry-After`.',
  params: wire({
    ...ofDocument,
    index: about('The `index` of the file.', integerParameter({ min: 0, max: 99 })),
    page: about('The number of the page, from 1.', integerParameter({ min: 1, max: 100_000 })),
  }),
  query: wire({
    width: about(
      'How wide the image is, in pixels. It is narrower if the page is a smaller picture, or far higher than wide.',
      withDefault(integerParameter({ min: 64, max: 2400 }), 1200),
    ),
  }),
  example: { params: { id: exampleDocument.id, index: 0, page: 1 }, query: { width: 1200 } },
  success: {
    description: 'The page.',
    data: t.string,
    envelope: false,
    example: '',
    binary: 'image/png',
    headers: { 'Cache-Control': '`private, max-age=3600`' },
  },
  etag: true,
  refuses: ['not_found', 'page_unreadable'],
  handle: async ({ documentFiles }, { caller, params: { id, ...place }, query: { width }, signal }) => {
    const image = await documentFiles.page(caller, id, { ...place, width }, signal);
    return new BodyBytes(image, { 'Cache-Control': 'private, max-age=3600' });
  },
});
