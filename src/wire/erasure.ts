import * as t from 'io-ts';
import { type Erasure, erasureStores } from '../domain/erasure.ts';
import { exampleId } from './example.ts';
import { about, component, list, nullable, written } from './kit/structures.ts';
import { dateTime, integer, oneOf, uuid } from './kit/values.ts';

const count = integer({ min: 0 });
const receipt = component('StoreReceipt', {
  store: about(
    '`database`: its rows, other conversations that had read it, and stored answers. `files`: with images and texts of pages, and versions of the bucket. `events`: the log. ' +
      '`webhooks`: deliveries. `system_of_record` and `audit` are kept.',
    oneOf(...erasureStores),
  ),
  removed: count,
  kept: count,
  why: about('Why something is kept; null where nothing is.', nullable(t.string)),
});

const id = (of: string) => about(`The ${of} that was asked for; null if it was none.`, nullable(uuid));

const shown = component('Erasure', {
  id: uuid,
  documentId: id('document'),
  runId: id('run'),
  threadId: id('conversation'),
  reason: t.string,
  requestedBy: about('The user; null if it is not known.', nullable(uuid)),
  requestedAt: dateTime,
  completedAt: about('null while it goes on.', nullable(dateTime)),
  stores: list(receipt),
});

const shownOf = ({ subject, ...erasure }: Erasure): t.TypeOf<typeof shown> => ({
  ...erasure,
  documentId: subject.type === 'document' ? subject.id : null,
  runId: subject.type === 'run' ? subject.id : null,
  threadId: subject.type === 'thread' ? subject.id : null,
});

export const erasure = written(shown, shownOf);

const none = { removed: 0, kept: 0, why: null };

export const exampleErasure: Erasure = {
  id: exampleId(9),
  workspaceId: exampleId(1),
  subject: { type: 'document', id: exampleId(6) },
  reason: 'The customer asked for it.',
  requestedBy: exampleId(2),
  requestedAt: new Date('2026-11-20T10:00:00.000Z'),
  completedAt: new Date('2026-11-20T10:00:00.250Z'),
  stores: [
    { ...none, store: 'database', removed: 9 },
    { ...none, store: 'files', removed: 3 },
    { ...none, store: 'events', removed: 6 },
    { ...none, store: 'webhooks' },
    {
      store: 'system_of_record',
      removed: 0,
      kept: 1,
      why: 'Rows in a system of record are for those to remove whose system it is.',
    },
    {
      store: 'audit',
      removed: 0,
      kept: 4,
      why: 'The audit log has names and ids of what was done, and no content. It is kept.',
    },
  ],
  targets: { documents: [], conversations: [], runs: [], units: [], keys: [] },
};
