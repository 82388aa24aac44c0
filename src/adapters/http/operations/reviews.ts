import type { IsCurrent } from '../../../application/documents/current.ts';
import { document, exampleDocument, exampleRevision, revision } from '../../../wire/document.ts';
import { exampleId } from '../../../wire/example.ts';
import { about, list, nullable, wire, withDefault } from '../../../wire/kit/structures.ts';
import { cursor, oneOf, text, uuid } from '../../../wire/kit/values.ts';
import { shown } from '../document-answers.ts';
import { ifMatchOf, matching } from '../if-match.ts';
import { operation, REPEATABLE } from '../operation.ts';
import { cursorPaging, requestHeaders } from '../parameters.ts';
import { correction, exampleCorrection, PATCH_TYPES, patchesAlone } from '../patches.ts';
import { documentTag } from '../tags.ts';

const params = wire({ id: about('The document.', uuid) });
const headers = requestHeaders({ ifMatch: ifMatchOf('document') });

/** Whether a document is as the header says; null without the header. */
const currentBy = (ifMatch: string | undefined): IsCurrent | null => matching(ifMatch, documentTag);

const example = { params: { id: exampleDocument.id } };
const corrected = { ...exampleDocument, revision: 2, documentData: { ...exampleDocument.documentData, total: 1910.5 } };
const refuses = [
  'not_found',
  'document_busy',
  'document_processed',
  'precondition_required',
  'revision_changed',
] as const;

const reviews = { tag: 'Documents', access: { scope: 'documents:review' } } as const;

export const correctDocument = operation({
  id: 'correctDocument',
  method: 'patch',
  path: '/documents/{id}',
  resource: 'document',
  ...reviews,
  summary: 'Correct a document',
  description:
    'Makes the next revision of the data by a JSON Patch (RFC 6902), while the document is `ready` or `error`: all of it, or nothing. Numbers keep ' +
    'every digit. Data that would not fit the agent’s schema is refused with everything that is wrong with it, and so is data of ' +
    'more than 4 MiB or 200,000 values. Of what changes, the evidence is the place that you give, or the quote that was there if it has the new value too, or none; its `support` is `person` where a person is all that ' +
    'stands behind a value. The patch may also be the whole body: as `application/json-patch+json`, or as ' +
    '`application/merge-patch+json` (RFC 7396), where `null` removes a member. An approval or a rejection was of the data before: the review is `pending` again. A patch that changes nothing makes no revision.',
  params,
  headers,
  body: correction,
  otherBodies: patchesAlone,
  acceptPatch: PATCH_TYPES,
  etag: { of: documentTag },
  example: { ...example, body: exampleCorrection },
  success: { description: 'The document, as it is now.', data: document, example: corrected },
  refuses,
  handle: async ({ documents }, { caller, params: { id }, body, headers: { ifMatch } }) =>
    shown(documents, caller, await documents.correct(caller, id, body, currentBy(ifMatch))),
});

export const reviewDocument = operation({
  id: 'reviewDocument',
  method: 'post',
  path: '/documents/{id}/review',
  resource: 'document_review',
  ...reviews,
  idempotent: REPEATABLE,
  summary: 'Approve, reject or reopen a document',
  description:
    'Decides on the revision that you read, while the document is `ready` or `error`. A decision stands until the data changes, or `reopen` takes it ' +
    'back: the review is `pending` again. An approval in the console is held for 10 seconds in which a person may take it back: what processes the ' +
    'document earlier waits for the end of them. What is written to the system of record is exactly the revision that was approved. `by` of the agent’s `review` says who ' +
    'may approve: people and their programs (`client`, the default), only a person in the console (`person`), or one who has not worked on the ' +
    'document (`other_person`). Rejecting and reopening hold a document back, and need none of these.',
  params,
  headers,
  body: wire({
    decision: oneOf('approve', 'reject', 'reopen'),
    note: withDefault(nullable(text({ max: 10_000 })), null),
  }),
  etag: { of: documentTag },
  example: { ...example, body: { decision: 'approve', note: 'Checked against the order.' } },
  success: {
    description: 'The document, as it is now.',
    data: document,
    example: {
      ...exampleDocument,
      reviewStatus: 'approved',
      reviewer: { id: exampleId(7), name: 'Ada', email: 'ada@example.com' },
      reviewNote: 'Checked against the order.',
      decidedAt: new Date('2026-11-20T09:35:00.000Z'),
      decidedVia: 'api_key',
    },
  },
  refuses: [...refuses, 'person_required', 'own_work', 'document_without_data', 'conflict'],
  async handle({ documents }, { caller, params: { id }, body: { decision, note }, headers: { ifMatch } }) {
    const decided =
      decision === 'reopen'
        ? documents.reopen(caller, id, currentBy(ifMatch))
        : documents.decide(caller, id, { event: decision, note }, currentBy(ifMatch));
    return shown(documents, caller, await decided);
  },
});

export const listRevisions = operation({
  id: 'listRevisions',
  method: 'get',
  path: '/documents/{id}/revisions',
  resource: 'document_revisions',
  tag: 'Documents',
  access: { scope: 'runs:read' },
  summary: 'List the revisions of a document',
  description:
    'Who changed what of the data, newest first. The first revision is what the agent extracted. A page whose changes are large has fewer than `limit`.',
  params,
  query: wire(cursorPaging(cursor, 20)),
  example,
  success: {
    description: 'A page of revisions; `next` is null on the last one.',
    data: wire({ revisions: list(revision), next: nullable(cursor) }),
    example: { revisions: [exampleRevision], next: 2 },
  },
  refuses: ['not_found'],
  handle: ({ documents }, { caller, params: { id }, query: { limit, after = null } }) =>
    documents.revisions(caller, id, { limit, after }),
});
