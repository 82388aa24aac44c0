import { uuid } from '../codecs.ts';
import { operation } from '../operation.ts';
import { document, exampleDocument, trashed } from '../shapes/document.ts';
import { about, wire } from '../structures.ts';

const params = wire({ id: about('The document.', uuid) });
const example = { params: { id: exampleDocument.id } };

export const getDocument = operation({
  id: 'getDocument',
  method: 'get',
  path: '/documents/{id}',
  tag: 'Documents',
  resource: 'document',
  summary: 'Get a document',
  description:
    'The document with its data, which is valid against the agent’s schema once the status is `ready`, and the evidence for it: for each value, ' +
    'by JSON Pointer, a verbatim quote from the source.',
  access: { scope: 'runs:read' },
  params,
  example,
  success: { description: 'The document.', data: document, example: exampleDocument },
  refuses: ['not_found'],
  handle: ({ documents }, { caller, params: { id } }) => documents.get(caller, id),
});

export const processDocument = operation({
  id: 'processDocument',
  method: 'post',
  path: '/documents/{id}',
  tag: 'Documents',
  resource: 'document',
  summary: 'Process a document',
  description:
    'Writes the document’s data to the system of record of its agent, once. If that system rejects the data the answer is 200 too, with the ' +
    'status `error` and the system’s reason. If it cannot be reached the answer is 500 and nothing was written: try again. The code ' +
    '`outcome_unknown` is 500 too: the system did not confirm whether it saved the row, and the next attempt looks for the row first. Takes no body.',
  access: { scope: 'runs:write' },
  params,
  example,
  success: {
    description: 'The updated document: `processed`, or `error` with the reason.',
    data: document,
    example: {
      ...exampleDocument,
      status: 'processed',
      externalReference: `public.invoices document_id=${exampleDocument.id}`,
      processedAt: new Date('2026-11-20T09:41:00.000Z'),
    },
  },
  refuses: [
    'not_found',
    'document_busy',
    'document_processed',
    'document_without_data',
    'no_system_of_record',
    'upstream_unavailable',
    'outcome_unknown',
  ],
  handle: ({ documents }, { caller, params: { id } }) => documents.process(caller, id),
});

export const deleteDocument = operation({
  id: 'deleteDocument',
  method: 'delete',
  path: '/documents/{id}',
  tag: 'Documents',
  resource: 'document',
  summary: 'Delete a document',
  description: 'Stops all work on the document and moves it to the trash, whatever its status. Deleting it again is 200 too.',
  access: { scope: 'runs:write' },
  params,
  example,
  success: { description: 'The document is in the trash.', data: trashed, example: { id: exampleDocument.id, status: 'trashed' } },
  refuses: ['not_found'],
  handle: async ({ documents }, { caller, params: { id } }) => {
    const removed = await documents.remove(caller, id);
    return { id: removed.id, status: 'trashed' as const };
  },
});
