import { actOf } from '../../domain/audit.ts';
import type { Caller } from '../../domain/caller.ts';
import { CREATED_AT, isSameOrder, newestFirst } from '../../domain/document-order.ts';
import { invalid } from '../../domain/errors.ts';
import { ofDocuments, parseFilter } from '../../domain/filter.ts';
import type { AuditLog } from '../ports/audit.ts';
import type {
  AgentRepository,
  DocumentFilter,
  DocumentRepository,
  DocumentWindow,
  RunRepository,
} from '../ports/storage.ts';
import { documentExport } from './export.ts';

interface DocumentQuery extends Omit<DocumentFilter, 'where'> {
  /** JSON text. */
  readonly where: string | null;
}

export interface ListingServices {
  readonly documents: DocumentRepository;
  readonly agents: AgentRepository;
  readonly runs: Pick<RunRepository, 'findVisible'>;
  readonly audit: Pick<AuditLog, 'record'>;
}

/** Documents by a query: a page of them, or all. */
export const documentListing = ({ documents, agents, runs, audit }: ListingServices) => {
  const exported = documentExport({ documents, agents, runs });

  const filterOf = ({ where, ...query }: DocumentQuery): DocumentFilter => ({
    ...query,
    where: where === null ? null : parseFilter(where, 'where', ofDocuments),
  });

  /** Refuses an order that the agent's documents do not have, and a cursor of another one. */
  const mustBeOrdered = async (
    caller: Caller,
    { agentId }: DocumentQuery,
    { order = newestFirst, after }: DocumentWindow,
  ) => {
    if (after !== null && !isSameOrder(after.order, order))
      throw invalid({ path: 'after', message: 'is a cursor of another order: begin again without it' });
    if (order.by === CREATED_AT) return;
    if (agentId === null)
      throw invalid({ path: 'order_by', message: 'needs agent_id: the columns are those of an agent' });
    const columns = (await agents.findVisible(caller, agentId))?.listColumns ?? [];
    if (columns.includes(order.by)) return;
    throw invalid({ path: 'order_by', message: `must be created_at or a pointer of the agent's list_columns` });
  };

  return {
    /** `rows`: a pointer to a list, for a line for each row of it. */
    async export(caller: Caller, query: DocumentQuery, rows: string | null, signal: AbortSignal) {
      const { workspaceId } = caller;
      const lines = await exported(caller, filterOf(query), rows, signal);
      const details = { agent_id: query.agentId, run_id: query.runId };
      const deed = actOf(caller, { action: 'documents.exported', details });
      await audit.record({ ...deed, workspaceId, subject: { type: 'workspace', id: workspaceId, name: null } });
      return lines;
    },

    /** Without those in the trash; a page may have fewer than `limit` and still a `next`. */
    async list(caller: Caller, query: DocumentQuery, page: DocumentWindow, signal: AbortSignal) {
      await mustBeOrdered(caller, query, page);
      return documents.listVisible(caller, filterOf(query), page, signal);
    },

    /** The same page, each document as the JSON text by which the API lists it. */
    async print(caller: Caller, query: DocumentQuery, page: DocumentWindow, signal: AbortSignal) {
      await mustBeOrdered(caller, query, page);
      return documents.printVisible(caller, filterOf(query), page, signal);
    },
  };
};
