import type { ToolCall } from '../../domain/conversation.ts';
import type { JsonSchema } from '../../domain/json.ts';
import type { Usage } from '../../domain/run.ts';

/** Text of a file. */
export interface DocumentPart {
  readonly type: 'document';
  readonly fileName: string;
  readonly pages: readonly { readonly number: number | null; readonly text: string }[];
  /** Why there is no text, or null. */
  readonly unreadable: string | null;
}

/** A page of the web. */
export interface SourcePart {
  readonly type: 'source';
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

/** The type of a part shows who wrote it, never its text: the content of a file cannot pass as that of a person. */
export type ModelContent =
  /** Text of the person who asks. */
  | { readonly type: 'text'; readonly text: string }
  /** Text of Portico. */
  | { readonly type: 'note'; readonly text: string }
  /** Text of another user, or a summary: `of` names it. */
  | { readonly type: 'quote'; readonly of: string; readonly text: string }
  | DocumentPart
  | SourcePart
  | { readonly type: 'file'; readonly fileName: string; readonly contentType: string; readonly data: Uint8Array };

export type ModelMessage =
  | { readonly role: 'user'; readonly content: readonly ModelContent[] }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly text: string;
      readonly isError: boolean;
    };

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface StepRequest {
  /** `offline`, `openai/<model>` or `anthropic/<model>`. */
  readonly model: string;
  readonly instructions: string;
  /** Marks the tags around content that is data: an author of such content cannot know it. */
  readonly fence: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  /** Asks for an answer that is JSON by this schema. What comes back is still to be validated. */
  readonly outputSchema: JsonSchema | null;
}

export interface Step {
  /** The assistant's text: with an output schema, JSON. */
  readonly text: string;
  /** `invalid`: why the arguments could not be read (not JSON, say), in words for the model; else null. */
  readonly toolCalls: readonly (ToolCall & { readonly invalid: string | null })[];
  readonly finish: 'stop' | 'tool_calls' | 'length';
  readonly usage: Usage;
  /** The model as the provider calls it; absent if it does not say. */
  readonly answeredBy?: string | undefined;
}

export interface ModelTraits {
  /** Whether it takes images and PDF as they are. */
  readonly images: boolean;
  readonly pdf: boolean;
  /** How much it takes of a question and its answer together. */
  readonly contextTokens: number;
  /** How much of that an answer takes at most; 0 if answers take no room. */
  readonly outputTokens: number;
}

export type ModelErrorCode =
  | 'model_error'
  | 'model_refused'
  | 'model_rate_limited'
  | 'model_timeout'
  | 'model_not_configured'
  /** Less of it may be answered. */
  | 'model_input_too_long';

/** Why a model gave no step, in plain words for the person who started the run: never a key, an address or a stack. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ModelError';
    this.code = code;
  }
}

/** An answer while it is written. */
export interface Draft {
  /** An attempt begins: the text of the attempt before it does not count any more. */
  begin(): void;
  /** The text of the attempt goes on; all of it together is the text of the step. */
  write(text: string): void;
}

/** Why the last attempt failed, and how long the wait is until the next one. */
export type OnRetry = (code: ModelErrorCode, waitMs: number) => void;

export interface Models {
  traits(model: string): ModelTraits;
  /** Why this model cannot be used here (unknown provider, no key), or null. */
  defect(model: string): string | null;
  /**
   * The next assistant step. Rate limits, overload and broken connections are retried with backoff, `Retry-After` honoured;
   * after that, and for refusals and time-outs, it rejects with a ModelError; an abort rejects with the signal's reason. The draft is
   * written meanwhile; the step is the same without one. `onRetry` is called before each wait.
   */
  step(request: StepRequest, signal?: AbortSignal, draft?: Draft | null, onRetry?: OnRetry): Promise<Step>;
}
