import type { Role } from './access.ts';
import type { AgentDefinition, SystemOfRecord } from './agent.ts';
import type { Budget } from './budget.ts';
import type { ConnectionType } from './connection.ts';
import type { ValidationError } from './errors.ts';
import type { Retention } from './retention.ts';
import type { PartKind } from './routing/part.ts';
import type { SourceTerms } from './source.ts';
import type { ToolDeclaration } from './tool.ts';
import type { Prices } from './usage.ts';

/** `everyone`, or emails of users of the same file. */
export type Audience = 'everyone' | readonly string[];

/** The content of a workspace file, with its `${NAME}`s replaced. Its entries refer to each other by name. */
export interface WorkspaceSpec {
  readonly workspace: string;
  readonly users: readonly { readonly email: string; readonly name: string; readonly role: Role }[];
  readonly connections: readonly ConnectionSpec[];
  readonly databases: readonly DatabaseSpec[];
  readonly agents: readonly AgentSpec[];
  readonly webhooks: readonly WebhookSpec[];
  readonly sources: readonly SourceSpec[];
  readonly prices: Prices | null;
  readonly budgets: readonly BudgetSpec[];
  readonly retention: Retention | null;
}

/** A file as far as it can be read. */
export interface WorkspaceReading {
  readonly spec: WorkspaceSpec;
  readonly errors: readonly ValidationError[];
  /** Paths whose values could not be read and are placeholders: they are not checked. */
  readonly unread: ReadonlySet<string>;
}

interface ConnectionSpec {
  readonly id: string | null;
  readonly name: string;
  readonly type: ConnectionType;
  readonly url: string;
  readonly visibleTo: Audience;
}

interface DatabaseSpec {
  readonly id: string;
  readonly name: string;
  readonly connection: string;
  readonly schemas: readonly string[] | null;
  /** null: that of its connection. */
  readonly visibleTo: Audience | null;
}

/** Exactly one of `agent` and `ignore` is set. */
export interface PartSpec extends PartKind {
  readonly ignore: boolean;
}

export interface AgentSpec extends Omit<AgentDefinition, 'systemOfRecord' | 'tools' | 'listColumns' | 'parts'> {
  readonly id: string | null;
  readonly name: string;
  readonly description: string;
  readonly systemOfRecord: (Omit<SystemOfRecord, 'connectionId'> & { readonly connection: string }) | null;
  readonly tools: readonly ToolDeclaration[];
  /** null: the first scalars of its schema. */
  readonly listColumns: readonly string[] | null;
  readonly parts: readonly PartSpec[];
  readonly visibleTo: Audience;
}

/** Where lifecycle events are sent. Address and secret are in the clear here: they are sealed before they are stored. */
export interface WebhookSpec {
  readonly url: string;
  /** Event patterns. */
  readonly events: readonly string[];
  /** Two while receivers change from one to the other: each delivery is signed with both. */
  readonly secret: readonly string[];
}

export interface BudgetSpec extends Pick<Budget, 'name' | 'period' | 'limit' | 'action'> {
  /** null: all agents together. */
  readonly agent: string | null;
}

/** Where documents come from by themselves. */
export interface SourceSpec extends SourceTerms {
  readonly name: string;
  /** By name. */
  readonly agent: string;
}
