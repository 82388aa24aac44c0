import type { EntityManager } from '@mikro-orm/postgresql';
import type { Revising } from '../../../application/ports/revisions.ts';
import type { DocumentHead, DocumentRepository, ShownDocument } from '../../../application/ports/storage.ts';
import { inSlices } from '../../../application/shared/async.ts';
import type { OwnDeed } from '../../../domain/audit.ts';
import type { Document } from '../../../domain/document.ts';
import { omit } from '../../../domain/omit.ts';
import { eventsBetween } from '../../../domain/webhook.ts';
import { sqlIn } from '../connection/database.ts';
import * as sql from '../statements/document-statements.ts';
import { assigned } from '../tables/columns.ts';
import { DocumentTable } from '../tables/entities.ts';
import { printedEvidence } from '../tables/evidence-text.ts';
import { recordIn } from './acts.ts';

type Update = Parameters<DocumentRepository['update']>;
type Locked = DocumentHead & { readonly now: Date };

/** What a row of `documents` has by itself. */
const storedOf = <T extends DocumentHead>(head: T) => omit(head, 'agentVersion', 'model', 'duplicates');

/** The properties that have another value than before. */
const changedIn = <T extends object>(before: T, after: T): Partial<T> =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name as keyof T] !== value)) as Partial<T>;

const locked = async (em: EntityManager, id: string): Promise<Locked | undefined> => {
  await sqlIn(em, sql.lock, [id]);
  const [row] = await sqlIn<Locked>(em, sql.locked, [id]);
  return row;
};

const write = async (em: EntityManager, id: string, changed: Partial<Document>) => {
  // MikroORM would write each value into the text of the statement, one character after the other.
  const evidence = changed.evidence && (await inSlices(printedEvidence(changed.evidence)));
  const { assignments, values } = assigned(DocumentTable, changed, evidence ? { evidence } : {});
  if (values.length > 0) await sqlIn(em, sql.write(assignments), [...values, id]);
};

const recordDeed = (em: EntityManager, { id, workspaceId, revision }: DocumentHead, deed: OwnDeed) => {
  const subject = { type: 'document', id, name: null } as const;
  return recordIn(em, [{ ...deed, workspaceId, subject, details: { revision, ...deed.details } }]);
};

const insertRevision = (
  em: EntityManager,
  { id, revision }: DocumentHead,
  revising: Revising | undefined,
  now: Date,
) => {
  if (revising === undefined) throw new Error(`Revision ${revision} of document ${id} has no author.`);
  const { userId, via, changes } = revising;
  return sqlIn(em, sql.insertRevision, [id, revision, userId, via, JSON.stringify(changes), now]);
};

const duplicatesOf = async (em: EntityManager, { id, duplicateKey }: DocumentHead) => {
  const [alike] = await sqlIn<Pick<DocumentHead, 'duplicates'>>(em, sql.findDuplicates.text, [id, duplicateKey]);
  return alike?.duplicates ?? [];
};

/** See `DocumentRepository.update`: what the change leaves as it is, is not written. */
export const updateDocument = async (
  em: EntityManager,
  ...[id, change, revising, deed]: Update
): Promise<DocumentHead | null> => {
  const row = await locked(em, id);
  if (row === undefined) return null;
  const { now, ...before } = row;
  const after = storedOf(change(before, now) as ShownDocument);
  await write(em, id, changedIn<Partial<Document>>(storedOf(before), after));
  const changed: DocumentHead = { ...before, ...omit(after, 'documentData', 'evidence') };
  const events = eventsBetween(before, changed);
  if (events.length > 0) await sqlIn(em, sql.logEvents, [id, events]);
  const isAct = events.length > 0 || changed.heldAt !== before.heldAt;
  if (isAct && deed) await recordDeed(em, changed, deed);
  if (changed.revision !== before.revision) await insertRevision(em, changed, revising, now);
  if (changed.duplicateKey === before.duplicateKey) return changed;
  return { ...changed, duplicates: await duplicatesOf(em, changed) };
};
