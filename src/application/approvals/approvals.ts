import { type Approval, approvalMachine } from '../../domain/approval.ts';
import { callerAsDoer } from '../../domain/audit.ts';
import { type Caller, mustWrite } from '../../domain/caller.ts';
import { DomainError, mustExist } from '../../domain/errors.ts';
import type { ApprovalFilter, ApprovalPage, ApprovalRepository, CallDecision } from '../ports/approvals.ts';
import type { UserRepository } from '../ports/people.ts';
import type { CursorPage, Position } from '../ports/storage.ts';
import type { Presence } from '../shared/presence.ts';

interface Dependencies {
  readonly approvals: Pick<ApprovalRepository, 'list' | 'findVisible' | 'decide'>;
  readonly users: Pick<UserRepository, 'find'>;
  readonly isPresent: Presence;
  readonly links: { approval(id: string): string };
}

/** What a person asks to be decided. */
type AskedDecision = Pick<CallDecision, 'event' | 'note' | 'argumentsDigest'>;

export const approvalService = ({ approvals, users, isPresent, links }: Dependencies) => {
  const mayDecide = (caller: Caller, { id, approver, requestedBy }: Approval) => {
    if (!isPresent(caller)) {
      const detail = `A person decides, who has signed in to the console a short while ago: ${links.approval(id)}`;
      throw new DomainError('forbidden', detail, { code: 'person_required' });
    }
    if (approver !== 'other_person' || requestedBy.id !== caller.userId) return;
    throw new DomainError('forbidden', 'You asked for this call: another person has to decide on it.', {
      code: 'own_work',
    });
  };

  /** Why an approval that was found could not be decided. */
  const refusalOf = ({ status, argumentsDigest }: Approval, decision: AskedDecision): DomainError => {
    if (argumentsDigest !== decision.argumentsDigest) {
      const detail = 'The call has other arguments than those that are decided on: read the approval again.';
      return new DomainError('precondition_failed', detail, { code: 'arguments_changed' });
    }
    const how = status === approvalMachine.initial ? 'over: no person decided in time' : status;
    return new DomainError('conflict', `The approval is ${how}.`, { code: 'approval_decided' });
  };

  const find = async (caller: Caller, id: string) => mustExist(await approvals.findVisible(caller, id), 'approval');

  return {
    list: (caller: Caller, filter: ApprovalFilter, page: CursorPage<Position>): Promise<ApprovalPage> =>
      approvals.list(caller, filter, page),

    get: find,

    /** The call is made, or refused, by the worker that takes its run up again. */
    async decide(caller: Caller, id: string, decision: AskedDecision): Promise<Approval> {
      mustWrite(caller);
      mayDecide(caller, await find(caller, id));
      const user = mustExist(await users.find(caller.userId), 'user');
      const by = { id: user.id, name: user.name, email: user.email };
      const decided = await approvals.decide(caller.workspaceId, id, { ...decision, by }, callerAsDoer(caller));
      if (decided === null) throw refusalOf(await find(caller, id), decision);
      return decided;
    },
  };
};

export type ApprovalService = ReturnType<typeof approvalService>;
