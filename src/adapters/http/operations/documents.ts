import * as t from 'io-ts';
import { documentMachine } from '../../../domain/document.ts';
import { CREATED_AT, documentOrder, newestFirst } from '../../../domain/document-order.ts';
import { invalid } from '../../../domain/errors.ts';
import { reviewMachine } from '../../../domain/review.ts';
import { document, exampleDocument, exportedLine, listedDocument, rehearsal, trashed } from '../../../wire/document.ts';
import { documentCursor } from '../../../wire/document-cursor.ts';
import { about, list, nullable, optional, wire, withDefault } from '../../../wire/kit/structures.ts';
import { booleanParameter, oneOf, text, uuid } from '../../../wire/kit/values.ts';
import { shown } from '../document-answers.ts';
import { csvTable, ndjsonLine } from '../export-text.ts';
import { BodyText, operation, REPEATABLE } from '../operation.ts';
import { cursorPaging } from '../parameters.ts';
import { PATCH_TYPES } from '../patches.ts';
import { documentTag } from '../tags.ts';
import { inParts } from '../text-parts.ts';

const filter = {
  agentId: about('Only documents of this agent.', optional(uuid)),
  runId: about('Only documents of this run.', optional(uuid), exampleDocument.runId),
  status: about(
    'Only documents with this status. What is in the trash is listed by `trashed` alone.',
    optional(oneOf(...documentMachine.states)),
  ),
  review: about('Only documents whose review has this status.', optional(oneOf(...reviewMachine.states))),
  readyToPost: about(
    'Whether only documents are listed that can be posted: `ready`, with a review that is `approved` or `not_required`, of agents that have a system of record now, unless the workers are about to post it.',
    optional(booleanParameter),
  ),
  q: about(
    'Words, which are letters and digits; everything else separates them. A document is found if its name and the values of its data have, ' +
      'for each of the words, a word that begins with it, in upper or lower case. Of a document, the first 150,000 characters are searched.',
    optional(text({ min: 1, max: 200 })),
    'Meyer 4711',
  ),
  where: about(
    'JSON text over the data: `{"/total": {"gt": 1000}}`. The keys are JSON Pointers: `{"/total": value}` equals (`null`: there is none); ' +
      '`{"/total": {"eq"|"ne"|"gt"|"gte"|"lt"|"lte"|"like"|"in"|"is_null": …}}`; `{"and": […]}`, `{"or": […]}`, `{"not": {…}}`. Numbers are compared ' +
      'exactly; a string is compared with strings by code point, and with numbers if it is one. At most 50 conditions in 5 levels, 1,000 values, and patterns of 200 characters.',
    optional(text({ min: 1, max: 32_000 })),
    '{"/total": {"gt": 1000}}',
  ),
};

const params = wire({ id: about('The document.', uuid) });
const example = { params: { id: exampleDocument.id } };

type Given = {
  readonly [K in keyof typeof filter]?: Exclude<t.TypeOf<(typeof filter)[K]>, undefined> | null | undefined;
};

const filterOf = ({
  readyToPost,
  agentId = null,
  runId = null,
  status = null,
  review = null,
  q = null,
  where = null,
}: Given) => ({
  agentId,
  runId,
  status,
  review,
  readyToPost: readyToPost === true,
  q,
  where,
});

const orderKey = text({
  min: 1,
  max: 1000,
  pattern: /^(created_at|(\/([^~/]|~[01])*)+)$/,
  expected: 'created_at, or a JSON Pointer such as /total',
});

const next = nullable(documentCursor);

const reads = { tag: 'Documents', access: { scope: 'runs:read' } } as const;
const writes = { tag: 'Documents', access: { scope: 'runs:write' } } as const;

export const listDocuments = operation({
  id: 'listDocuments',
  method: 'get',
  path: '/documents',
  resource: 'documents',
  ...reads,
  summary: 'List and search documents',
  description:
    'The documents of the agents that you see, newest first or as `order_by` says, without their data and evidence, and without those in the trash unless `status` is `trashed`. A search that takes ' +
    'long is answered in parts: a page may have fewer documents than `limit`, or none, and still a `next` to go on with; null is the end. One that ' +
    'finds no part of a page within 5 seconds is 400 `query_timeout`; a user has a share of the searches, beyond which the answer is 429.',
  query: wire({
    ...filter,
    orderBy: about(
      'By what the list is ordered: `created_at`, or a JSON Pointer of the `list_columns` of the agent, which needs `agent_id`: numbers exactly, then texts by code point, then false and true, what has no value last; ties by id. ' +
        'By a value, a page reads all documents of the agent.',
      withDefault(orderKey, CREATED_AT),
    ),
    orderDirection: about('Without it: `desc` by `created_at`, else `asc`.', optional(oneOf('asc', 'desc'))),
    ...cursorPaging(documentCursor, 20, ' However deep a page lies, it costs the same. A cursor is of its order.'),
  }),
  example: { query: { agentId: exampleDocument.agentId, status: 'ready', limit: 20 } },
  success: {
    description: 'A page of documents.',
    data: wire({ documents: list(listedDocument), next }),
    example: {
      documents: [exampleDocument],
      next: { order: newestFirst, createdAt: exampleDocument.createdAt, id: exampleDocument.id, value: null },
    },
  },
  refuses: ['query_timeout'],
  async handle({ documents }, { caller, query, signal }) {
    const { limit, after = null, orderBy, orderDirection } = query;
    const order = documentOrder(orderBy, orderDirection);
    const page = await documents.print(caller, filterOf(query), { limit, after, order }, signal);
    return new BodyText(
      `{"data":{"documents":[${page.documents.join()}],"next":${JSON.stringify(next.encode(page.next))}}}`,
    );
  },
});

const pointer = text({
  min: 1,
  max: 1000,
  pattern: /^(\/([^~/]|~[01])*)+$/,
  expected: 'a JSON Pointer such as /lines',
});

const noAgent = () =>
  invalid({ path: 'agent_id', message: 'or run_id is required for csv: the schema of the agent gives the columns' });

export const exportDocuments = operation({
  id: 'exportDocuments',
  method: 'get',
  path: '/documents/export',
  resource: 'documents_export',
  ...reads,
  summary: 'Export documents',
  description:
    'Every document that a list with these filters has, newest first, with its data and every digit of it; one million documents at most. ' +
    '`ndjson`: a line of JSON for each. `csv`: a line for each, for the documents of one agent or run (`agent_id` or `run_id` is required), with a column for every value that the schema of the agent names and `other` for what ' +
    'it does not; a text that a spreadsheet would run as a formula, on its own or behind a `;`, a tab or a line break in it, has an apostrophe before it. With `rows` there is a line for each row of that list. ' +
    'An export that breaks off midway ends without its last chunk, which HTTP clients report.',
  query: wire({
    ...filter,
    format: about('Lines of JSON, or a table.', withDefault(oneOf('ndjson', 'csv'), 'ndjson')),
    rows: about('A JSON Pointer to a list in the data, such as /lines.', optional(pointer)),
  }),
  example: { query: { agentId: exampleDocument.agentId, format: 'csv', rows: '/lines' } },
  success: {
    description: 'The documents, as they are read.',
    data: t.string,
    envelope: false,
    example: '',
    texts: {
      'application/x-ndjson': { example: ndjsonLine({ document: exampleDocument, row: null }), line: exportedLine },
      'text/csv': { example: 'id,run_id,name,status,created_at,/invoice_number,/total,other\r\n' },
    },
  },
  refuses: ['query_timeout'],
  handle: async ({ documents }, { caller, query, signal }) => {
    const { format, rows = null } = query;
    if (format === 'csv' && query.agentId === undefined && query.runId === undefined) throw noAgent();
    const { columns, lines } = await documents.export(caller, filterOf(query), rows, signal);
    if (format === 'ndjson') return new BodyText(inParts(lines, '', ndjsonLine), 'application/x-ndjson');
    const { header, line } = csvTable(columns, rows);
    return new BodyText(inParts(lines, header, line), 'text/csv; charset=utf-8');
  },
});

export const getDocument = operation({
  id: 'getDocument',
  method: 'get',
  path: '/documents/{id}',
  resource: 'document',
  ...reads,
  summary: 'Get a document',
  description:
    'The document with its data, which is valid against the agent’s schema once the status is `ready`, and the evidence for it: for each value, ' +
    'by JSON Pointer, a verbatim quote from the source.',
  params,
  example,
  etag: { of: documentTag },
  acceptPatch: PATCH_TYPES,
  success: { description: 'The document.', data: document, example: exampleDocument },
  refuses: ['not_found'],
  handle: async ({ documents }, { caller, params: { id } }) =>
    shown(documents, caller, await documents.getHead(caller, id)),
});

export const processDocument = operation({
  id: 'processDocument',
  method: 'post',
  path: '/documents/{id}',
  resource: 'document',
  ...writes,
  idempotent: REPEATABLE,
  summary: 'Process a document',
  description:
    'Writes the document’s data to the system of record of its agent, once. If that system rejects the data the answer is 200 too, with the ' +
    'status `error` and the system’s reason. If it cannot be reached the answer is 500 and nothing was written: try again. The code ' +
    '`outcome_unknown` is 500 too: the system did not confirm whether it saved the row, and the next attempt looks for the row first. A document whose ' +
    'review is `pending` or `rejected` is not written; what is written is the revision that was approved. For 10 seconds a person may take an approval in the console back: the answer waits ' +
    'for the end of them. Takes no body.',
  params,
  example,
  etag: { of: documentTag },
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
    'review_required',
    'review_rejected',
    'upstream_unavailable',
    'outcome_unknown',
  ],
  handle: async ({ documents }, { caller, params: { id } }) =>
    shown(documents, caller, await documents.process(caller, id)),
});

export const rehearseDocument = operation({
  id: 'rehearseDocument',
  method: 'post',
  path: '/documents/{id}/rehearsal',
  resource: 'document_rehearsal',
  ...writes,
  idempotent: REPEATABLE,
  summary: 'Rehearse a document',
  description:
    'What processing the document would come to: the same statements, on the system of record itself, in a transaction that is always rolled ' +
    'back. Constraints that wait for the commit are checked too. The document stays as it is, whatever its status. What a rollback does not bring ' +
    'back: sequences and identity values go on, and what a trigger does outside of its database is done. Takes no body.',
  params,
  example,
  success: {
    description: 'What would happen, and to which row.',
    data: rehearsal,
    example: {
      would: 'reject' as const,
      row: { document_id: exampleDocument.id, number: '4711', total: 1190.5 },
      reason:
        'duplicate key value violates unique constraint "invoices_number_key". Key (number)=(4711) already exists.',
    },
  },
  refuses: ['not_found', 'document_without_data', 'no_system_of_record', 'upstream_unavailable'],
  handle: ({ documents }, { caller, params: { id }, signal }) => documents.rehearse(caller, id, signal),
});

export const deleteDocument = operation({
  id: 'deleteDocument',
  method: 'delete',
  path: '/documents/{id}',
  resource: 'document',
  ...writes,
  summary: 'Delete a document',
  description:
    'Stops all work on the document and moves it to the trash, whatever its status. Deleting it again is 200 too. `POST /documents/{id}/restore` ' +
    'brings it back. One that is held is 409 `held`.',
  params,
  example,
  success: {
    description: 'The document is in the trash.',
    data: trashed,
    example: { id: exampleDocument.id, status: 'trashed' },
  },
  refuses: ['not_found', 'held'],
  handle: async ({ documents }, { caller, params: { id } }) => {
    const removed = await documents.remove(caller, id);
    return { id: removed.id, status: 'trashed' as const };
  },
});

export const restoreDocument = operation({
  id: 'restoreDocument',
  method: 'post',
  path: '/documents/{id}/restore',
  resource: 'document_restore',
  ...writes,
  idempotent: REPEATABLE,
  summary: 'Restore a document',
  description:
    'Brings a document back from the trash, as it was. Work that was under way when it was deleted does not go on: a delivery is over, and what ' +
    'was not read yet is `error`. Takes no body.',
  params,
  example,
  etag: { of: documentTag },
  success: { description: 'The document, as it was.', data: document, example: exampleDocument },
  refuses: ['not_found', 'conflict'],
  handle: async ({ documents }, { caller, params: { id } }) =>
    shown(documents, caller, await documents.restore(caller, id)),
});
