import * as t from 'io-ts';
import { exampleFile } from '../../../wire/file.ts';
import { about, component, list, wire } from '../../../wire/kit/structures.ts';
import { integer, integerParameter, uuid } from '../../../wire/kit/values.ts';
import { exampleRun } from '../../../wire/run.ts';
import { operation, WithHeaders } from '../operation.ts';
import { exampleDocumentFile, filePage, KEPT_BY_CLIENTS, pageImage } from './document-files.ts';

const file = component('RunFilePages', {
  index: about(
    'Which file it is, in the addresses of its pages. The numbers need not follow each other.',
    integer({ min: 0 }),
  ),
  fileName: about('As the `parts` of the run have it.', t.string),
  contentType: t.string,
  pages: about('Empty if the file has no pages, cannot be opened, or is no longer in the store.', list(filePage)),
  blank: about(
    'Pages with nothing on them, separator sheets among them. Empty before the file is divided.',
    list(integer({ min: 1 })),
  ),
});

const { fileName, contentType } = exampleFile;
const { pages } = exampleDocumentFile;
export const exampleRunFile = { index: 0, fileName, contentType, pages, blank: [] };

const reads = { method: 'get', tag: 'Runs', access: { scope: 'runs:read' }, longRead: true } as const;
const ofRun = { id: about('The run.', uuid) };

export const listRunFiles = operation({
  id: 'listRunFiles',
  path: '/runs/{id}/files',
  resource: 'run_files',
  ...reads,
  summary: 'List the files of a run with their pages',
  description:
    'What was sent, and what is attached to it, in the order of the run, each file with the size of its pages. Of a run that divides files it is what was divided.',
  params: wire(ofRun),
  example: { params: { id: exampleRun.id } },
  success: { description: 'The files.', data: wire({ files: list(file) }), example: { files: [exampleRunFile] } },
  refuses: ['not_found', 'file_changed'],
  handle: async ({ runFiles }, { caller, params: { id }, signal }) => ({
    files: await runFiles.list(caller, id, signal),
  }),
});

const place = {
  ...ofRun,
  index: about('The `index` of the file.', integerParameter({ min: 0, max: 1_000_000_000 })),
  page: about('The number of the page, from 1.', integerParameter({ min: 1, max: 100_000 })),
};

export const getRunPage = operation({
  id: 'getRunPage',
  path: '/runs/{id}/files/{index}/pages/{page}',
  resource: 'run_page',
  ...reads,
  summary: 'Get a page of a file of a run as an image',
  description:
    'The page as a person sees it, whether it is in a document or not. The first request for a page draws it, which may take seconds; if too many pages wait to ' +
    'be drawn the answer is 429 with `Retry-After`.',
  params: wire(place),
  ...pageImage,
  example: { params: { id: exampleRun.id, index: 0, page: 1 }, query: { width: 240 } },
  handle: async ({ runFiles }, { caller, params: { id, ...at }, query: { width }, signal }) =>
    new WithHeaders(await runFiles.page(caller, id, { ...at, width }, signal), KEPT_BY_CLIENTS),
});
