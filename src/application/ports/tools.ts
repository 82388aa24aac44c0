import type { JsonObject, JsonSchema } from '../../domain/json.ts';
import type { RemoteToolServer, ToolAnnotations } from '../../domain/tool.ts';

/** What came of a tool call, in words for a model. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface RemoteTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: ToolAnnotations;
}

export interface RemoteTerms {
  readonly timeoutSeconds: number;
  /** Of each answer. */
  readonly maxBytes: number;
}

/**
 * The tools of other MCP servers. A server that is out of reach, refuses or answers nonsense rejects with OutboundFailure or a
 * DomainError `unavailable`, in words that may be shown; an abort rejects with the signal's reason.
 */
export interface RemoteTools {
  list(server: RemoteToolServer, terms: RemoteTerms, signal: AbortSignal): Promise<readonly RemoteTool[]>;
  call(server: RemoteToolServer, name: string, input: JsonObject, terms: RemoteTerms, signal: AbortSignal): Promise<ToolResult>;
}
