import { LockMode } from '@mikro-orm/postgresql';
import type { DocumentRepository, ShownDocument } from '../../application/ports/storage.ts';
import { withEvidence } from '../../domain/document.ts';
import { joinVersion } from './agent-versions.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { listDocuments, readDocuments } from './document-list.ts';
import { DocumentTable } from './entities.ts';
import { findById, isId } from './ids.ts';
import { documentStates } from './states.ts';
import { visible } from './visibility.ts';

/** None are looked for. */
const duplicates = `'[]'::json as duplicates`;
const columns = columnsOf(DocumentTable, 'd');
/** A document has the version of its run. */
const shown = `${columns}, r.agent_version as "agentVersion", v.model, ${duplicates} from documents d join runs r on r.id = d.run_id ${joinVersion('r')}`;
const find = { name: 'documents_find', text: `select ${shown} where d.id = $1` };
const findVisible = {
  name: 'documents_find_visible',
  text: `select ${shown} join agents a on a.id = d.agent_id where ${visible('a')} and d.workspace_id = $1 and d.id = $3`,
};

const recoverDeliveries = {
  name: 'documents_recover_deliveries',
  text: `
update documents set status = ${documentStates.after('postpone')}, lease_expires_at = null, updated_at = clock_timestamp(),
  attempted_revision = coalesce(attempted_revision, revision)
where status ${documentStates.before('postpone')} and lease_expires_at <= clock_timestamp() returning id`,
};

/** The time after the row is locked, in milliseconds like the tables. */
const context = `
select date_trunc('milliseconds', clock_timestamp()) as now, r.agent_version as "agentVersion", v.model, ${duplicates} from runs r ${joinVersion('r')} where r.id = ?`;

type Context = Pick<ShownDocument, 'agentVersion' | 'model' | 'duplicates'> & { readonly now: Date };

export const documentRepository = (database: Pick<Database, 'read' | 'query' | 'transaction' | 'pool'>): DocumentRepository => ({
  listVisible: (viewer, filter, page) => listDocuments(database, viewer, filter, page),
  readAll: (viewer, filter) => readDocuments(database, viewer, filter),
  async findVisible({ workspaceId, userId }, id) {
    const found = await findById<ShownDocument>(database, findVisible, workspaceId, userId, id);
    return found && withEvidence(found);
  },
  async find(id) {
    const found = await findById<ShownDocument>(database, find, id);
    return found && withEvidence(found);
  },
  async update(id, change) {
    if (!isId(id)) return null;
    return database.transaction(async (em) => {
      const row = await em.findOne(DocumentTable, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (row === null) return null;
      const [found] = await em.execute<Context[]>(context, [row.runId]);
      if (found === undefined) throw new Error(`The run of document ${id} is not there.`);
      const { now, ...version } = found;
      const changed = change(withEvidence({ ...row }), now);
      em.assign(row, changed);
      return { ...changed, ...version };
    });
  },
  recoverDeliveries: async () => (await database.query(recoverDeliveries, [])).length,
});
