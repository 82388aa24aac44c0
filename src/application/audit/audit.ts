import { actOf } from '../../domain/audit.ts';
import { type Sha256, type ShownEntry, shownEntry } from '../../domain/audit-chain.ts';
import { type Verification, verifyChain } from '../../domain/audit-verification.ts';
import { type Caller, mustBeAdmin } from '../../domain/caller.ts';
import { invalid } from '../../domain/errors.ts';
import type { AuditFilter, AuditLog, AuditWindow } from '../ports/audit.ts';
import type { DocumentRepository } from '../ports/storage.ts';

interface Dependencies {
  readonly audit: AuditLog;
  readonly documents: Pick<DocumentRepository, 'names'>;
  readonly sha256: Sha256;
}

/** What was done in a workspace, for its administrators. */
export const auditService = ({ audit, documents, sha256 }: Dependencies) => {
  const entriesOf = async function* (workspaceId: string) {
    for await (const entries of audit.readAll(workspaceId)) yield* entries.map(shownEntry);
  };

  /** Without those that are chained while they are read. */
  const entriesUntil = async function* (workspaceId: string, last: number) {
    for await (const entry of entriesOf(workspaceId)) {
      if (entry.sequence > last) return;
      yield entry;
    }
  };

  /** Compares the chain with its stored end, and with the newest checkpoint that the log of events has. */
  const verify = async (workspaceId: string): Promise<Verification> => {
    await audit.chain(workspaceId);
    const { head, last, checkpoint } = await audit.state(workspaceId);
    return verifyChain(() => entriesUntil(workspaceId, last), { head, checkpoint }, sha256);
  };

  return {
    /** With all that was done until now, and what its documents are called; `next` is the `after` of the next page. */
    async list(caller: Caller, filter: AuditFilter, window: AuditWindow) {
      mustBeAdmin(caller);
      if (filter.from && filter.to && filter.from > filter.to)
        throw invalid({ path: 'from', message: 'must not be later than to' });
      await audit.chain(caller.workspaceId);
      const rows = await audit.list(caller.workspaceId, filter, { ...window, limit: window.limit + 1 });
      const entries = rows.slice(0, window.limit);
      const ids = entries.flatMap(({ subject }) => (subject.type === 'document' ? [subject.id] : []));
      return {
        entries,
        names: await documents.names(caller, ids),
        next: rows.length > entries.length ? (entries.at(-1)?.sequence ?? null) : null,
      };
    },

    /** All of it, as it is read. */
    async export(caller: Caller): Promise<AsyncIterable<ShownEntry>> {
      mustBeAdmin(caller);
      const { workspaceId } = caller;
      const subject = { type: 'workspace', id: workspaceId, name: null } as const;
      await audit.record({ ...actOf(caller, { action: 'audit.exported' }), workspaceId, subject });
      await audit.chain(workspaceId);
      return entriesOf(workspaceId);
    },

    verify,

    /** For the operator: every chain, with the name of its workspace. */
    async verifyAll() {
      const verified: (Verification & { readonly workspace: string })[] = [];
      for (const { id, name } of await audit.workspaces()) verified.push({ workspace: name, ...(await verify(id)) });
      return verified;
    },
  };
};

export type AuditService = ReturnType<typeof auditService>;
