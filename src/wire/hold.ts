import * as t from 'io-ts';
import type { Hold } from '../domain/hold.ts';
import { about, component, nullable, wire } from './kit/structures.ts';
import { dateTime, notBlank } from './kit/values.ts';

/** What is said of a hold by who sets it. */
export const givenHold = { reason: about('Shown with the document.', notBlank(1000)) };

const holdFields = component('Hold', {
  reason: t.string,
  by: wire({ name: t.string, email: t.string }),
  at: dateTime,
});

export const hold = about(
  'Why nothing of the document is deleted, by anybody; null where it may be.',
  nullable(holdFields),
);

export const holdOf = ({ holdReason, heldBy, heldAt }: Hold): t.TypeOf<typeof hold> =>
  holdReason === null || heldBy === null || heldAt === null ? null : { reason: holdReason, by: heldBy, at: heldAt };
