import type { JsonObject, JsonSchema } from '../../domain/json.ts';
import type { RemoteToolServer, ToolAnnotations } from '../../domain/tool.ts';

/** One part of a result as the Model Context Protocol has it: a text, an image, a sound, a resource. */
export type ContentBlock = JsonObject & { readonly type: string };

/** What came of a tool call. */
export interface ToolResult {
  /** For a model. */
  readonly text: string;
  readonly isError: boolean;
  /** Whether all of it is Portico's own text. Absent: something in it comes from elsewhere. */
  readonly own?: boolean;
  /** The same for programs, where it is more than these words. */
  readonly content?: readonly ContentBlock[];
  readonly structured?: JsonObject;
  /** The run of another agent that the call started and does not wait for. */
  readonly started?: { readonly id: string; readonly createdAt: Date };
}

/** How far a call is. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A tool as its server lists it, usable or not. */
export interface RemoteTool {
  /** Empty if it has none. */
  readonly name: string;
  readonly description: string;
  /** null if it has none. */
  readonly inputSchema: JsonSchema | null;
  /** Of the structured part of its results; null if it does not say. */
  readonly outputSchema: JsonSchema | null;
  readonly annotations: ToolAnnotations;
}

interface RemoteCall {
  readonly name: string;
  readonly input: JsonObject;
  /** Is called as progress is made; absent: the server is not asked for any. */
  readonly report?: ((progress: Progress) => void) | undefined;
}

export interface RemoteTerms {
  readonly timeoutSeconds: number;
  /** Of each answer. */
  readonly maxBytes: number;
}

/**
 * The tools of other MCP servers. A server that is out of reach, refuses or answers nonsense rejects with OutboundFailure or a
 * DomainError `unavailable`, in words that may be shown, or `outcome_unknown` if a call was on its way; an abort rejects with the
 * signal's reason.
 */
export interface RemoteTools {
  list(server: RemoteToolServer, terms: RemoteTerms, signal: AbortSignal): Promise<readonly RemoteTool[]>;
  call(server: RemoteToolServer, call: RemoteCall, terms: RemoteTerms, signal: AbortSignal): Promise<ToolResult>;
}
