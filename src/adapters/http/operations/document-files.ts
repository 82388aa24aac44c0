import * as t from 'io-ts';
import type { DocumentFile } from '../../../application/documents/document-files.ts';
import { fraction } from '../../../wire/box.ts';
import { exampleDocument } from '../../../wire/document.ts';
import { exampleFile } from '../../../wire/file.ts';
import { about, component, list, nullable, optional, wire, withDefault } from '../../../wire/kit/structures.ts';
import {
  booleanParameter,
  dateTime,
  integer,
  integerParameter,
  oneOf,
  scalar,
  uri,
  uuid,
} from '../../../wire/kit/values.ts';
import { operation, WithHeaders } from '../operation.ts';

const points = scalar({
  expected: 'a number',
  read: (value) => (typeof value === 'number' ? value : undefined),
  write: (size) => Math.round(size * 100) / 100,
  schema: { type: 'number', minimum: 0 },
});

const source = about(
  '`text`: the file itself has the words of the page. `ocr`: the page is a picture, and OCR reads its words.',
  oneOf('text', 'ocr'),
);

export const filePage = component('FilePage', {
  page: integer({ min: 1 }),
  width: about('In points (1/72 inch), as the page is shown.', points),
  height: points,
  source,
});

const file = component('DocumentFile', {
  index: about('Its place among the files of the document; attachments follow all files.', integer({ min: 0 })),
  fileName: t.string,
  contentType: t.string,
  sizeBytes: about('null, like the address, if the file is no longer in the store.', nullable(integer({ min: 0 }))),
  sha256: about(
    'Of the bytes that the document was read from, in hexadecimal; null before the file is read.',
    nullable(t.string),
  ),
  pages: about(
    'Of a PDF document, a picture, or what a converter made pages of; empty for other formats, and for files that cannot be opened.',
    list(filePage),
  ),
  downloadUrl: about('Takes a `GET` without a credential until `expires_at`.', nullable(uri)),
  expiresAt: nullable(dateTime),
});

const part = component('DocumentPart', {
  name: about(
    'What it is, by the `parts` of the agent that divided; null if the run has other parts by now.',
    nullable(t.string),
  ),
  fileName: about('As the `parts` of the run have it.', t.string),
  pages: about('From 1; empty if the file has no pages.', list(integer({ min: 1 }))),
});

const word = component('PageWord', {
  text: t.string,
  x: fraction,
  y: fraction,
  width: fraction,
  height: fraction,
  confidence: about('Of OCR; null if the file itself has the word.', nullable(fraction)),
});

export const exampleDocumentFile: DocumentFile = {
  index: 0,
  fileName: exampleFile.fileName,
  contentType: exampleFile.contentType,
  sizeBytes: 48_213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  pages: [
    { page: 1, width: 595.28, height: 841.89, source: 'text' },
    { page: 2, width: 595.28, height: 841.89, source: 'text' },
  ],
  downloadUrl: `https://portico.example.com/blobs/${exampleFile.fileKey}?expires=1795169820&signature=Zm9v`,
  expiresAt: new Date('2026-11-20T09:57:00.000Z'),
};

const ofDocument = { id: about('The document.', uuid) };

const reads = { method: 'get', tag: 'Documents', access: { scope: 'runs:read' }, longRead: true } as const;

export const listDocumentFiles = operation({
  id: 'listDocumentFiles',
  path: '/documents/{id}/files',
  resource: 'document_files',
  ...reads,
  summary: 'List the files of a document',
  description:
    'The files that the document was read from, in the order in which the run has them, and the size of each of their pages. Behind them come ' +
    'what is attached to e-mails and PDF documents among them, as far as it could be read. Of a document that was read from a part of a file, it is that file with ' +
    'the pages of the part alone; it can be downloaded by those who see the run. With a `download_url` browsers save the file. ' +
    'A file whose bytes in the store are not those that were read is refused (`file_changed`), like its pages and their words.',
  params: wire(ofDocument),
  query: wire({
    downloadUrls: about(
      'Whether the answer has addresses by which the files can be downloaded, as it has unless this is `false`. Without them, the audit log has no download.',
      optional(booleanParameter),
    ),
  }),
  example: { params: { id: exampleDocument.id } },
  success: {
    description: 'The files.',
    data: wire({
      files: list(file),
      part: about(
        'The part of the run that it was read from; null unless the agent of the run divides files.',
        nullable(part),
      ),
    }),
    example: { files: [exampleDocumentFile], part: null },
  },
  refuses: ['not_found', 'file_changed'],
  handle: ({ documentFiles }, { caller, params: { id }, query: { downloadUrls = true }, signal }) =>
    documentFiles.list(caller, id, downloadUrls, signal),
});

const place = {
  ...ofDocument,
  index: about('The `index` of the file.', integerParameter({ min: 0, max: 100_000 })),
  page: about('The number of the page, from 1.', integerParameter({ min: 1, max: 100_000 })),
};

const imageWidth = about(
  'How wide the image is, in pixels. It is narrower if the page is a smaller picture, or far higher than wide.',
  withDefault(integerParameter({ min: 64, max: 2400 }), 1200),
);

export const KEPT_BY_CLIENTS = { 'Cache-Control': 'private, max-age=3600' };
const keptByClients = { 'Cache-Control': '`private, max-age=3600`' };

/** What an operation has that answers the image of a page. */
export const pageImage = {
  query: wire({ width: imageWidth }),
  success: {
    description: 'The page.',
    data: t.unknown,
    envelope: false,
    example: '',
    binary: 'image/png',
    headers: keptByClients,
  },
  etag: {},
  refuses: ['not_found', 'page_unreadable', 'file_changed'],
} as const;

export const getDocumentPage = operation({
  id: 'getDocumentPage',
  path: '/documents/{id}/files/{index}/pages/{page}',
  resource: 'document_page',
  ...reads,
  summary: 'Get a page of a document as an image',
  description:
    'The page as a person sees it, upright if the file says how it is to be turned. The `boxes` of evidence are fractions of this image. The first ' +
    'request for a page draws it, which may take seconds; if too many pages wait to be drawn the answer is 429 with `Retry-After`.',
  params: wire(place),
  ...pageImage,
  example: { params: { id: exampleDocument.id, index: 0, page: 1 }, query: { width: 1200 } },
  handle: async ({ documentFiles }, { caller, params: { id, ...at }, query: { width }, signal }) =>
    new WithHeaders(await documentFiles.page(caller, id, { ...at, width }, signal), KEPT_BY_CLIENTS),
});

export const getDocumentPageWords = operation({
  id: 'getDocumentPageWords',
  path: '/documents/{id}/files/{index}/pages/{page}/words',
  resource: 'document_page_words',
  ...reads,
  summary: 'Get the words of a page of a document',
  description:
    'The words of the page in the order of its text, each with its place as fractions of the image of the page: what the `boxes` of evidence are made ' +
    'of. At most 20,000. They are those that were read with the file; if it was read before they were kept, the first request reads it again, which ' +
    'may take as long as a run needs for it.',
  params: wire(place),
  example: { params: { id: exampleDocument.id, index: 0, page: 1 } },
  success: {
    description: 'The words; none on an empty page.',
    data: wire({ page: integer({ min: 1 }), source, words: list(word) }),
    example: {
      page: 2,
      source: 'text',
      words: [
        { text: 'Total', x: 0.61, y: 0.72, width: 0.05, height: 0.014, confidence: null },
        { text: '1,190.50', x: 0.79, y: 0.72, width: 0.09, height: 0.014, confidence: null },
      ],
    },
    headers: keptByClients,
  },
  etag: {},
  refuses: ['not_found', 'page_unreadable', 'file_changed'],
  handle: async ({ documentFiles }, { caller, params: { id, ...at }, signal }) =>
    new WithHeaders(await documentFiles.words(caller, id, at, signal), KEPT_BY_CLIENTS),
});

export const getDocumentFileText = operation({
  id: 'getDocumentFileText',
  path: '/documents/{id}/files/{index}/text',
  resource: 'document_file_text',
  ...reads,
  summary: 'Get the text of a file of a document',
  description:
    'The text of the file as it was read: what the model was shown, and what the quotes of evidence stand in. Sheets are lines of cells, an e-mail has ' +
    'its headers first. It comes in parts of at most 100,000 characters, which end with a line where one ends there. A file with pages, or one that ' +
    'was read before its text was kept, is read again for it, which may take as long as a run needs for it.',
  params: wire({ id: place.id, index: place.index }),
  query: wire({
    from: about(
      'Where the part begins: `next` of the part before it.',
      withDefault(integerParameter({ min: 0, max: 1_000_000_000 }), 0),
    ),
  }),
  example: { params: { id: exampleDocument.id, index: 1 }, query: { from: 0 } },
  success: {
    description: 'A part of the text.',
    data: wire({
      text: t.string,
      next: about('Where the next part begins; null at the end of the text.', nullable(integer({ min: 0 }))),
    }),
    example: { text: 'Description,Amount\nBolts,190.50\n', next: null },
    headers: keptByClients,
  },
  etag: {},
  refuses: ['not_found', 'page_unreadable', 'file_changed'],
  handle: async ({ documentFiles }, { caller, params: { id, index }, query: { from }, signal }) =>
    new WithHeaders(await documentFiles.text(caller, id, { index, from }, signal), KEPT_BY_CLIENTS),
});

export const getDocumentEInvoice = operation({
  id: 'getDocumentEInvoice',
  path: '/documents/{id}/files/{index}/einvoice',
  resource: 'document_einvoice',
  ...reads,
  summary: 'Get the e-invoice of a file of a document',
  description:
    'The original bytes of the XML: of the file itself, or of the first e-invoice that is attached to it. The file is read again for it. 404 if there ' +
    'is none.',
  params: wire({ id: place.id, index: place.index }),
  example: { params: { id: exampleDocument.id, index: 0 } },
  success: {
    description: 'The e-invoice.',
    data: t.unknown,
    envelope: false,
    example: '',
    binary: 'application/xml',
    headers: { ...keptByClients, 'Content-Disposition': '`attachment`' },
  },
  etag: {},
  refuses: ['not_found', 'file_changed'],
  handle: async ({ documentFiles }, { caller, params: { id, index }, signal }) =>
    new WithHeaders(Buffer.from(await documentFiles.eInvoice(caller, id, index, signal)), {
      ...KEPT_BY_CLIENTS,
      'Content-Disposition': 'attachment; filename="e-invoice.xml"',
    }),
});
