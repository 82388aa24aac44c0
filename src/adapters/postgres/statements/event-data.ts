import { jsonOf } from '../tables/columns.ts';
import { ApprovalTable, DocumentTable, RunTable } from '../tables/entities.ts';

/**
 * What an event keeps of the run `r`. The statement that inserts a run or changes its status inserts the event: what of a run never
 * changes is read beside it (events.ts).
 */
export const runData = (r: string) =>
  jsonOf(RunTable, r, ['workspaceId', 'agentVersion', 'userId', 'origin', 'userMessage', 'files', 'cost'], undefined, {
    cost: `${r}.cost::text`,
    agentName: `(select a.name from agents a where a.id = ${r}.agent_id)`,
  });

/** What an event keeps of the approval `p`. The statement that inserts it or changes its status inserts the event. */
export const approvalData = jsonOf(
  ApprovalTable,
  'p',
  ['workspaceId', 'agentVersion', 'toolCallId', 'approver'],
  undefined,
  {
    agentName: `(select a.name from agents a where a.id = p.agent_id)`,
  },
);

/** What an event keeps of the document `d`. The transaction that changes its status, its data or its review inserts the event. */
export const documentData = (d: string) =>
  jsonOf(DocumentTable, d, [
    ...(['workspaceId', 'documentData', 'contradictions', 'duplicateKey', 'laterKey', 'attemptedRevision'] as const),
    ...(['approvedRevision', 'approvedAs', 'reopened', 'fence', 'leaseExpiresAt', 'trashedFrom'] as const),
    ...(['holdReason', 'heldBy', 'heldAt'] as const),
  ]);
