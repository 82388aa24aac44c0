import type { Approval, CallApprover } from '../../domain/approval.ts';
import type { ToolResult } from '../ports/tools.ts';
import { refused, type Tool } from './tool.ts';

export const approverOf = ({ requiresApproval }: Tool): CallApprover =>
  requiresApproval === 'other_person' ? 'other_person' : 'person';

/** The result of a call that no person approved. */
export const denied = ({ status, note }: Approval): ToolResult => {
  const why = { denied: 'a person denied it', expired: 'no person decided in time', cancelled: 'it was cancelled' };
  const reason = why[status as keyof typeof why];
  return refused(`Not run: it needs the approval of a person, and ${reason}${note === null ? '.' : `: ${note}`}`);
};
