import type { Agent } from '../../domain/agent.ts';
import type { Approval } from '../../domain/approval.ts';
import type { JsonObject } from '../../domain/json.ts';
import { argumentsDigest } from '../approvals/arguments-digest.ts';
import type { ApprovalRequest } from '../ports/queue.ts';
import type { ToolResult } from '../ports/tools.ts';
import { approverOf, denied } from '../tools/approval-terms.ts';
import { refused, type Tool, type ToolContext } from '../tools/tool.ts';
import type { ToolService } from '../tools/tools.ts';

/** Where the approvals of a conversation's calls are kept. */
export interface CallApprovals {
  /** The messages that stand for the results of calls that wait, by the calls: each takes the result. */
  readonly messages: ReadonlyMap<string, string>;
  find(toolCallId: string): Promise<Approval | null>;
  /** Keeps the call, once: of a call that is kept already, what is kept. */
  request(request: Omit<ApprovalRequest, 'id'>): Promise<Approval>;
}

/** A turn cannot go on before a person has decided. It is taken up again from what is stored. */
export class WaitsForApproval extends Error {
  /** The approvals that are pending. */
  readonly approvalIds: readonly string[];

  constructor(approvalIds: readonly string[]) {
    super('A call waits for its approval.');
    this.name = 'WaitsForApproval';
    this.approvalIds = approvalIds;
  }
}

/** What a call asks and what is decided of it; the arguments are those that the tool would be called with. */
interface Call {
  readonly id: string;
  readonly tool: Tool;
  readonly arguments: JsonObject;
}

interface Terms {
  readonly agent: Pick<Agent, 'id' | 'version'>;
  readonly approvals: CallApprovals;
  readonly tools: Pick<ToolService, 'rehearsal'>;
  readonly context: ToolContext;
}

const CHANGED = refused('Not run: what would be called is not what a person approved. Make the call again.');

/** null if a person approved this very call; the id of the approval that it waits for; or why it is not made. */
export const approvalOf = async (
  call: Call,
  { agent, approvals, tools, context }: Terms,
): Promise<string | ToolResult | null> => {
  const { id: toolCallId, tool, arguments: args } = call;
  const digest = await argumentsDigest({ agent, tool: tool.name, arguments: args });
  const kept =
    (await approvals.find(toolCallId)) ??
    (await approvals.request({
      toolCallId,
      tool: tool.name,
      approver: approverOf(tool),
      arguments: args,
      argumentsDigest: digest,
      rehearsal: await tools.rehearsal(tool, args, context),
    }));
  if (kept.argumentsDigest !== digest || kept.tool !== tool.name) return CHANGED;
  if (kept.status === 'pending') return kept.id;
  return kept.status === 'approved' ? null : denied(kept);
};
