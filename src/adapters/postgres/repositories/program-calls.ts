import type { ProgramCalls } from '../../../application/ports/approvals.ts';
import type { ToolResult } from '../../../application/ports/tools.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { Database } from '../connection/database.ts';
import * as sql from '../statements/approval-statements.ts';

type Started = NonNullable<ToolResult['started']>;

/** As JSON has it. */
type StoredResult = Omit<ToolResult, 'started'> & {
  readonly started?: Omit<Started, 'createdAt'> & { readonly createdAt: string };
};

const resultOf = ({ started, ...result }: StoredResult): ToolResult =>
  started ? { ...result, started: { ...started, createdAt: new Date(started.createdAt) } } : result;

interface Found extends Approval {
  readonly progress: 'not_begun' | 'under_way' | 'lost';
  readonly result: StoredResult | null;
}

export const programCalls = ({ query }: Pick<Database, 'query'>): ProgramCalls => ({
  async find({ caller, argumentsDigest }, lostAfterSeconds) {
    const [row] = await query<Found>(sql.findOfProgram, [caller.credential.id, argumentsDigest, lostAfterSeconds]);
    if (!row) return null;
    const { progress, result, ...approval } = row;
    return { approval, progress, result: result && resultOf(result) };
  },

  async request({ id, caller, agent, hours, ...call }) {
    const of = [id, caller.workspaceId, agent.id, agent.version, caller.credential.id];
    await query(sql.requestOfProgram, [
      ...of,
      ...sql.approvalValues({ ...call, toolCallId: null }, hours),
      caller.userId,
    ]);
  },

  begin: async (id) => (await query(sql.beginOfProgram, [id])).length > 0,

  async answer(id, result) {
    const [kept] = await query<{ result: StoredResult }>(sql.answerProgram, [id, JSON.stringify(result)]);
    return kept ? resultOf(kept.result) : result;
  },

  tell: async (id) => (await query(sql.tellProgram, [id])).length > 0,
});
