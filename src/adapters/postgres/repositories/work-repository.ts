import type { RunSummary } from '../../../application/ports/storage.ts';
import type { WorkCounts, WorkRepository } from '../../../application/ports/work.ts';
import type { Database } from '../connection/database.ts';
import * as sql from '../statements/work-statements.ts';

export const workRepository = ({ read, query }: Pick<Database, 'read' | 'query'>): WorkRepository => ({
  async counts({ workspaceId, userId }) {
    const [counts] = await read<WorkCounts>(sql.counts, [workspaceId, userId]);
    if (counts === undefined) throw new Error('The database did not count the work.');
    return counts;
  },
  failedRuns: ({ workspaceId, userId }, limit) => read<RunSummary>(sql.failedRuns, [workspaceId, userId, limit]),
  async dismiss(runId) {
    await query(sql.dismiss, [runId]);
  },
});
