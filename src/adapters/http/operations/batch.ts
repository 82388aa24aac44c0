import type { BatchAction, BatchRequest, BatchResult } from '../../../application/documents/batch.ts';
import type { Scope } from '../../../domain/access.ts';
import { DomainError, invalid } from '../../../domain/errors.ts';
import { batchedDocument, exampleDocument } from '../../../wire/document.ts';
import { exampleId } from '../../../wire/example.ts';
import { about, list, nullable, optional, wire, withDefault } from '../../../wire/kit/structures.ts';
import { integer, oneOf, string, text, uuid } from '../../../wire/kit/values.ts';
import { mustHaveScope } from '../credentials.ts';
import { statusOf, titleOf, typeOf } from '../error-codes.ts';
import { detailOf } from '../errors.ts';
import { operation, REPEATABLE } from '../operation.ts';

const MOST_ITEMS = 100;

const scopes: Readonly<Record<BatchAction, Scope>> = {
  approve: 'documents:review',
  reject: 'documents:review',
  process: 'runs:write',
  trash: 'runs:write',
};

const refusal = wire({
  type: string,
  title: string,
  detail: string,
  status: integer({ min: 400, max: 599 }),
  code: string,
  revision: about('Of `revision_changed`: the one that the document has now.', optional(integer({ min: 0 }))),
});

const result = wire({
  id: uuid,
  document: about('As it is now, without its data and evidence; null where it was refused.', nullable(batchedDocument)),
  error: about(
    'Why nothing was done, as the operation for one document says it; null where it was done.',
    nullable(refusal),
  ),
});

/** The same error as the operation for one document answers, but for the id of its request. */
const refusalOf = (error: unknown, base: string) => {
  const [code, status] =
    error instanceof DomainError ? [error.code, statusOf[error.kind]] : (['internal', 500] as const);
  const { revision } = error instanceof DomainError ? error.extra : {};
  return {
    type: typeOf(code, base),
    title: titleOf(code),
    detail: detailOf(error),
    status,
    code,
    ...(typeof revision === 'number' && { revision }),
  };
};

const resultOf = ({ id, document, error }: BatchResult, base: string) => ({
  id,
  document,
  error: error === null ? null : refusalOf(error, base),
});

const mustBeDistinct = ({ items }: Pick<BatchRequest, 'items'>) => {
  const ids = items.map(({ id }) => id);
  const errors = ids.flatMap((id, index) =>
    ids.indexOf(id) === index ? [] : [{ path: `body.items[${index}].id`, message: 'is there twice' }],
  );
  if (errors.length > 0) throw invalid(...errors);
};

const changed = new DomainError(
  'precondition_failed',
  'The document is not as it was when it was read: read it again.',
  {
    extra: { revision: 3 },
  },
);

export const batchDocuments = operation({
  id: 'batchDocuments',
  method: 'post',
  path: '/documents/batch',
  resource: 'document_batch',
  tag: 'Documents',
  access: { scope: 'documents:review', or: 'runs:write' },
  idempotent: REPEATABLE,
  summary: 'Decide on, process or delete many documents',
  description:
    'Does the same to at most 100 documents, each on its own and each of the revision that you read: what refuses one keeps no other back. ' +
    '`approve` and `reject` need the scope `documents:review`, `process` and `trash` need `runs:write`; without it nothing is done. The results are in the order of the ' +
    'items, each with the document as it is now, or with the error that the operation for one document answers. A few are worked on at a time, and the work goes on if you hang up.',
  body: wire({
    action: oneOf('approve', 'reject', 'process', 'trash'),
    items: about(
      'Each document once.',
      list(wire({ id: uuid, revision: integer({ min: 0 }) }), { min: 1, max: MOST_ITEMS }),
    ),
    note: about('Of an approval or a rejection.', withDefault(nullable(text({ max: 10_000 })), null)),
  }),
  example: {
    body: {
      action: 'approve',
      items: [
        { id: exampleDocument.id, revision: 1 },
        { id: exampleId(9), revision: 2 },
      ],
      note: 'Checked against the orders.',
    },
  },
  success: {
    description: 'What came of each document.',
    data: wire({ results: list(result) }),
    example: {
      results: [
        { id: exampleDocument.id, document: { ...exampleDocument, reviewStatus: 'approved' as const }, error: null },
        { id: exampleId(9), document: null, error: refusalOf(changed, 'https://portico.example.com') },
      ],
    },
  },
  async handle({ documentBatches, urls }, { caller, body }) {
    mustHaveScope(caller, { scope: scopes[body.action] });
    mustBeDistinct(body);
    const results = await documentBatches(caller, body);
    return { results: results.map((each) => resultOf(each, urls.base)) };
  },
});
