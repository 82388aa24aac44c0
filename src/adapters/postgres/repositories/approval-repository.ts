import type { ApprovalRepository } from '../../../application/ports/approvals.ts';
import { type Approval, approvalMachine } from '../../../domain/approval.ts';
import type { Act } from '../../../domain/audit.ts';
import { storable } from '../../../domain/text.ts';
import type { Database } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import * as sql from '../statements/approval-statements.ts';
import { type Fitting, pageOf } from '../statements/page-bytes.ts';
import { record } from './acts.ts';

const listing = (isOne: boolean, isFirst: boolean) => {
  if (isOne) return isFirst ? sql.list.oneFirst : sql.list.oneAfter;
  return isFirst ? sql.list.anyFirst : sql.list.anyAfter;
};

export const approvalRepository = ({
  query,
  atomically,
}: Pick<Database, 'query' | 'atomically'>): ApprovalRepository => ({
  async list({ workspaceId, userId }, { status, agentId, runId }, { limit, after }) {
    const start = [after?.createdAt ?? null, after?.id ?? null];
    const values = [workspaceId, userId, status, agentId, runId, ...start, limit];
    const fitting = await query<Fitting<Approval>>(listing(status !== null, after === null), values);
    const { rows: approvals, hasMore } = pageOf<Approval>(fitting);
    const last = approvals.at(-1);
    const next = last && hasMore ? { createdAt: last.requestedAt, id: last.id } : null;
    return { approvals, next };
  },

  async findVisible({ workspaceId, userId }, id) {
    if (!isId(id)) return null;
    const [approval] = await query<Approval>(sql.find, [workspaceId, userId, id]);
    return approval ?? null;
  },

  decide: (workspaceId, id, { event, by, note, argumentsDigest }, doer) => {
    const status = approvalMachine.stateAfter(event);
    const values = [workspaceId, id, status, JSON.stringify(by), note && storable(note), argumentsDigest];
    return atomically(async (run) => {
      const [decided] = await run<Approval>(sql.decide, values);
      if (!decided) return null;
      const subject = { type: 'approval', id, name: decided.tool } as const;
      const details = { decision: event, agent_id: decided.agentId, agent: decided.agentName };
      const act: Act = { ...doer, workspaceId, action: 'approval.decided', subject, details };
      await record(run, act);
      return decided;
    });
  },

  async expire() {
    await query(sql.forgetResults, []);
    let total = 0;
    for (let ended = sql.BATCH; ended >= sql.BATCH; total += ended)
      [{ ended }] = (await query<{ ended: number }>(sql.expire, [])) as [{ ended: number }];
    return total;
  },
});
