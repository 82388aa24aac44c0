import { document, exampleDocument } from '../../../wire/document.ts';
import { givenHold } from '../../../wire/hold.ts';
import { about, wire } from '../../../wire/kit/structures.ts';
import { uuid } from '../../../wire/kit/values.ts';
import { shown } from '../document-answers.ts';
import { operation } from '../operation.ts';
import { documentTag } from '../tags.ts';

const ofDocument = {
  path: '/documents/{id}/hold',
  resource: 'document_hold',
  tag: 'Documents',
  access: { scope: 'runs:write' },
  adminOnly: true,
  params: wire({ id: about('The document.', uuid) }),
  etag: { of: documentTag },
} as const;
const params = { id: exampleDocument.id };
const reason = 'The audit of 2026 is under way.';

export const holdDocument = operation({
  id: 'holdDocument',
  method: 'put',
  ...ofDocument,
  summary: 'Hold a document',
  description:
    'Keeps the document from being deleted, by anybody: it does not go to the trash, and its run, its conversation and its files stay, too, until the hold is lifted. Whatever else may be done with it still may. ' +
    'On a document that is held, the new reason takes the place of the one before. For administrators.',
  body: wire(givenHold),
  example: { params, body: { reason } },
  success: {
    description: 'The document, which is held.',
    data: document,
    example: {
      ...exampleDocument,
      holdReason: reason,
      heldBy: { id: exampleDocument.id, name: 'Ada', email: 'ada@example.com' },
      heldAt: new Date('2026-11-20T09:45:00.000Z'),
    },
  },
  refuses: ['not_found'],
  handle: async ({ documents }, { caller, params: { id }, body }) =>
    shown(documents, caller, await documents.hold(caller, id, body.reason)),
});

export const releaseDocument = operation({
  id: 'releaseDocument',
  method: 'delete',
  ...ofDocument,
  summary: 'Lift the hold of a document',
  description: 'From then on the document may be deleted. Without a hold nothing happens. For administrators.',
  example: { params },
  success: { description: 'The document, which is not held.', data: document, example: exampleDocument },
  refuses: ['not_found'],
  handle: async ({ documents }, { caller, params: { id } }) =>
    shown(documents, caller, await documents.release(caller, id)),
});
