import type { JsonObject } from './json.ts';
import type { Approver, Reviewer } from './review.ts';
import { machine } from './state-machine.ts';

export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled';

/** `cancelled`: what asked for the call is over. */
export const approvalMachine = machine<ApprovalStatus, 'approve' | 'deny' | 'expire' | 'cancel'>('approval', {
  pending: { approve: 'approved', deny: 'denied', expire: 'expired', cancel: 'cancelled' },
  approved: {},
  denied: {},
  expired: {},
  cancelled: {},
});

/** How long a program that makes an approved call again is answered its result. */
export const RESULT_MINUTES = 10;

/** Who approves a call, of the document's approvers. */
export type CallApprover = Extract<Approver, 'person' | 'other_person'>;

/** A call of a tool that is made once a person has approved it. */
export interface Approval {
  readonly id: string;
  readonly workspaceId: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly agentVersion: number;
  /** null of a call that no run makes. */
  readonly runId: string | null;
  /** null of a call that a program makes at the tool endpoint. */
  readonly conversationId: string | null;
  readonly toolCallId: string | null;
  readonly tool: string;
  readonly approver: CallApprover;
  readonly arguments: JsonObject;
  /** SHA-256 of the canonical form of what is approved: see `argumentsDigest`. */
  readonly argumentsDigest: string;
  /** What the write would come to, of writes of records; null of other calls, and where the system could not be asked. */
  readonly rehearsal: JsonObject | null;
  readonly status: ApprovalStatus;
  readonly requestedBy: Reviewer;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  readonly decidedAt: Date | null;
  /** null while it is not decided, and where no person decided. */
  readonly decidedBy: Reviewer | null;
  readonly note: string | null;
}
