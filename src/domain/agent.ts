import type { VisibleTo } from './access.ts';
import type { Check } from './check.ts';
import type { TermMap } from './e-invoice/mapping.ts';
import type { JsonSchema } from './json.ts';
import type { ProcessMode } from './posting.ts';
import type { ReviewPolicy } from './review.ts';
import type { PartKind, Split } from './routing/part.ts';
import type { StoredTool } from './tool.ts';

export const workflowTypes = ['document_extraction', 'document_routing', 'assistant'] as const;
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
  /** What people are shown where the table refuses a row, by the name of its constraint; absent: what the system says. */
  readonly constraintMessages?: Readonly<Record<string, string>>;
}

/** What an agent does, and how: it never changes, a change is another version. */
export interface AgentDefinition {
  readonly workflowType: WorkflowType;
  /** `offline`, `openai/<model>` or `anthropic/<model>`. */
  readonly model: string;
  readonly instructions: string;
  readonly documentSchema: JsonSchema | null;
  readonly systemOfRecord: SystemOfRecord | null;
  readonly process: ProcessMode;
  readonly tools: readonly StoredTool[];
  /** Which of its documents wait for a decision before they may be processed, and whose. */
  readonly review: ReviewPolicy;
  /** What its documents are held to. */
  readonly checks: readonly Check[];
  /** JSON Pointers: documents with the same values there are duplicates of each other; none: only those of the same file are. */
  readonly duplicateKey: readonly string[];
  /** JSON Pointers: a document without a value there is doubtful; null: what it is posted by, known again by and checked by. */
  readonly requiredValues: readonly string[] | null;
  /** Which fields of its documents have which terms of an e-invoice; null: those of the usual names. `off`: e-invoices are text. */
  readonly einvoice: { readonly map: TermMap } | 'off' | null;
  /** JSON Pointers: what lists of its documents show, and can be ordered by. */
  readonly listColumns: readonly string[];
  /** How it divides files; null of an agent that does not. */
  readonly split: Split | null;
  /** What it divides them into. */
  readonly parts: readonly PartKind[];
}

/** A definition as it was kept, with its number. */
export interface AgentVersion extends AgentDefinition {
  readonly agentId: string;
  readonly version: number;
  /** The user who published it; null: it comes from a workspace file. */
  readonly createdBy: string | null;
  readonly createdAt: Date;
}

export interface Agent extends AgentDefinition {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  /** Which definition this is: the live one, or in the work of a run the one that the run is bound to. */
  readonly version: number;
  readonly visibleTo: VisibleTo;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
