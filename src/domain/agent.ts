import type { VisibleTo } from './access.ts';
import type { JsonSchema } from './json.ts';
import type { StoredTool } from './tool.ts';

export const workflowTypes = ['document_extraction', 'assistant'] as const;
export type WorkflowType = (typeof workflowTypes)[number];

/** Where an agent's documents are written, and how a document becomes a row there. */
export interface SystemOfRecord {
  readonly connectionId: string;
  /** The table, as `schema.table`. */
  readonly entity: string;
  /** Column name → JSON Pointer into the document's data. */
  readonly columns: Readonly<Record<string, string>>;
  /** The column of the document's id, by which a row is found again. */
  readonly documentIdColumn: string;
}

export interface Agent {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  readonly workflowType: WorkflowType;
  /** `offline`, `openai/<model>` or `anthropic/<model>`. */
  readonly model: string;
  readonly instructions: string;
  readonly documentSchema: JsonSchema | null;
  readonly systemOfRecord: SystemOfRecord | null;
  readonly tools: readonly StoredTool[];
  readonly visibleTo: VisibleTo;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
