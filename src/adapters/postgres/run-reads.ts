import type { DocumentSummary, Page, RunDetail, RunRepository, RunSummary } from '../../application/ports/storage.ts';
import type { ConversationStatus } from '../../domain/conversation.ts';
import type { DocumentStatus } from '../../domain/document.ts';
import type { RunUnit } from '../../domain/run.ts';
import type { Database, Statement } from './database.ts';
import { isId } from './ids.ts';
import { millis, runColumns, summaryColumns } from './run-columns.ts';
import { documentStates } from './states.ts';

/** `$1` workspace, `$2` user. */
const visibleAgent = `a.workspace_id = $1 and a.removed_at is null and (a.visible_to is null or $2 = any (a.visible_to))`;

/** Runs that a list may skip and still be short work, for which the planner is told that it is. */
const SHALLOW = 1000;

interface Listing {
  readonly byAgent: boolean;
  readonly byStatus: boolean;
  readonly deep: boolean;
}

/**
 * One statement for each set of filters, so that each is planned for the index that serves it. The ids of the page come from that
 * index alone, and nothing is looked for beyond the total; only then the runs are read.
 */
const listing = ({ byAgent, byStatus, deep }: Listing): Statement => {
  const status = (table: string) => (byStatus ? `and ${table}.status = $${byAgent ? 6 : 5}` : '');
  const mine = byAgent
    ? 'r.agent_id = (select id from visible)'
    : `r.workspace_id = $1 and r.agent_id not in (select a.id from agents a where a.workspace_id = $1 and not (${visibleAgent}))`;
  return {
    name: `runs_list${byAgent ? '_by_agent' : ''}${byStatus ? '_by_status' : ''}${deep ? '_deep' : ''}`,
    text: `
with visible as materialized (select a.id, a.name from agents a where ${visibleAgent} ${byAgent ? 'and a.id = $5' : ''}),
total as (select coalesce(sum(c.runs), 0)::bigint as total from run_counts c where c.agent_id in (select id from visible) ${status('c')}),
page as (
  select id from (
    select r.id from runs r where ${mine} and r.origin = 'api' ${status('r')}
    order by r.created_at desc, r.id desc ${deep ? '' : `limit ${SHALLOW}`}
  ) matching
  limit (select case when total > $4 then $3::bigint else 0 end from total) offset $4
), listed as (
  select ${summaryColumns}, v.name as "agentName" from runs r join visible v on v.id = r.agent_id where r.id = any (array(select id from page))
)
select total.total, listed.* from total left join listed on true order by listed."createdAt" desc, listed.id desc`,
  };
};

const nameOf = ({ byAgent, byStatus, deep }: Listing) => `${byAgent} ${byStatus} ${deep}`;
const either = [false, true];
const listings = new Map(
  either
    .flatMap((byAgent) => either.flatMap((byStatus) => either.map((deep) => ({ byAgent, byStatus, deep }))))
    .map((terms) => [nameOf(terms), listing(terms)]),
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
    left join documents d on d.id = u.document_id and d.status <> ${documentStates.after('trash')}
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

export const runReads = ({ read, query }: Pick<Database, 'read' | 'query'>): Pick<RunRepository, 'findVisible' | 'listVisible'> => ({
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
    const deep = offset + limit > SHALLOW;
    const statement = listings.get(nameOf({ byAgent: agentId !== undefined, byStatus: status !== undefined, deep })) as Statement;
    const values = [viewer.workspaceId, viewer.userId, limit, offset, ...[agentId, status].filter((value) => value !== undefined)];
    // A deep page takes a while, which the short reads do not wait for.
    const rows = await (deep ? query<Listed> : read<Listed>)(statement, values);
    const items = rows.filter(({ id }) => id !== null).map(({ total, ...run }) => run);
    return { items, total: rows[0]?.total ?? 0 };
  },
});
