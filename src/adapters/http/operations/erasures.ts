import type { ErasureSubject } from '../../../domain/erasure.ts';
import { invalid } from '../../../domain/errors.ts';
import { erasure, exampleErasure } from '../../../wire/erasure.ts';
import { about, list, nullable, optional, wire } from '../../../wire/kit/structures.ts';
import { notBlank, positionCursor, uuid } from '../../../wire/kit/values.ts';
import { operation, WithHeaders } from '../operation.ts';
import { cursorPaging } from '../parameters.ts';

const forAdmins = {
  path: '/erasures',
  resource: 'erasures',
  tag: 'Erasures',
  access: 'api-key',
  adminOnly: true,
} as const;

interface Named {
  readonly documentId?: string | undefined;
  readonly runId?: string | undefined;
  readonly threadId?: string | undefined;
}

const subjectOf = ({ documentId, runId, threadId }: Named): ErasureSubject => {
  const ids = [
    { type: 'document', id: documentId },
    { type: 'run', id: runId },
    { type: 'thread', id: threadId },
  ] as const;
  const subjects = ids.flatMap(({ type, id }) => (id === undefined ? [] : { type, id }));
  const [subject] = subjects;
  if (subject && subjects.length === 1) return subject;
  throw invalid({ path: 'body', message: 'must name exactly one of document_id, run_id and thread_id' });
};

export const erase = operation({
  id: 'erase',
  method: 'post',
  ...forAdmins,
  writes: true,
  summary: 'Erase a document, a run or a conversation',
  description:
    'For good: afterwards no word of it is in a dump of the database or in the file store, and its ids are 404. A document, or the conversation in which it was read, goes with its files, ' +
    'its conversation, its revisions and events, and with other documents that were read from the same pages; documents of other parts of a divided file stay, without its pages. A run goes with all of its documents and conversations. Of other conversations that have read it, ' +
    'the turns from there on go. The row in the system of record and the audit log stay. What is held, or shares a file with what is held, is 409 `held`; what is not at rest is 409. ' +
    'A backup from before still has it: its database does not serve until `portico erase --replay`.',
  body: wire({
    documentId: about('One of the three is required, and no more than one.', optional(uuid)),
    runId: optional(uuid),
    threadId: optional(uuid),
    reason: about('Kept with the receipt: write no content here.', notBlank(1000)),
  }),
  example: { body: { documentId: exampleErasure.subject.id, reason: exampleErasure.reason } },
  success: {
    description: 'The receipt: it is erased.',
    accepted: 'It is removed from lists already, and goes on without you: `GET /erasures` says when it is complete.',
    data: erasure,
    example: exampleErasure,
  },
  refuses: ['not_found', 'held', 'conflict'],
  async handle({ erasures }, { caller, body: { reason, ...named } }) {
    const receipt = await erasures.erase(caller, subjectOf(named), reason);
    return new WithHeaders(receipt, {}, receipt.completedAt === null);
  },
});

export const listErasures = operation({
  id: 'listErasures',
  method: 'get',
  ...forAdmins,
  summary: 'List erasures',
  description: 'The receipts of what was erased in the workspace, newest first.',
  query: wire(cursorPaging(positionCursor, 20)),
  success: {
    description: 'A page of receipts; `next` is null on the last one.',
    data: wire({ erasures: list(erasure), next: nullable(positionCursor) }),
    example: { erasures: [exampleErasure], next: null },
  },
  handle: ({ erasures }, { caller, query: { limit, after = null } }) => erasures.list(caller, { limit, after }),
});
