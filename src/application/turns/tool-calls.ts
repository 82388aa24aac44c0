import type { Caller } from '../../domain/caller.ts';
import type { Message, ToolCall } from '../../domain/conversation.ts';
import { isObject, type JsonValue } from '../../domain/json.ts';
import { storable } from '../../domain/text.ts';
import type { Step, ToolSpec } from '../ports/models.ts';
import type { ToolResult } from '../ports/tools.ts';
import { concurrently } from '../shared/async.ts';
import {
  FAILED,
  isGuarded,
  isRepeatable,
  refused,
  type Tool,
  type ToolContext,
  UNKNOWN_OUTCOME,
} from '../tools/tool.ts';
import type { ToolService } from '../tools/tools.ts';
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
type MadeCall = Step['toolCalls'][number];

/** Ids that no other call of the conversation has, whatever the provider counts from; names that can be stored. */
export const distinct = (
  calls: Step['toolCalls'],
  history: readonly Message[],
  newId: () => string,
): readonly MadeCall[] => {
  const taken = new Set(history.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id)));
  return calls.map((call) => {
    const fits = /^[\w-]{1,64}$/.test(call.id) && !taken.has(call.id);
    const id = fits ? call.id : `call_${newId()}`;
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

const AT_ONCE = 8;
const MAX_CALLS = 64;

interface Dependencies {
  readonly service: Pick<ToolService, 'refusal' | 'execute'>;
  readonly caller: Caller | null;
  readonly mayStartRuns: boolean;
  readonly tools: readonly Tool[];
  readonly journal: Pick<Journal, 'intend' | 'step'>;
  /** Whether content stands in the conversation now that its user did not write. */
  untrusted(): boolean;
  /** Stores a result as soon as there is one; `tool` is null if there is none of that name. */
  store(id: string, result: ToolResult, tool: Tool | null): Promise<void>;
}

/** What a model is shown of tools. */
export const specsOf = (tools: readonly Tool[]): readonly ToolSpec[] =>
  tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));

interface Planned {
  readonly call: MadeCall;
  readonly tool: Tool | null;
  /** Resolves with the result; null if the turn ended before. */
  readonly over: PromiseWithResolvers<ToolResult | null>;
}

/** What the tools of one turn can be asked to do. */
export const turnTools = ({ service, caller, mayStartRuns, tools, journal, untrusted, store }: Dependencies) => {
  const refusalOf = async (
    { call, tool }: Planned,
    index: number,
    context: ToolContext,
  ): Promise<ToolResult | null> => {
    if (index >= MAX_CALLS) return refused(`Not run: at most ${MAX_CALLS} calls are made at once.`);
    if (call.invalid !== null) return refused(call.invalid);
    if (tool) return service.refusal(tool, call.arguments, context);
    const there = tools.length === 0 ? 'There are none.' : `There are ${tools.map(({ name }) => name).join(', ')}.`;
    return refused(`There is no tool ${call.name.slice(0, 64)}. ${there}`);
  };

  /** What calls before it answer decides about a call that writes: it waits for them. */
  const foreignBefore = async (plans: readonly Planned[], index: number): Promise<boolean> => {
    const results = await Promise.all(plans.slice(0, index).map(({ over }) => over.promise));
    return results.some((result) => result?.own !== true);
  };

  const make = async (plans: readonly Planned[], index: number, given: ToolContext): Promise<ToolResult> => {
    const planned = plans[index] as Planned;
    const { call, tool } = planned;
    const guarded = tool !== null && isGuarded(tool);
    const context = { ...given, untrusted: given.untrusted || (guarded && (await foreignBefore(plans, index))) };
    context.signal.throwIfAborted();
    const refusal = await refusalOf(planned, index, context);
    if (refusal !== null || tool === null) return refusal ?? refused(NOT_MADE);
    if (guarded) await journal.intend([call.id]);
    const execute = () => service.execute(tool, call.arguments, context);
    return timed(journal, { type: 'unit.tool_called', name: tool.name }, execute, ({ isError }) => ({
      error: isError ? 'tool_failed' : null,
    }));
  };

  const planOf = (call: MadeCall): Planned => ({
    call,
    tool: tools.find(({ name }) => name === call.name) ?? null,
    over: Promise.withResolvers(),
  });

  /** Makes the calls that can be made, several at a time, and stores a result for each. */
  const perform = async (calls: readonly MadeCall[], given: AbortSignal): Promise<void> => {
    const plans = calls.map(planOf);
    const broken = new AbortController();
    const signal = AbortSignal.any([given, broken.signal]);
    // Without a caller there are no tools.
    const context = {
      caller: { ...(caller as Caller), door: 'model' as const },
      mayStartRuns,
      untrusted: untrusted(),
      signal,
    };
    const risky: string[] = [];
    for (const [index, planned] of plans.entries()) {
      const { tool, call } = planned;
      if (tool && !isRepeatable(tool) && !isGuarded(tool) && (await refusalOf(planned, index, context)) === null)
        risky.push(call.id);
    }
    if (risky.length > 0) await journal.intend(risky);
    await concurrently(plans, AT_ONCE, async ({ call, tool, over }, index) => {
      try {
        const result = await make(plans, index, context);
        await store(call.id, result, tool);
        over.resolve(result);
      } catch (error) {
        // Without the lease, no result can be stored: the other calls end too.
        broken.abort(error);
        over.resolve(null);
        throw error;
      }
    });
  };

  return {
    specs: specsOf(tools),
    perform,
    /** Takes up calls that an earlier turn left behind: what may have been done already is not done again. */
    async resume(calls: readonly ToolCall[], begun: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
      const [lost, free] = [calls.filter(({ id }) => begun.has(id)), calls.filter(({ id }) => !begun.has(id))];
      for (const { id, result } of abandoned(lost, begun)) await store(id, result, null);
      await perform(
        free.map((call) => ({ ...call, invalid: null })),
        signal,
      );
    },
  };
};

export type TurnTools = ReturnType<typeof turnTools>;
