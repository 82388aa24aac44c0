import { prepared } from '../connection/database.ts';

/** Whether a budget stops the agent of the row, once it is spent. */
export const isLimited = (row: string) =>
  `exists (select from budgets b where stops(b, ${row}.workspace_id, ${row}.agent_id))`;

/** Part of a statement that stores what became of a step: what was reserved for it is free. */
export const unreserved = (conversation: string, lease: string) =>
  `delete from budget_reservations b where b.conversation_id = ${conversation} and b.lease = ${lease}`;

export const spent = prepared('budgets_spent')`select spent_budget($1, $2) as budget`;
