import { actOf, type OwnDeed, operator } from '../../domain/audit.ts';
import { type Sha256, type ShownEntry, shownEntry } from '../../domain/audit-chain.ts';
import { type Verification, verifyChain } from '../../domain/audit-verification.ts';
import { type Caller, mustBeAdmin } from '../../domain/caller.ts';
import { invalid } from '../../domain/errors.ts';
import type { AuditFilter, AuditLog } from '../ports/audit.ts';
import type { CursorPage } from '../ports/storage.ts';

interface Dependencies {
  readonly audit: AuditLog;
  readonly sha256: Sha256;
}

/** What was done in a workspace, for its administrators. */
export const auditService = ({ audit, sha256 }: Dependencies) => {
  const entriesOf = async function* (workspaceId: string) {
    for await (const entries of audit.readAll(workspaceId)) yield* entries.map(shownEntry);
  };

  const exported = async (deed: OwnDeed, workspaceId: string): Promise<AsyncIterable<ShownEntry>> => {
    await audit.record({ ...deed, workspaceId, subject: { type: 'workspace', id: workspaceId, name: null } });
    await audit.chain(workspaceId);
    return entriesOf(workspaceId);
  };

  return {
    /** Ascending, with all that was done until now; `next` is the `after` of the next page. */
    async list(caller: Caller, filter: AuditFilter, { limit, after }: CursorPage<number>) {
      mustBeAdmin(caller);
      if (filter.from && filter.to && filter.from > filter.to)
        throw invalid({ path: 'from', message: 'must not be later than to' });
      await audit.chain(caller.workspaceId);
      const found = await audit.list(caller.workspaceId, filter, after ?? 0, limit + 1);
      const entries = found.slice(0, limit);
      return { entries, next: found.length > limit ? (entries.at(-1)?.sequence ?? null) : null };
    },

    /** All of it, as it is read. */
    async export(caller: Caller): Promise<AsyncIterable<ShownEntry>> {
      mustBeAdmin(caller);
      return exported(actOf(caller, { action: 'audit.exported' }), caller.workspaceId);
    },

    /** The same for the operator. */
    exportOf: (workspaceId: string) => exported({ ...operator, action: 'audit.exported' }, workspaceId),

    /** Compares the chain with its stored end, and with the newest checkpoint that the log of events has. */
    async verify(workspaceId: string): Promise<Verification> {
      await audit.chain(workspaceId);
      const { head, checkpoint } = await audit.state(workspaceId);
      return verifyChain(() => entriesOf(workspaceId), { head, checkpoint }, sha256);
    },
  };
};

export type AuditService = ReturnType<typeof auditService>;
