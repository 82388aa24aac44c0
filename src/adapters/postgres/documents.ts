import { LockMode } from '@mikro-orm/postgresql';
import type { DocumentRepository } from '../../application/ports/storage.ts';
import type { Document } from '../../domain/document.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { DocumentTable } from './entities.ts';
import { findById, isId } from './ids.ts';
import { documentStates } from './states.ts';
import { visible } from './visibility.ts';

const columns = columnsOf(DocumentTable, 'd');
const find = { name: 'documents_find', text: `select ${columns} from documents d where d.id = $1` };
const findVisible = {
  name: 'documents_find_visible',
  text: `select ${columns} from documents d join agents a on a.id = d.agent_id where ${visible('a')} and d.workspace_id = $1 and d.id = $3`,
};

const recoverDeliveries = {
  name: 'documents_recover_deliveries',
  text: `
update documents set status = ${documentStates.after('postpone')}, lease_expires_at = null, updated_at = clock_timestamp()
where status ${documentStates.before('postpone')} and lease_expires_at <= clock_timestamp() returning id`,
};

/** The time after the row is locked, in milliseconds like the tables. */
const now = `select date_trunc('milliseconds', clock_timestamp()) as now`;

export const documentRepository = (database: Pick<Database, 'read' | 'query' | 'transaction'>): DocumentRepository => ({
  findVisible: ({ workspaceId, userId }, id) => findById<Document>(database, findVisible, workspaceId, userId, id),
  find: (id) => findById<Document>(database, find, id),
  async update(id, change) {
    if (!isId(id)) return null;
    return database.transaction(async (em) => {
      const row = await em.findOne(DocumentTable, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (row === null) return null;
      const [clock] = await em.execute<{ now: Date }[]>(now);
      if (clock === undefined) throw new Error('The database returned no time.');
      const changed = change({ ...row }, clock.now);
      em.assign(row, changed);
      return changed;
    });
  },
  recoverDeliveries: async () => (await database.query(recoverDeliveries, [])).length,
});
