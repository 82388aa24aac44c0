import type { Scope } from '../../domain/access.ts';
import type { Agent } from '../../domain/agent.ts';
import type { Caller } from '../../domain/caller.ts';
import { DomainError, type ValidationError } from '../../domain/errors.ts';
import { withoutNames } from '../../domain/hidden-names.ts';
import { isObject, type JsonObject } from '../../domain/json.ts';
import { truncate } from '../../domain/text.ts';
import type { AgentSpec } from '../../domain/workspace-spec.ts';
import { OutboundFailure } from '../ports/outbound.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import type { ContentBlock, ToolResult } from '../ports/tools.ts';
import { inTime } from '../shared/async.ts';
import { type Catalogue, catalogueOf, remoteReports, type ToolSources } from './catalogue.ts';
import { fitted, parsedOnce } from './input.ts';
import { remoteLists } from './mcp-tools.ts';
import { runTools } from './run-tools.ts';
import {
  errorsBy,
  failed,
  isGuarded,
  isRepeatable,
  missingScope,
  NEEDS_APPROVAL,
  refused,
  type Tool,
  type ToolContext,
  UNKNOWN_OUTCOME,
} from './tool.ts';

interface Dependencies extends ToolSources {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: { readonly toolTimeoutSeconds: number };
}

export interface UnusableTool {
  readonly agent: string;
  readonly tool: string;
  readonly reason: string;
}

const MAX_ERRORS = 10;
const MAX_REMEMBERED = 1000;

const READ_ONLY = 'Not run: this tool may write, send or start something, and the user may only read.';
const lacks = (scope: Scope) =>
  `Not run: this tool needs the scope ${scope}, which the role or the credential of the caller does not give.`;
const UNTRUSTED =
  'Not run: this tool may write, send or start something, and this conversation holds content that its user did not write: files, web pages, ' +
  'answers of tools or messages of others. Tell the user so. An administrator can allow it with `untrusted: allow` at this tool in the workspace file.';
const misuse = (name: string, errors: readonly ValidationError[]): ToolResult => {
  const list = errors
    .slice(0, MAX_ERRORS)
    .map(({ path, message }) => `- ${path === '' ? 'the arguments' : path} ${message}`);
  return refused(
    [`The arguments of ${name} are not valid:`, ...list, 'Call it again with corrected arguments.'].join('\n'),
  );
};

/** Results are for models and for all who read the conversation: where the server of a tool is, its author and the log know. */
const withoutHost = ({ message, host }: OutboundFailure): string =>
  host === null ? message : withoutNames(message, [host]);

class TimeIsUp extends Error {}

/** One catalogue and one executor for every kind of caller: a model in a turn or a run, or a program over the tool endpoint. */
export const toolService = ({
  clock,
  log,
  settings: { toolTimeoutSeconds: timeoutSeconds },
  ...sources
}: Dependencies) => {
  const reported = new Set<string>();
  const dependencies = { ...sources, remoteLists: remoteLists(sources.remote, clock), timeoutSeconds };

  const report = (agent: Agent, { reports }: Catalogue) => {
    for (const { tool, message, severity } of reports) {
      const fields = { agent_id: agent.id, agent: agent.name, tool, reason: message };
      const key = `${agent.id} ${agent.updatedAt.getTime()} ${tool} ${message}`;
      if (severity === 'hidden' || reported.has(key)) continue;
      if (reported.size >= MAX_REMEMBERED) reported.clear();
      reported.add(key);
      log.warn(
        fields,
        severity === 'renamed' ? 'a tool of an agent has another name than it would' : 'a tool of an agent is left out',
      );
    }
  };

  const read = async (tool: Tool, args: unknown, caller: Caller) => {
    const input = parsedOnce(args);
    if (isObject(input)) return fitted(input as JsonObject, errorsBy(tool, tool.inputSchema, sources.schemas, caller));
    return { input: {}, errors: [{ path: '', message: 'must be one JSON object' }] };
  };

  /** The input of this call, or why it cannot be made, so that a model can act on it. */
  const accepted = async (
    tool: Tool,
    args: unknown,
    { caller, untrusted }: Pick<ToolContext, 'caller' | 'untrusted'>,
  ): Promise<{ readonly input: JsonObject } | { readonly refusal: ToolResult }> => {
    const missing = missingScope(tool, caller);
    if (missing !== null)
      return { refusal: refused(caller.role === 'viewer' && !tool.annotations.readOnly ? READ_ONLY : lacks(missing)) };
    // A call that a person approves may come from foreign content: they see it first.
    if (untrusted && isGuarded(tool) && !tool.requiresApproval) return { refusal: refused(UNTRUSTED) };
    const { input, errors } = await read(tool, args, caller);
    return errors.length === 0 ? { input } : { refusal: misuse(tool.name, errors) };
  };

  const explained = (tool: Tool, error: unknown): ToolResult => {
    const doubt = isRepeatable(tool) ? '' : ` ${UNKNOWN_OUTCOME}`;
    if (error instanceof DomainError) return failed(error.message + (error.kind === 'outcome_unknown' ? doubt : ''));
    if (error instanceof OutboundFailure) {
      log.info({ tool: tool.name, reason: error.message }, 'a tool got no answer');
      return refused(withoutHost(error) + (error.reason === 'refused' ? '' : doubt));
    }
    log.error({ tool: tool.name, err: error }, 'a tool failed unexpectedly');
    return refused(`The tool failed unexpectedly.${doubt}`);
  };

  const late = (tool: Tool) =>
    refused(
      `${tool.name} did not answer within ${timeoutSeconds} seconds.${isRepeatable(tool) ? '' : ` ${UNKNOWN_OUTCOME}`}`,
    );

  return {
    /** What the agent can do for this caller. A declaration that cannot be used is left out and reported, the others stay. */
    async toolsOf(agent: Agent, caller: Caller): Promise<Catalogue> {
      if (agent.tools.length === 0) return { tools: [], reports: [] };
      const catalogue = await catalogueOf(dependencies, agent, caller);
      report(agent, catalogue);
      return catalogue;
    },

    /** What the tool endpoint of the agent offers this caller: what the agent can do, and what starts and follows its runs. */
    async servedTools(agent: Agent, caller: Caller): Promise<Catalogue> {
      const own = runTools({ ...sources, agentId: agent.id, timeoutSeconds });
      const catalogue = await catalogueOf(dependencies, agent, caller, own);
      report(agent, catalogue);
      return catalogue;
    },

    /** What a workspace file declares of the tools of other servers, and cannot be offered. Each server is asked once. */
    async unusable(agents: readonly Pick<AgentSpec, 'name' | 'tools'>[]): Promise<readonly UnusableTool[]> {
      const entries = agents.flatMap(({ name, tools }) => tools.map((entry) => ({ agent: name, entry })));
      const reports = entries.map(async ({ agent, entry }) =>
        (await remoteReports(dependencies, entry)).map(({ tool, message }) => ({ agent, tool, reason: message })),
      );
      return (await Promise.all(reports)).flat();
    },

    /** Why this call cannot be made, so that a model can act on it; null if it can. */
    async refusal(tool: Tool, args: unknown, context: Pick<ToolContext, 'caller' | 'untrusted'>) {
      const outcome = await accepted(tool, args, context);
      return 'refusal' in outcome ? outcome.refusal : null;
    },

    /** What the call is given once its arguments are read; a call that is refused rejects. */
    async input(tool: Tool, args: unknown, context: Pick<ToolContext, 'caller' | 'untrusted'>): Promise<JsonObject> {
      const outcome = await accepted(tool, args, context);
      if ('refusal' in outcome) throw new Error(outcome.refusal.text);
      return outcome.input;
    },

    /** What the call would come to; null if that cannot be known. */
    async rehearsal(tool: Tool, input: JsonObject, context: ToolContext): Promise<JsonObject | null> {
      const { rehearse } = tool;
      if (rehearse === undefined) return null;
      const terms = { seconds: timeoutSeconds, late: () => new TimeIsUp(), signal: context.signal };
      return inTime((signal) => rehearse(input, { ...context, signal }), terms).catch((error: unknown) => {
        context.signal.throwIfAborted();
        log.warn({ tool: tool.name, err: error }, 'a call that needs approval could not be rehearsed');
        return null;
      });
    },

    /** The result of the call: failures are results too. Only an abort rejects, with the signal's reason. */
    async execute(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
      try {
        if (tool.requiresApproval && context.approved !== true) return refused(NEEDS_APPROVAL);
        const call = await accepted(tool, args, context);
        if ('refusal' in call) return call.refusal;
        const terms = { seconds: timeoutSeconds, late: () => new TimeIsUp(), signal: context.signal };
        return cut(await inTime((signal) => tool.run(call.input, { ...context, signal }), terms));
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof TimeIsUp) return late(tool);
        return cut(explained(tool, error));
      }
    },
  };
};

export type ToolService = ReturnType<typeof toolService>;

const MAX_CHARACTERS = 64_000;

/** Texts share what there is room for. Images and sounds cannot be cut: what their server may answer bounds them. */
const cutBlocks = (content: readonly ContentBlock[]): readonly ContentBlock[] => {
  let room = MAX_CHARACTERS;
  return content.map((block) => {
    if (block.type !== 'text' || typeof block.text !== 'string') return block;
    const text = truncate(block.text, room);
    room = Math.max(0, room - block.text.length);
    return { ...block, text };
  });
};

/** As much of a result as a model can do something with. */
const cut = ({ text, content, ...rest }: ToolResult): ToolResult => ({
  ...rest,
  text: truncate(text, MAX_CHARACTERS),
  ...(content && { content: cutBlocks(content) }),
});
