import type { Scope } from '../../domain/access.ts';
import { type Caller, mayDo } from '../../domain/caller.ts';
import type { SystemRef } from '../../domain/conversation.ts';
import { invalid } from '../../domain/errors.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../../domain/json.ts';
import type { Quota } from '../../domain/rate-limit.ts';
import type { Sharer } from '../../domain/sharer.ts';
import type { ApprovalTerm, ToolAnnotations, Untrusted } from '../../domain/tool.ts';
import { type Codec, wholeSchema } from '../../wire/kit/codec.ts';
import { errorsOf } from '../../wire/kit/errors.ts';
import { about } from '../../wire/kit/structures.ts';
import { text } from '../../wire/kit/values.ts';
import type { ToolSpec } from '../ports/models.ts';
import type { SchemaValidator } from '../ports/runtime.ts';
import type { Progress, ToolResult } from '../ports/tools.ts';

export interface ToolContext {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** A background run starts no other: else two agents could keep each other busy for ever. */
  readonly mayStartRuns: boolean;
  /** Whether what led to the call may have been written by others than the caller: see `isForeign`. */
  readonly untrusted: boolean;
  /** Whether a person has approved this very call; absent: no. */
  readonly approved?: boolean;
  /** The W3C trace that a run started by the tool belongs to; absent: one of its own. */
  readonly traceId?: string | null;
  /** Receives the progress of the call; absent if the caller does not ask for it. */
  readonly report?: ((progress: Progress) => void) | undefined;
  /** Receives the state of a rate limit that the call counts against; absent if no answer shows it. */
  readonly showLimit?: ((limit: Quota) => void) | undefined;
}

/** What an agent can do: offered to models and to other programs alike. */
export interface Tool extends ToolSpec {
  readonly annotations: ToolAnnotations;
  /** What the caller's role and credential have to grant; absent: see `missingScope`. */
  readonly scope?: Scope;
  /** What the structured part of a result is like. */
  readonly outputSchema?: JsonSchema;
  /** Whether its schemas are of this program, and not of an operator or another server: see `SchemaValidator`. */
  readonly hasOwnSchemas: boolean;
  readonly requiresApproval: ApprovalTerm;
  /** Whether it may write if `ToolContext.untrusted` is set; null if the agent does not decide. */
  readonly untrusted: Untrusted | null;
  /** The connection or database whose content it answers; null for none. */
  readonly system: SystemRef | null;
  /** The agent of which it starts a run that its call does not wait for. */
  readonly runs?: string;
  run(input: JsonObject, context: ToolContext): Promise<ToolResult>;
  /** What the call would come to, on the system itself and rolled back; absent: it cannot be known. */
  rehearse?(input: JsonObject, context: ToolContext): Promise<JsonObject>;
}

/** A tool before its name is settled. */
export interface UnnamedTool
  extends Omit<Tool, 'name' | 'hasOwnSchemas' | 'requiresApproval' | 'untrusted' | 'system'> {
  /** What follows the base that the tools of one declaration share. */
  readonly suffix: string;
}

export interface ToolGroup {
  readonly base: string;
  readonly system?: SystemRef;
  readonly tools: readonly UnnamedTool[];
}

export type LoneTool = Omit<UnnamedTool, 'suffix'>;

/** A tool whose arguments and answers are described by codecs. */
interface Described<I, O> extends Omit<LoneTool, 'inputSchema' | 'outputSchema' | 'run' | 'rehearse'> {
  readonly input: Codec<I>;
  readonly output: Codec<O>;
  run(input: I, context: ToolContext): Promise<ToolResult>;
  rehearse?(input: I, context: ToolContext): Promise<JsonObject>;
}

const decoded = <I>(codec: Codec<I>, args: JsonObject): I => {
  const result = codec.decode(args);
  if (result._tag === 'Left') throw invalid(...errorsOf(result.left));
  return result.right;
};

export const described = <I, O>({ input, output, run, rehearse, ...tool }: Described<I, O>): LoneTool => ({
  ...tool,
  inputSchema: wholeSchema(input),
  outputSchema: wholeSchema(output),
  run: async (args, context) => run(decoded(input, args), context),
  ...(rehearse && { rehearse: async (args, context) => rehearse(decoded(input, args), context) }),
});

/** Text that a model writes. */
export const textInput = (description: string, max = 10_000): Codec<string> =>
  about(description, text({ min: 1, max }));

/** A group of one tool, which has the name of the group. */
export const alone = (base: string, tool: LoneTool): ToolGroup => ({ base, tools: [{ suffix: '', ...tool }] });

/** Why a declaration yields no tool. */
export class ToolDefect extends Error {
  /** Whether it is only not to be seen by this caller. */
  readonly hidden: boolean;

  constructor(message: string, hidden = false) {
    super(message);
    this.name = 'ToolDefect';
    this.hidden = hidden;
  }
}

/** What is stored and shown of a call that failed begins so: messages have no other mark. */
export const FAILED = 'Error: ';

export const succeeded = (text: string): ToolResult => ({ text, isError: false });
export const failed = (text: string): ToolResult => ({ text, isError: true });
/** A refusal of Portico: nothing was called. */
export const refused = (text: string): ToolResult => ({ text, isError: true, own: true });
/** A result as text for a model, and as it is for a program. */
export const answered = <A>(output: Pick<Codec<A>, 'encode'>, value: A): ToolResult => {
  const structured = output.encode(value) as JsonObject;
  return { ...succeeded(JSON.stringify(structured)), structured };
};

/** What is wrong with a value of the tool, by a schema of the tool. */
export const errorsBy =
  ({ hasOwnSchemas }: Pick<Tool, 'hasOwnSchemas'>, schema: JsonSchema, schemas: SchemaValidator, sharer: Sharer) =>
  (value: JsonValue) =>
    hasOwnSchemas ? schemas.errors(schema, value) : schemas.check(schema, value, sharer);

/** Whether it may be called again if it is unknown whether the first call took effect. */
export const isRepeatable = ({ annotations }: Pick<Tool, 'annotations'>) => annotations.readOnly;

/**
 * The scope that the caller lacks for the tool; null if none. A tool that only reads needs `runs:read` of a token for an agent alone: what
 * a model reads for its user, it reads because the user may talk with it.
 */
export const missingScope = (
  { scope, annotations }: Pick<Tool, 'scope' | 'annotations'>,
  caller: Caller,
): Scope | null => {
  const toRead = caller.boundToAgent === null ? null : 'runs:read';
  const needed = scope ?? (annotations.readOnly ? toRead : 'runs:write');
  return needed === null || mayDo(caller, needed) ? null : needed;
};

/** Whether the tool writes, sends or starts something, and the agent does not allow that on behalf of untrusted content. */
export const isGuarded = ({ annotations, untrusted }: Pick<Tool, 'annotations' | 'untrusted'>) =>
  !annotations.readOnly && untrusted !== 'allow';

export const NEEDS_APPROVAL = 'This tool needs the approval of a person, which cannot be given here: it was not run.';

export const UNKNOWN_OUTCOME = 'It is not known whether the call took effect: find out before you make it again.';

const effects = {
  reads: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  adds: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  changes: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
} as const;

export const annotated = (
  title: string,
  effect: keyof typeof effects,
  more: Partial<ToolAnnotations> = {},
): ToolAnnotations => ({
  title,
  ...effects[effect],
  ...more,
});
