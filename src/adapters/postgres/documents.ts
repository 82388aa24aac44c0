import { LockMode } from '@mikro-orm/core';
import type { DocumentRepository, ShownDocument, StoredRevision } from '../../application/ports/storage.ts';
import { eventsBetween } from '../../domain/webhook.ts';
import { columnsOf } from './columns.ts';
import { type Database, prepared, sqlIn } from './database.ts';
import { besideColumns, duplicatesBy, duplicatesOfAnyKey, joinRun } from './document-columns.ts';
import { documentLists } from './document-list.ts';
import { DocumentTable } from './entities.ts';
import { documentData } from './event-data.ts';
import { findById, isId } from './ids.ts';
import { documentStates } from './states.ts';
import { visible } from './visibility.ts';

/** A document has the version of its run. */
const shown = `${columnsOf(DocumentTable, 'd')}, ${besideColumns} from documents d ${joinRun}`;
const find = prepared('documents_find')`select ${shown} where d.id = $1`;
const findVisible = prepared('documents_find_visible')`
select ${shown} join agents a on a.id = d.agent_id where ${visible('a')} and d.workspace_id = $1 and d.id = $3`;

const recoverDeliveries = prepared('documents_recover_deliveries')`
with recovered as (
  update documents d set status = ${documentStates.after('postpone')}, lease_expires_at = null, updated_at = clock_timestamp(),
    attempted_revision = coalesce(attempted_revision, revision)
  where status ${documentStates.before('postpone')} and lease_expires_at <= clock_timestamp()
  returning d.id, d.workspace_id, d.agent_id, d.run_id, 'document.' || d.status as type, ${documentData('d')} as data
), logged as (
  insert into events (workspace_id, agent_id, run_id, document_id, type, data) select workspace_id, agent_id, run_id, id, type, data from recovered
)
select id from recovered`;

/** The time after the row is locked, in milliseconds like the tables. */
const context = `
select date_trunc('milliseconds', clock_timestamp()) as now, ${besideColumns} from documents d ${joinRun} where d.id = ?`;

const findDuplicates = prepared('documents_find_duplicates')`
select ${duplicatesOfAnyKey('$2')} from documents d where d.id = $1`;
const hasFiles = prepared('documents_has_files')`select 1 from document_files where document_id = $1 limit 1`;
const duplicatesWithin = `select ${duplicatesBy('?')} from documents d where d.id = ?`;

/** Once the document is ready its key is its data's. */
const claimKeys = prepared('documents_claim_keys')`
with claimed as (
  update documents d set duplicate_key = $2 where d.id = $1 and d.status ${documentStates.before('extract')} returning d.id, d.agent_id
)
insert into document_files (document_id, agent_id, sha256) select c.id, c.agent_id, unnest($3::text[]) from claimed c on conflict do nothing`;

const insertRevision =
  'insert into document_revisions (document_id, revision, user_id, via, changes, created_at) values (?, ?, ?, ?, ?, ?)';

/** The events `$2` of the document, in this order. */
const logEvents = `
insert into events (workspace_id, agent_id, run_id, document_id, type, data)
select d.workspace_id, d.agent_id, d.run_id, d.id, happened.type, ${documentData('d')}
from documents d, unnest($2::text[]) with ordinality as happened (type, number) where d.id = $1 order by happened.number`;

const revisions = prepared('documents_revisions')`
select r.revision, r.created_at as "createdAt", r.changes,
  json_build_object('type', case when r.user_id is null then 'agent' else 'user' end, 'name', coalesce(u.name, a.name), 'via', r.via) as by
from document_revisions r join documents d on d.id = r.document_id join agents a on a.id = d.agent_id left join users u on u.id = r.user_id
where r.document_id = $1 and ($2::int is null or r.revision < $2) order by r.revision desc limit $3`;

const isWorkOf = prepared('documents_is_work_of')`
select r.user_id = $2 or exists (
  select from document_revisions v where v.document_id = d.id and v.user_id = $2 and v.revision > coalesce(d.approved_revision, 0)
) as own from documents d join runs r on r.id = d.run_id where d.id = $1`;

type Context = Pick<ShownDocument, 'agentVersion' | 'model' | 'duplicates'> & { readonly now: Date };

export const documentRepository = (
  database: Pick<Database, 'read' | 'query' | 'search' | 'transaction'>,
): DocumentRepository => ({
  ...documentLists(database),
  findVisible: ({ workspaceId, userId }, id) =>
    findById(database, findVisible, [workspaceId, userId, id], (found: ShownDocument) => found),
  find: (id) => findById(database, find, [id], (found: ShownDocument) => found),
  async update(id, change, revising) {
    if (!isId(id)) return null;
    return database.transaction(async (em) => {
      const row = await em.findOne(DocumentTable, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (row === null) return null;
      const [found] = await em.execute<Context[]>(context, [id]);
      if (found === undefined) throw new Error(`The run of document ${id} is not there.`);
      const { now, ...shownBeside } = found;
      const before = { ...row };
      const {
        agentVersion: _,
        model: __,
        duplicates: ___,
        ...changed
      } = change({ ...before, ...shownBeside }, now) as ShownDocument;
      em.assign(row, changed);
      await em.flush();
      const events = eventsBetween(before, changed);
      if (events.length > 0) await sqlIn(em, logEvents, [id, events]);
      if (changed.revision !== before.revision) {
        if (revising === undefined) throw new Error(`Revision ${changed.revision} of document ${id} has no author.`);
        await em.execute(insertRevision, [
          id,
          changed.revision,
          revising.userId,
          revising.via,
          JSON.stringify(revising.changes),
          now,
        ]);
      }
      if (changed.duplicateKey === before.duplicateKey) return { ...changed, ...shownBeside };
      const [alike] = await em.execute<Pick<Context, 'duplicates'>[]>(duplicatesWithin, [changed.duplicateKey, id]);
      return { ...changed, ...shownBeside, duplicates: alike?.duplicates ?? [] };
    });
  },
  revisions: (id, below, limit) =>
    isId(id) ? database.read<StoredRevision>(revisions, [id, below, limit]) : Promise.resolve([]),
  isWorkOf: async (id, userId) => (await database.query<{ own: boolean }>(isWorkOf, [id, userId]))[0]?.own ?? false,
  async claimKeys(id, duplicateKey, fileHashes) {
    await database.query(claimKeys, [id, duplicateKey, fileHashes]);
  },
  async duplicatesOf(id, duplicateKey) {
    const [found] = await database.query<Pick<Context, 'duplicates'>>(findDuplicates, [id, duplicateKey]);
    return found?.duplicates ?? [];
  },
  hasFiles: async (id) => (await database.query(hasFiles, [id])).length > 0,
  recoverDeliveries: async () => (await database.query(recoverDeliveries, [])).length,
});
