import type { AccountService } from '../../application/access/accounts.ts';
import type { KeyService } from '../../application/access/keys.ts';
import type { OperatedPeople } from '../../application/access/operated-people.ts';
import type { AuditService } from '../../application/audit/audit.ts';
import type { DocumentService } from '../../application/documents/documents.ts';
import type { OperatedHolds } from '../../application/documents/operated-holds.ts';
import type { Check } from '../../application/ports/doctor.ts';
import type { WebhookSignatures } from '../../application/ports/webhooks.ts';
import type { ToolService } from '../../application/tools/tools.ts';
import type { ErasureService } from '../../application/upkeep/erasures.ts';
import type { RetentionService } from '../../application/upkeep/retention.ts';
import type { DeliverySettings } from '../../application/webhooks/webhook-delivery.ts';
import type { WebhookService } from '../../application/webhooks/webhooks.ts';
import type { WorkspaceService } from '../../application/workspace/workspace.ts';
import type { ValidationError } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json.ts';
import type { WorkspaceReading } from '../../domain/workspace-spec.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the command line writes: a terminal or not. */
export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

export const roles = ['all', 'api', 'worker', 'egress'] as const;
export type ServeRole = (typeof roles)[number];

/** A row of the table of settings in docs/settings.md. */
export interface SettingRow {
  readonly env: string;
  readonly fallback: string | null;
  readonly about: string;
}

/** A row of the README's table of operations. */
export interface OperationRow {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** A scope, `api key` or `public`. */
  readonly access: string;
}

export interface WorkspaceFileReader {
  /** The JSON Schema of a file. */
  readonly schema: JsonSchema;
  /** Throws a DomainError if nothing can be read. */
  read(text: string, env: Environment): WorkspaceReading;
  /** Where each error stands in the text. */
  place(
    text: string,
    errors: readonly ValidationError[],
  ): readonly (ValidationError & { readonly line: number; readonly column: number })[];
}

/** The use cases for the commands of an operator: in this process, without HTTP or a key. */
export interface Operator {
  readonly workspaces: WorkspaceService;
  readonly tools: Pick<ToolService, 'unusable'>;
  readonly keys: Pick<KeyService, 'create' | 'list' | 'revoke' | 'rotate'>;
  readonly people: OperatedPeople;
  readonly accounts: Pick<AccountService, 'invite'>;
  readonly documents: Pick<DocumentService, 'restoreAny'>;
  readonly holds: OperatedHolds;
  readonly webhooks: WebhookService;
  readonly audit: Pick<AuditService, 'verifyAll'>;
  readonly erasures: Pick<ErasureService, 'replay'>;
  readonly retention: Pick<RetentionService, 'countAll' | 'removeAll'>;
  /** The names of the migrations that were applied, none if the database was up to date. */
  migrate(): Promise<{ readonly applied: readonly string[] }>;
  /** Makes a database in the embedded PostgreSQL, runs statements there, and answers its address. */
  makeDatabase(name: string, statements: string | null): Promise<string>;
  /**
   * Seals everything that is stored with the first of the encryption keys; how many values that changed. `skipLost` leaves those that no
   * key opens, and counts them.
   */
  reseal(skipLost: boolean): Promise<{ readonly resealed: number; readonly lost: number }>;
  /** Every check is made, whatever the others find. */
  doctor(): Promise<readonly Check[]>;
  close(): Promise<void>;
}

/** How events are sent to webhooks. */
export interface Forwarding extends DeliverySettings {
  readonly signatures: WebhookSignatures;
}

export interface BackupPlace {
  readonly folder: string;
  /** The file of the encryption key, which lies elsewhere; null: it is not written, or the configuration has it. */
  readonly keyFile: string | null;
}

/** What is copied, in files and bytes. */
interface Copied {
  readonly files: number;
  readonly bytes: number;
}

export interface BackupReport {
  /** The version of Portico that made it. */
  readonly portico: string;
  readonly made_at: string;
  readonly database: Copied;
  readonly files: Copied;
}

/** What the composition root gives the command line. Everything heavy is a function, so that `--help` loads none of it. */
export interface CliDependencies {
  readonly version: string;
  readonly env: Environment;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin?: NodeJS.ReadableStream;
  openOperator(): Promise<Operator>;
  openWorkspaceFiles(): Promise<WorkspaceFileReader>;
  openForwarding(): Promise<Forwarding>;
  /** Serves until a signal asks it to stop; answers the exit code. */
  serve(options: { readonly role: ServeRole }): Promise<number>;
  /** `apply`: brings the demo's workspace up to date with its file first. Answers the exit code; the signal ends it before. */
  demo(options: { readonly apply: boolean }, signal: AbortSignal): Promise<number>;
  /** Copies the embedded database and its files while a server may be working; where the signal is aborted, nothing stays of it. */
  backup(place: BackupPlace, signal: AbortSignal): Promise<BackupReport>;
  /** Puts a backup into a DATA_DIR that has no installation yet; where the signal is aborted, nothing stays of it. */
  restore(
    place: BackupPlace,
    signal: AbortSignal,
  ): Promise<BackupReport & { readonly runs: number; readonly documents: number }>;
  /** Calls back when Ctrl-C or a signal asks the program to stop; returns what ends this. */
  onStopSignal(stop: () => void): () => void;
  readonly settings: readonly SettingRow[];
  operations(): Promise<readonly OperationRow[]>;
}
