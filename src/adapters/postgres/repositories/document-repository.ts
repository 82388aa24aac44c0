import type { StoredRevision } from '../../../application/ports/revisions.ts';
import type {
  DocumentHead,
  DocumentRepository,
  PrintedContents,
  ShownDocument,
} from '../../../application/ports/storage.ts';
import { inSlices } from '../../../application/shared/async.ts';
import { fairShare } from '../../../application/shared/fair-share.ts';
import type { Document } from '../../../domain/document.ts';
import { busy } from '../../../domain/errors.ts';
import { parseJson } from '../../../domain/json-number.ts';
import { omit } from '../../../domain/omit.ts';
import { eventsBetween } from '../../../domain/webhook.ts';
import { type Database, sqlIn } from '../connection/database.ts';
import { findById, isId } from '../connection/ids.ts';
import type { Reads } from '../connection/replica.ts';
import * as sql from '../statements/document-statements.ts';
import { type Fitting, pageOf } from '../statements/page-bytes.ts';
import { assigned } from '../tables/columns.ts';
import { DocumentTable } from '../tables/entities.ts';
import { parsedEvidence, printedEvidence } from '../tables/evidence-text.ts';
import { recordIn } from './acts.ts';
import { documentLists } from './document-list.ts';

/** So many long documents are read at a time: each takes a connection of the pool, and tens of megabytes. */
const LONG_READS = 3;
/** So many wait for that, because a refused one may be the answer to a write: beyond, the newest of the workspace that has the most of them is refused. */
const MOST_WAITING = 1000;

/** What is short is read with all other short reads; what is long is not, because each read behind it would wait for it. */
const contentsReader = ({ read, query }: Pick<Database, 'read' | 'query'>) => {
  const refusal = () => busy('Too many long documents are being read');
  const share = fairShare({ places: LONG_READS, mostWaiting: MOST_WAITING, refusal });
  const printed = async (
    { short, any }: typeof sql.contents,
    { id, workspaceId, revision }: Pick<DocumentHead, 'id' | 'workspaceId' | 'revision'>,
  ): Promise<PrintedContents | null> => {
    const values = [id, revision];
    const [contents] = await read<PrintedContents>(short, values);
    if (contents) return contents;
    const [long] = await share.pass({ userId: workspaceId, workspaceId }, () => query<PrintedContents>(any, values));
    return long ?? null;
  };

  /** The document of this head; null if it has another revision by now. */
  const withContents = async (head: DocumentHead): Promise<ShownDocument | null> => {
    const contents = await printed(sql.contents, head);
    if (contents === null) return null;
    const { documentData, evidence } = contents;
    return {
      ...head,
      documentData: parseJson(documentData) as ShownDocument['documentData'],
      // The numbers of evidence are those of this process, which have no more digits than it reads.
      evidence: await inSlices(parsedEvidence(evidence)),
    };
  };

  /** Looks again if the document has changed between its head and its contents. */
  const whole = async (findHead: () => Promise<DocumentHead | null>): Promise<ShownDocument | null> => {
    const head = await findHead();
    return head && ((await withContents(head)) ?? whole(findHead));
  };
  return { printed, whole };
};

type Locked = DocumentHead & { readonly now: Date };

/** The properties that have another value than before. */
const changedIn = <T extends object>(before: T, after: T): Partial<T> =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name as keyof T] !== value)) as Partial<T>;

/** `lists`: where lists are read, if not in the database itself. */
export const documentRepository = (
  database: Pick<Database, 'read' | 'query' | 'search' | 'transaction'>,
  lists: Pick<Reads, 'read' | 'search'> = database,
): DocumentRepository => {
  const { printed, whole } = contentsReader(database);
  return {
    ...documentLists(lists),
    findVisibleHead: ({ workspaceId, userId }, id) =>
      findById(database, sql.findVisible, [workspaceId, userId, id], (head: DocumentHead) => head),
    findVisible({ workspaceId, userId }, id) {
      const values = [workspaceId, userId, id] as const;
      return whole(() => findById(database, sql.findVisible, values, (head: DocumentHead) => head));
    },
    printContents: (document) => printed(sql.printedContents, document),
    async names({ workspaceId, userId }, ids) {
      if (ids.length === 0) return {};
      const named = await lists.read<Pick<ShownDocument, 'id' | 'name'>>(sql.names, [workspaceId, userId, ids]);
      return Object.fromEntries(named.map(({ id, name }) => [id, name]));
    },
    find: (id) => whole(() => findById(database, sql.find, [id], (head: DocumentHead) => head)),
    async update(id, change, revising, deed) {
      if (!isId(id)) return null;
      return database.transaction(async (em) => {
        await sqlIn(em, sql.lock, [id]);
        const [row] = await sqlIn<Locked>(em, sql.locked, [id]);
        if (row === undefined) return null;
        const { now, ...head } = row;
        const before = omit(head, 'agentVersion', 'model', 'duplicates');
        const beside = { agentVersion: head.agentVersion, model: head.model, duplicates: head.duplicates };
        const after = omit(change(head, now) as ShownDocument, 'agentVersion', 'model', 'duplicates');
        const written = changedIn<Partial<Document>>(before, after);
        // MikroORM would write each value into the text of the statement, one character after the other.
        const evidence = written.evidence && (await inSlices(printedEvidence(written.evidence)));
        const { assignments, values } = assigned(DocumentTable, written, evidence ? { evidence } : {});
        if (values.length > 0) await sqlIn(em, sql.write(assignments), [...values, id]);
        const changed = omit(after, 'documentData', 'evidence');
        const events = eventsBetween(before, changed);
        if (events.length > 0) await sqlIn(em, sql.logEvents, [id, events]);
        const isAct = events.length > 0 || changed.heldAt !== before.heldAt;
        if (isAct && deed) {
          const details = { revision: changed.revision, ...deed.details };
          const act = {
            ...deed,
            workspaceId: before.workspaceId,
            subject: { type: 'document', id, name: null },
            details,
          } as const;
          await recordIn(em, [act]);
        }
        if (changed.revision !== before.revision) {
          if (revising === undefined) throw new Error(`Revision ${changed.revision} of document ${id} has no author.`);
          await sqlIn(em, sql.insertRevision, [
            id,
            changed.revision,
            revising.userId,
            revising.via,
            JSON.stringify(revising.changes),
            now,
          ]);
        }
        if (changed.duplicateKey === before.duplicateKey) return { ...changed, ...beside };
        const [alike] = await sqlIn<Pick<DocumentHead, 'duplicates'>>(em, sql.findDuplicates.text, [
          id,
          changed.duplicateKey,
        ]);
        return { ...changed, ...beside, duplicates: alike?.duplicates ?? [] };
      });
    },
    async revisions(id, { after, limit }) {
      const rows = isId(id) ? await database.read<Fitting<StoredRevision>>(sql.revisions, [id, after, limit]) : [];
      const { rows: revisions, hasMore } = pageOf<StoredRevision>(rows);
      return { revisions, next: hasMore ? (revisions.at(-1)?.revision ?? null) : null };
    },
    isWorkOf: async (id, userId) =>
      (await database.query<{ own: boolean }>(sql.isWorkOf, [id, userId]))[0]?.own ?? false,
    async claimKeys(id, duplicateKey, fileHashes) {
      await database.query(sql.claimKeys, [id, duplicateKey, fileHashes]);
    },
    async duplicatesOf(id, duplicateKey) {
      const [row] = await database.query<Pick<DocumentHead, 'duplicates'>>(sql.findDuplicates, [id, duplicateKey]);
      return row?.duplicates ?? [];
    },
    async now() {
      const [clock] = await database.read<{ now: Date }>(sql.now, []);
      if (clock === undefined) throw new Error('The database did not tell the time.');
      return clock.now;
    },
    hasFiles: async (id) => (await database.query(sql.hasFiles, [id])).length > 0,
    trashTried: async () => (await database.query(sql.trashTried, [])).length,
    recoverDeliveries: async () => (await database.query(sql.recoverDeliveries, [])).length,
  };
};
