import type { DocumentSummary, Page, RunDetail, RunRepository, RunSummary } from '../../application/ports/storage.ts';
import type { ConversationStatus } from '../../domain/conversation.ts';
import type { DocumentStatus } from '../../domain/document.ts';
import type { RunUnit } from '../../domain/run.ts';
import type { Database, Statement } from './database.ts';
import { isId } from './ids.ts';
import { millis, runColumns, summaryColumns } from './run-columns.ts';

/** `$1` workspace, `$2` user. */
const visibleAgent = `a.workspace_id = $1 and a.removed_at is null and (a.visible_to is null or $2 = any (a.visible_to))`;

/** One statement for each set of filters, so that each is planned for the index that serves it. */
const listing = (byAgent: boolean, byStatus: boolean): Statement => {
  const agent = byAgent ? 'and a.id = $5' : '';
  const status = (table: string) => (byStatus ? `and ${table}.status = $${byAgent ? 6 : 5}` : '');
  return {
    name: `runs_list${byAgent ? '_by_agent' : ''}${byStatus ? '_by_status' : ''}`,
    text: `
with visible as materialized (select a.id, a.name from agents a where ${visibleAgent} ${agent}),
total as (select coalesce(sum(c.runs), 0)::bigint as total from run_counts c where c.agent_id in (select id from visible) ${status('c')}),
page as (
  select ${summaryColumns}, v.name as "agentName" from runs r join visible v on v.id = r.agent_id
  where r.workspace_id = $1 and r.origin = 'api' ${byAgent ? 'and r.agent_id = $5' : ''} ${status('r')}
  order by r.created_at desc, r.id desc limit $3 offset $4
)
select total.total, page.* from total left join page on true order by page."createdAt" desc, page.id desc`,
  };
};

const listings = new Map(
  [false, true].flatMap((byAgent) => [false, true].map((byStatus) => [`${byAgent} ${byStatus}`, listing(byAgent, byStatus)])),
);

const findVisible = {
  name: 'runs_find_visible',
  text: `
select ${runColumns}, a.name as "agentName", (
  select json_agg(json_build_object(
    'index', u.index, 'fileIndexes', u.file_indexes, 'status', u.status, 'error', u.error, 'errorCode', u.error_code,
    'conversationId', u.conversation_id, 'conversationStatus', c.status, 'conversationCreatedAt', ${millis('c.created_at')},
    'documentId', d.id, 'documentName', d.name, 'documentStatus', d.status, 'documentError', d.error,
    'documentCreatedAt', ${millis('d.created_at')}, 'documentUpdatedAt', ${millis('d.updated_at')}) order by u.index)
  from run_units u left join conversations c on c.id = u.conversation_id
    left join documents d on d.id = u.document_id and d.status <> 'trashed'
  where u.run_id = r.id) as parts
from runs r join agents a on a.id = r.agent_id
where r.id = $3 and r.workspace_id = $1 and ${visibleAgent}`,
};

/** A unit with its conversation and its document, where it has them. */
interface Part extends RunUnit {
  readonly conversationStatus: ConversationStatus;
  readonly conversationCreatedAt: number;
  readonly documentName: string;
  readonly documentStatus: DocumentStatus;
  readonly documentError: string | null;
  readonly documentCreatedAt: number;
  readonly documentUpdatedAt: number;
}

const unitOf = ({ index, fileIndexes, status, error, errorCode, conversationId, documentId }: Part): RunUnit => ({
  index,
  fileIndexes,
  status,
  error,
  errorCode,
  conversationId,
  documentId,
});

const conversationsOf = (part: Part): RunDetail['conversations'] =>
  part.conversationId === null
    ? []
    : [
        {
          id: part.conversationId,
          status: part.conversationStatus,
          createdAt: new Date(part.conversationCreatedAt),
          fileIndexes: part.fileIndexes,
        },
      ];

const documentsOf = (part: Part): readonly DocumentSummary[] =>
  part.documentId === null || part.conversationId === null
    ? []
    : [
        {
          id: part.documentId,
          name: part.documentName,
          status: part.documentStatus,
          conversationId: part.conversationId,
          error: part.documentError,
          createdAt: new Date(part.documentCreatedAt),
          updatedAt: new Date(part.documentUpdatedAt),
        },
      ];

type Listed = { readonly total: number } & RunSummary;

export const runReads = ({ read }: Pick<Database, 'read'>): Pick<RunRepository, 'findVisible' | 'listVisible'> => ({
  async findVisible(viewer, id) {
    if (!isId(id)) return null;
    const [row] = await read<Omit<RunDetail, 'units' | 'conversations' | 'documents'> & { parts: readonly Part[] | null }>(findVisible, [
      viewer.workspaceId,
      viewer.userId,
      id,
    ]);
    if (!row) return null;
    const { parts, ...run } = row;
    const units = parts ?? [];
    return { ...run, units: units.map(unitOf), conversations: units.flatMap(conversationsOf), documents: units.flatMap(documentsOf) };
  },

  async listVisible(viewer, { agentId, status }, { limit, offset }): Promise<Page<RunSummary>> {
    if (agentId !== undefined && !isId(agentId)) return { items: [], total: 0 };
    const statement = listings.get(`${agentId !== undefined} ${status !== undefined}`) as Statement;
    const filters = [agentId, status].filter((value) => value !== undefined);
    const rows = await read<Listed>(statement, [viewer.workspaceId, viewer.userId, limit, offset, ...filters]);
    const items = rows.filter(({ id }) => id !== null).map(({ total, ...run }) => run);
    return { items, total: rows[0]?.total ?? 0 };
  },
});
