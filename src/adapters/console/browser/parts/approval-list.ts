import type { Schemas } from '../../../../client/portico.ts';
import { plainly } from '../../../../domain/obeyed.ts';
import { filterOf, pageOf } from './lists.tsx';

export interface ApprovalFilter {
  /** Absent: those that wait. */
  readonly status?: Exclude<Schemas['ApprovalStatus'], 'pending'>;
  readonly after?: string;
}

export const approvalFilter = (query: Readonly<Record<string, string | undefined>>): ApprovalFilter =>
  filterOf(query, ['status', 'after']);

/** A page of the list. The list, the inbox and the approval that is opened from them share it. */
export const approvalList = (filter: ApprovalFilter, limit?: number) =>
  pageOf(
    'approvals',
    filter,
    (get, query) => get('/api/v1/approvals', { params: { query: { status: 'pending', ...query } } }),
    limit,
  );

const BRIEF = 120;

/** The arguments of a call in one line, as far as there is room. */
export const briefOf = ({ arguments: args }: Schemas['Approval']): string =>
  plainly(JSON.stringify(args).slice(0, BRIEF));
