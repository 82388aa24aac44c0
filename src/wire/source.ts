import * as t from 'io-ts';
import { type SourceType, sourceStates, sourceTypes } from '../domain/source.ts';
import { exampleId, exampleTime } from './example.ts';
import { about, component, nullable } from './kit/structures.ts';
import { dateTime, integer, oneOf, text, uuid } from './kit/values.ts';

const types = Object.keys(sourceTypes) as readonly string[] as readonly [SourceType, ...SourceType[]];

/** A source by its name. */
export const sourceName = text({ min: 1, max: 200 });

export const source = component('Source', {
  name: t.string,
  type: about('A mailbox, a folder of the server, or a bucket.', oneOf(...types)),
  agent: about('The name of the agent that reads what comes.', t.string),
  state: about(
    'How the last look ended: `new` before the first, `well`, `failing` (see `error`), or `waiting`: so many of its runs have not ended (`SOURCE_MAX_RUNS`) that what else has come stays where it lies until half of them have. `paused`: nobody looks at it, as the workspace file says.',
    oneOf(...sourceStates),
  ),
  lastCheckedAt: about('When the last look at it ended; null before the first.', nullable(dateTime)),
  error: about(
    'Why the last look failed, or what could not be taken in it; null if it did not fail. It is tried again by itself.',
    nullable(t.string),
  ),
});

export const intakeItem = component('SourceItem', {
  key: about(
    'What it is in its source: mailbox, UIDVALIDITY and UID of a mail; path and digest of a file; key and version of an object.',
    t.string,
  ),
  name: about('The name of the file that its run has.', t.string),
  receivedAt: about('When it was found.', dateTime),
  sizeBytes: nullable(integer({ min: 0 })),
  digest: about('SHA-256 of its bytes, in hexadecimal; null if it was not read.', nullable(t.string)),
  runId: about(
    'Its run; of what was taken before, the first one. Null if it has none, or if that was removed.',
    nullable(uuid),
  ),
  whyNot: about('Why it became no run: it stays where it is. Null if it did.', nullable(t.string)),
});

export const exampleSource = {
  name: 'invoices',
  type: 'folder',
  agent: 'Invoice reader',
  state: 'well',
  lastCheckedAt: exampleTime('09:30:00.000'),
  error: null,
} as const;

const digest = 'f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2';

export const exampleIntake = {
  key: `/srv/inbox/invoice.pdf ${digest}`,
  name: 'invoice.pdf',
  receivedAt: exampleTime('09:30:00.000'),
  sizeBytes: 48_213,
  digest,
  runId: exampleId(4),
  whyNot: null,
} as const;
