import type { AccountService } from '../../application/access/accounts.ts';
import type { KeyService } from '../../application/access/keys.ts';
import type { DocumentService } from '../../application/documents/documents.ts';
import type { UserRepository } from '../../application/ports/storage.ts';
import type { WebhookService } from '../../application/webhooks/webhooks.ts';
import type { WorkspaceService } from '../../application/workspace/workspace.ts';

export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
}

/** What the commands of whoever runs the server need: the use cases in place, without HTTP or a key. */
export interface Operator {
  readonly workspaces: WorkspaceService;
  readonly keys: Pick<KeyService, 'create' | 'list' | 'revoke'>;
  readonly users: Pick<UserRepository, 'list'>;
  readonly accounts: Pick<AccountService, 'invite'>;
  readonly documents: Pick<DocumentService, 'restore'>;
  readonly webhooks: WebhookService;
  /** The names of the migrations that were applied, none where the database was up to date. */
  migrate(): Promise<{ readonly applied: readonly string[] }>;
  /** Every check is made, whatever the others find. */
  doctor(): Promise<readonly Check[]>;
  close(): Promise<void>;
}
