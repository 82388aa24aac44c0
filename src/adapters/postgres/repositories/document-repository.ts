import type { StoredRevision } from '../../../application/ports/revisions.ts';
import type {
  DocumentHead,
  DocumentRepository,
  PrintedContents,
  ShownDocument,
} from '../../../application/ports/storage.ts';
import { inSlices } from '../../../application/shared/async.ts';
import { fairShare } from '../../../application/shared/fair-share.ts';
import { busy } from '../../../domain/errors.ts';
import { parseJson } from '../../../domain/json-number.ts';
import type { Database } from '../connection/database.ts';
import { findById, isId } from '../connection/ids.ts';
import type { Reads } from '../connection/replica.ts';
import * as sql from '../statements/document-statements.ts';
import { type Fitting, pageOf } from '../statements/page-bytes.ts';
import { parsedEvidence } from '../tables/evidence-text.ts';
import { documentLists } from './document-list.ts';
import { updateDocument } from './document-update.ts';

/** So many long documents are read at a time: each takes a connection of the pool, and tens of megabytes. */
const LONG_READS = 3;
/** So many wait for that, because a refused one may be the answer to a write: beyond, the newest of the workspace that has the most of them is refused. */
const MOST_WAITING = 1000;

/** Short contents are read together with all other short reads. Long ones are not, because each read behind them would wait. */
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

/** `lists`: where lists are read, if not in the database itself. */
export const documentRepository = (
  database: Pick<Database, 'read' | 'query' | 'search' | 'transaction'>,
  lists: Pick<Reads, 'read' | 'search'> = database,
): DocumentRepository => {
  const { printed, whole } = contentsReader(database);
  return {
    ...documentLists(lists),
    findVisibleHead: ({ workspaceId, userId }, id) =>
      findById<DocumentHead>(database, sql.findVisible, [workspaceId, userId, id]),
    findVisible({ workspaceId, userId }, id) {
      return whole(() => findById<DocumentHead>(database, sql.findVisible, [workspaceId, userId, id]));
    },
    printContents: (document) => printed(sql.printedContents, document),
    async names({ workspaceId, userId }, ids) {
      if (ids.length === 0) return {};
      const named = await lists.read<Pick<ShownDocument, 'id' | 'name'>>(sql.names, [workspaceId, userId, ids]);
      return Object.fromEntries(named.map(({ id, name }) => [id, name]));
    },
    find: (id) => whole(() => findById<DocumentHead>(database, sql.find, [id])),
    update: async (id, ...update) =>
      isId(id) ? database.transaction((em) => updateDocument(em, id, ...update)) : null,
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
