import { LockMode } from '@mikro-orm/postgresql';
import type { DocumentRepository } from '../../application/ports/storage.ts';
import type { Document } from '../../domain/document.ts';
import type { Database } from './database.ts';
import { DocumentTable } from './entities.ts';
import { isId } from './ids.ts';
import { documentStates } from './states.ts';

const columns = `
select d.id, d.workspace_id as "workspaceId", d.run_id as "runId", d.agent_id as "agentId", d.conversation_id as "conversationId",
       d.name, d.status, d.document_data as "documentData", d.evidence, d.error, d.external_reference as "externalReference", d.fence,
       d.lease_expires_at as "leaseExpiresAt", d.trashed_from as "trashedFrom", d.created_at as "createdAt",
       d.updated_at as "updatedAt", d.processed_at as "processedAt"
from documents d`;

const find = { name: 'documents_find', text: `${columns} where d.id = $1` };

const findVisible = {
  name: 'documents_find_visible',
  text: `${columns} join agents a on a.id = d.agent_id
where d.id = $1 and d.workspace_id = $2 and a.removed_at is null and (a.visible_to is null or $3 = any (a.visible_to))`,
};

const recoverDeliveries = {
  name: 'documents_recover_deliveries',
  text: `
update documents set status = ${documentStates.after('postpone')}, lease_expires_at = null, updated_at = clock_timestamp()
where status ${documentStates.before('postpone')} and lease_expires_at <= clock_timestamp() returning id`,
};

/** The time after the row's lock was waited for, in the milliseconds that the tables keep. */
const now = `select date_trunc('milliseconds', clock_timestamp()) as now`;

export const documentRepository = (database: Pick<Database, 'read' | 'query' | 'transaction'>): DocumentRepository => ({
  async findVisible(viewer, id) {
    if (!isId(id)) return null;
    const [found] = await database.read<Document>(findVisible, [id, viewer.workspaceId, viewer.userId]);
    return found ?? null;
  },
  async find(id) {
    if (!isId(id)) return null;
    const [found] = await database.read<Document>(find, [id]);
    return found ?? null;
  },
  async update(id, change) {
    if (!isId(id)) return null;
    return database.transaction(async (em) => {
      const row = await em.findOne(DocumentTable, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (row === null) return null;
      const [clock] = await em.execute<{ now: Date }[]>(now);
      if (clock === undefined) throw new Error('The database did not tell the time.');
      const changed = change({ ...row }, clock.now);
      em.assign(row, changed);
      return changed;
    });
  },
  recoverDeliveries: async () => (await database.query(recoverDeliveries, [])).length,
});
