import { approval, approvalStatus, argumentsDigest, exampleApproval } from '../../../wire/approval.ts';
import { about, list, nullable, optional, wire, withDefault } from '../../../wire/kit/structures.ts';
import { oneOf, positionCursor, text, uuid } from '../../../wire/kit/values.ts';
import { exampleRun } from '../../../wire/run.ts';
import { operation, REPEATABLE } from '../operation.ts';
import { cursorPaging } from '../parameters.ts';

const params = wire({ id: about('The approval.', uuid) });
const example = { params: { id: exampleApproval.id } };
const reads = { tag: 'Approvals', access: { scope: 'runs:read' } } as const;
const next = nullable(positionCursor);

export const listApprovals = operation({
  id: 'listApprovals',
  method: 'get',
  path: '/approvals',
  resource: 'approvals',
  ...reads,
  summary: 'List approvals',
  description:
    'Calls of tools that need the approval of a person (`requires_approval` in the workspace file), of the agents that you see, newest first. A page of large calls has fewer than `limit`, at least one.',
  query: wire({
    status: about('Only approvals with this status.', optional(approvalStatus)),
    agentId: about('Only calls of this agent.', optional(uuid)),
    runId: about('Only calls of this run.', optional(uuid)),
    ...cursorPaging(positionCursor, 20),
  }),
  example: {
    query: { status: 'pending', agentId: exampleApproval.agentId, runId: exampleRun.id, limit: 20 },
  },
  success: {
    description: 'A page of approvals; `next` is null on the last one.',
    data: wire({ approvals: list(approval), next }),
    example: { approvals: [exampleApproval], next: null },
  },
  handle: ({ approvals }, { caller, query: { status = null, agentId = null, runId = null, limit, after = null } }) =>
    approvals.list(caller, { status, agentId, runId }, { limit, after }),
});

export const getApproval = operation({
  id: 'getApproval',
  method: 'get',
  path: '/approvals/{id}',
  resource: 'approval',
  ...reads,
  summary: 'Get an approval',
  description: 'The call, what it is given, and what was decided.',
  params,
  example,
  success: { description: 'The approval.', data: approval, example: exampleApproval },
  refuses: ['not_found'],
  handle: ({ approvals }, { caller, params: { id } }) => approvals.get(caller, id),
});

export const decideApproval = operation({
  id: 'decideApproval',
  method: 'post',
  path: '/approvals/{id}',
  resource: 'approval',
  tag: 'Approvals',
  access: { scope: 'documents:review' },
  idempotent: REPEATABLE,
  summary: 'Decide on a call',
  description:
    'Approves or denies the call whose digest is sent back: what was read is what is decided on. Only a person in the console decides, who has signed in within ' +
    '`PERSON_HOURS`; with `requires_approval: other_person` it is not who started the run, or whose message the call answers. The run, or the turn of the conversation, then goes on by itself, a program at the tool endpoint makes its call again: an approved call is made once, and of ' +
    'one that is denied the model reads the note.',
  params,
  body: wire({
    decision: oneOf('approve', 'deny'),
    argumentsDigest,
    note: withDefault(nullable(text({ max: 10_000 })), null),
  }),
  example: { ...example, body: { decision: 'approve', argumentsDigest: exampleApproval.argumentsDigest, note: null } },
  success: {
    description: 'The approval, as it is now.',
    data: approval,
    example: {
      ...exampleApproval,
      status: 'approved',
      decidedAt: new Date('2026-11-20T09:35:00.000Z'),
      decidedBy: exampleApproval.requestedBy,
    },
  },
  refuses: ['not_found', 'person_required', 'own_work', 'arguments_changed', 'approval_decided'],
  handle: ({ approvals }, { caller, params: { id }, body: { decision: event, argumentsDigest: digest, note } }) =>
    approvals.decide(caller, id, { event, argumentsDigest: digest, note }),
});
