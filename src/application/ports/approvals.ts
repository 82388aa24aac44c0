import type { Agent } from '../../domain/agent.ts';
import type { Approval, ApprovalStatus } from '../../domain/approval.ts';
import type { Doer } from '../../domain/audit.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Reviewer } from '../../domain/review.ts';
import type { CursorPage, Position, Viewer } from './storage.ts';
import type { ToolResult } from './tools.ts';

/** null: any. */
export interface ApprovalFilter {
  readonly status: ApprovalStatus | null;
  readonly agentId: string | null;
  readonly runId: string | null;
}

export interface ApprovalPage {
  readonly approvals: readonly Approval[];
  readonly next: Position | null;
}

export interface CallDecision {
  readonly event: 'approve' | 'deny';
  readonly by: Reviewer;
  readonly note: string | null;
  /** What is decided on: an approval with another digest stays as it is. */
  readonly argumentsDigest: string;
}

/** Calls of tools that a person decides on. A viewer sees those of the agents that they see. */
export interface ApprovalRepository {
  /** Newest first; a page ends earlier than at its limit where its calls are large. */
  list(viewer: Viewer, filter: ApprovalFilter, page: CursorPage<Position>): Promise<ApprovalPage>;
  findVisible(viewer: Viewer, id: string): Promise<Approval | null>;
  /** The approval as it was decided, and its run goes on; null if it is not pending, its time is over, or it has another digest. */
  decide(workspaceId: string, id: string, decision: CallDecision, by: Doer): Promise<Approval | null>;
  /** Ends those whose time is over, and forgets results that are answered no more; how many it ended. */
  expire(): Promise<number>;
}

/** A call that a program makes at the tool endpoint. Calls of one credential with the same digest are the same. */
export interface ProgramCall extends Pick<Approval, 'tool' | 'arguments' | 'argumentsDigest'> {
  readonly agent: Pick<Agent, 'id' | 'version'>;
  readonly caller: Caller;
}

interface ProgramRequest extends ProgramCall, Pick<Approval, 'id' | 'approver' | 'rehearsal'> {
  /** How long a person has to decide, and after an approval the program to make the call again. */
  readonly hours: number;
}

export interface KeptCall {
  readonly approval: Approval;
  /** How far the call is that was approved. `lost`: it was begun, and has no result after this time. */
  readonly progress: 'not_begun' | 'under_way' | 'lost';
  readonly result: ToolResult | null;
}

/** Calls of programs that a person has to approve. */
export interface ProgramCalls {
  /** What this call finds; null if a person has to be asked: it was answered, or was never made. */
  find(call: ProgramCall, lostAfterSeconds: number): Promise<KeptCall | null>;
  /** Keeps the call, unless one like it is pending. */
  request(request: ProgramRequest): Promise<void>;
  /** Marks an approved call as begun; false if it was begun before. */
  begin(id: string): Promise<boolean>;
  /** Keeps the result, unless there is one; answers what is kept. */
  answer(id: string, result: ToolResult): Promise<ToolResult>;
  /** Notes that the program was answered that its call was not approved; false if that was noted before. */
  tell(id: string): Promise<boolean>;
}
