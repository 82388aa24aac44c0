import type { AuditLog } from '../ports/audit.ts';
import type { Log } from '../ports/runtime.ts';
import { poller } from '../shared/poller.ts';

const EVERY_MS = 1000;

/** Chains what was done a moment ago. Whoever reads the audit log does so first: this is for what nobody reads. */
export const auditChainer = ({ audit, log }: { readonly audit: Pick<AuditLog, 'chainAll'>; readonly log: Log }) =>
  poller({
    everyMs: EVERY_MS,
    async look() {
      await audit.chainAll();
      return false;
    },
    failed: (err) => log.warn({ err }, 'the acts of the audit log could not be chained; trying again'),
  });
