import type { Agent } from '../../domain/agent.ts';
import type { Message, ToolCall } from '../../domain/conversation.ts';
import { isObject, type JsonValue } from '../../domain/json.ts';
import { storable } from '../../domain/text.ts';
import type { Step, ToolSpec } from '../ports/models.ts';
import type { Ids } from '../ports/runtime.ts';
import type { ToolResult } from '../ports/tools.ts';
import {
  FAILED,
  isGuarded,
  isRepeatable,
  NEEDS_APPROVAL,
  refused,
  type Tool,
  type ToolContext,
  UNKNOWN_OUTCOME,
} from '../tools/tool.ts';
import type { ToolService } from '../tools/tools.ts';
import { approvalOf } from './call-approval.ts';
import { type Journal, timed } from './journal.ts';

const storableJson = (value: JsonValue): JsonValue => {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(storableJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storable(key), storableJson(item as JsonValue)]),
  );
};

/** A call as the model made it; `invalid` says why its arguments could not be read. */
export type MadeCall = Step['toolCalls'][number];

/** Ids that no other call of the conversation has, whatever the provider counts from; names that can be stored. */
export const distinct = (calls: Step['toolCalls'], history: readonly Message[], ids: Ids): readonly MadeCall[] => {
  const taken = new Set(history.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id)));
  return calls.map((call) => {
    const fits = /^[\w-]{1,64}$/.test(call.id) && !taken.has(call.id);
    const id = fits ? call.id : `call_${ids.next()}`;
    taken.add(id);
    return { ...call, id, name: storable(call.name).slice(0, 128), arguments: storableJson(call.arguments) };
  });
};

/** Calls of the newest assistant message that have no result. */
export const unanswered = (history: readonly Message[]): readonly ToolCall[] => {
  const at = history.findLastIndex(({ role }) => role === 'assistant');
  if (at === -1) return [];
  const results = new Set(history.slice(at + 1).map(({ toolCallId }) => toolCallId));
  return (history[at]?.toolCalls ?? []).filter(({ id }) => !results.has(id));
};

export const contentOf = ({ text, isError }: ToolResult) => storable(isError ? FAILED + text : text);

const INTERRUPTED = `The server stopped while this call was under way. ${UNKNOWN_OUTCOME}`;
const NOT_MADE =
  'The server stopped before this call was answered, and it changed nothing. Make it again where it is still needed.';

/** Results for calls that a turn left behind. */
export const abandoned = (calls: readonly ToolCall[], begun: ReadonlySet<string>) =>
  calls.map(({ id }) => ({ id, result: refused(begun.has(id) ? INTERRUPTED : NOT_MADE) }));

const MAX_CALLS = 64;

/** What a model is shown of tools. */
export const specsOf = (tools: readonly Tool[]): readonly ToolSpec[] =>
  tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));

interface Planned {
  readonly call: MadeCall;
  /** null if there is none of that name. */
  readonly tool: Tool | null;
  /** To be resolved once the result is stored; with null if there is none, because the turn waits or ends before. */
  readonly over: PromiseWithResolvers<ToolResult | null>;
}

interface Terms {
  readonly agent: Pick<Agent, 'id' | 'version'>;
  readonly service: Pick<ToolService, 'refusal' | 'input' | 'rehearsal' | 'execute'>;
  readonly tools: readonly Tool[];
  readonly journal: Pick<Journal, 'intend' | 'step' | 'approvals'>;
  /** `untrusted`: whether content stands in the conversation before these calls that its user did not write. */
  readonly context: ToolContext;
}

/** The calls that an assistant makes in one step. */
export class CallRound {
  readonly planned: readonly Planned[];
  readonly #terms: Terms;
  /** The approvals that calls of this round wait for. */
  readonly waitsFor: string[] = [];

  constructor(calls: readonly MadeCall[], terms: Terms) {
    this.#terms = terms;
    this.planned = calls.map((call) => ({
      call,
      tool: terms.tools.find(({ name }) => name === call.name) ?? null,
      over: Promise.withResolvers(),
    }));
  }

  /** Marks calls as begun that may not be made twice. Those that wait for others are marked when their turn comes. */
  async begin(): Promise<void> {
    const { journal, context } = this.#terms;
    const risky: string[] = [];
    for (const [index, { tool, call }] of this.planned.entries()) {
      if (!tool || isRepeatable(tool) || isGuarded(tool) || tool.requiresApproval) continue;
      if ((await this.#refusal(index, context)) === null) risky.push(call.id);
    }
    if (risky.length > 0) await journal.intend(risky);
  }

  /** The result of a call, which may be why it is not made; null if it waits for an approval, its own or that of a call before it. */
  async make(index: number): Promise<ToolResult | null> {
    const { service, journal } = this.#terms;
    const { call, tool } = this.planned[index] as Planned;
    const guarded = tool !== null && isGuarded(tool);
    const before = guarded ? await this.#resultsBefore(index) : [];
    this.#terms.context.signal.throwIfAborted();
    if (before.includes(null)) return null;
    const untrusted = this.#terms.context.untrusted || before.some((result) => result?.own !== true);
    const context = { ...this.#terms.context, untrusted };
    const refusal = await this.#refusal(index, context);
    if (refusal !== null || tool === null) return refusal ?? refused(NOT_MADE);
    const undecided = tool.requiresApproval ? await this.#unapproved(call, tool, context) : null;
    if (typeof undecided === 'string') this.waitsFor.push(undecided);
    if (undecided !== null) return typeof undecided === 'string' ? null : undecided;
    if (guarded || tool.requiresApproval) await journal.intend([call.id]);
    const execute = () =>
      service.execute(tool, call.arguments, { ...context, approved: tool.requiresApproval !== false });
    return timed(journal, { type: 'unit.tool_called', name: tool.name }, execute, ({ isError }) => ({
      error: isError ? 'tool_failed' : null,
    }));
  }

  async #refusal(index: number, context: ToolContext): Promise<ToolResult | null> {
    const { service, tools } = this.#terms;
    const { call, tool } = this.planned[index] as Planned;
    if (index >= MAX_CALLS) return refused(`Not run: at most ${MAX_CALLS} calls are made at once.`);
    if (call.invalid !== null) return refused(call.invalid);
    if (tool) return service.refusal(tool, call.arguments, context);
    const there = tools.length === 0 ? 'There are none.' : `There are ${tools.map(({ name }) => name).join(', ')}.`;
    return refused(`There is no tool ${call.name.slice(0, 64)}. ${there}`);
  }

  async #unapproved(call: MadeCall, tool: Tool, context: ToolContext): Promise<string | ToolResult | null> {
    const { agent, service, journal } = this.#terms;
    if (journal.approvals === null) return refused(NEEDS_APPROVAL);
    const input = await service.input(tool, call.arguments, context);
    const terms = { agent, approvals: journal.approvals, tools: service, context };
    return approvalOf({ id: call.id, tool, arguments: input }, terms);
  }

  /** What calls before it answer decides about a call that writes: it waits for them. */
  #resultsBefore(index: number): Promise<readonly (ToolResult | null)[]> {
    return Promise.all(this.planned.slice(0, index).map(({ over }) => over.promise));
  }
}
