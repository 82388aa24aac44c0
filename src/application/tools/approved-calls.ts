import type { Agent } from '../../domain/agent.ts';
import type { JsonObject } from '../../domain/json.ts';
import { argumentsDigest } from '../approvals/arguments-digest.ts';
import type { KeptCall, ProgramCall, ProgramCalls } from '../ports/approvals.ts';
import type { Ids } from '../ports/runtime.ts';
import type { ToolResult } from '../ports/tools.ts';
import { approverOf, denied } from './approval-terms.ts';
import { failed, refused, type Tool, type ToolContext, UNKNOWN_OUTCOME } from './tool.ts';
import type { ToolService } from './tools.ts';

interface Dependencies {
  readonly calls: ProgramCalls;
  readonly tools: Pick<ToolService, 'refusal' | 'input' | 'rehearsal' | 'execute'>;
  readonly ids: Ids;
  readonly links: { approval(id: string): string };
  readonly settings: { readonly approvalHours: number; readonly toolTimeoutSeconds: number };
}

/** What came of a call, or the address of the page where a person decides on it. */
type Outcome = { readonly result: ToolResult } | { readonly waitsAt: string };

/** What a process may take beyond the time of the tool before its call counts as lost. */
const SLACK_SECONDS = 30;

const UNDER_WAY = failed('This call was approved and is being made: make it again in a moment to read its result.');
const LOST = refused(`This call was approved, and the server stopped while it was under way. ${UNKNOWN_OUTCOME}`);

/** Calls of programs that a person has to approve. The same call of a program finds what became of it. */
export const approvedCalls = ({ calls, tools, ids, links, settings }: Dependencies) => {
  const lostAfterSeconds = settings.toolTimeoutSeconds + SLACK_SECONDS;

  /** A client that hangs up does not end a call that was approved: it reads the result when it makes the call again. */
  const execute = async (id: string, tool: Tool, input: JsonObject, context: ToolContext) => {
    const { signal } = new AbortController();
    const report: ToolContext['report'] = (progress) => context.signal.aborted || context.report?.(progress);
    const onBehalf = { ...context, signal, report: context.report && report, approved: true };
    return calls.answer(id, await tools.execute(tool, input, onBehalf));
  };

  const request = async (call: ProgramCall, tool: Tool, context: ToolContext) =>
    calls.request({
      ...call,
      id: ids.next(),
      approver: approverOf(tool),
      rehearsal: await tools.rehearsal(tool, call.arguments, context),
      hours: settings.approvalHours,
    });

  /** null where another request has done what this one was about to do: what is kept is another now. */
  const answerTo = async (
    { approval, progress, result }: KeptCall,
    tool: Tool,
    context: ToolContext,
  ): Promise<Outcome | null> => {
    const { id, status } = approval;
    if (status === 'pending') return { waitsAt: links.approval(id) };
    if (status !== 'approved') return (await calls.tell(id)) ? { result: denied(approval) } : null;
    if (result !== null) return { result };
    if (progress === 'under_way') return { result: UNDER_WAY };
    if (progress === 'lost') return { result: await calls.answer(id, LOST) };
    return (await calls.begin(id)) ? { result: await execute(id, tool, approval.arguments, context) } : null;
  };

  return {
    async make(
      agent: Pick<Agent, 'id' | 'version'>,
      tool: Tool,
      args: unknown,
      context: ToolContext,
    ): Promise<Outcome> {
      const refusal = await tools.refusal(tool, args, context);
      if (refusal !== null) return { result: refusal };
      const input = await tools.input(tool, args, context);
      const digest = await argumentsDigest({ agent, tool: tool.name, arguments: input });
      const call = { caller: context.caller, agent, tool: tool.name, arguments: input, argumentsDigest: digest };
      for (;;) {
        const kept = await calls.find(call, lostAfterSeconds);
        if (kept === null) await request(call, tool, context);
        const outcome = kept && (await answerTo(kept, tool, context));
        if (outcome !== null) return outcome;
        context.signal.throwIfAborted();
      }
    },
  };
};

export type ApprovedCalls = ReturnType<typeof approvedCalls>;
