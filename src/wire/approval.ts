import * as t from 'io-ts';
import { approvalMachine } from '../domain/approval.ts';
import { exampleId, exampleTime } from './example.ts';
import { named } from './kit/codec.ts';
import { about, component, nullable } from './kit/structures.ts';
import { anyObject, dateTime, oneOf, text, uuid } from './kit/values.ts';

export const approvalStatus = named('ApprovalStatus', oneOf(...approvalMachine.states));
export const argumentsDigest = about(
  'SHA-256, in hexadecimal, over the canonical form (RFC 8785) of `{"agent_id", "agent_version", "tool", "arguments"}`, in which a number that a double does not hold stands as plain decimal digits.',
  text({ min: 64, max: 64, pattern: /^[0-9a-f]{64}$/ }),
);

const decider = component('Decider', { id: uuid, name: t.string, email: t.string });

/** A call of a tool that is made once a person has approved it. */
export const approval = component('Approval', {
  id: uuid,
  status: about('`cancelled`: the run is over, or a message of a user came before the decision.', approvalStatus),
  agentId: uuid,
  agentName: t.string,
  runId: about('Null of a call that no run makes.', nullable(uuid)),
  conversationId: about('Null of a call that a program makes at the tool endpoint.', nullable(uuid)),
  tool: about('The name by which the model calls it.', t.string),
  arguments: about('What it would be called with.', anyObject),
  argumentsDigest,
  rehearsal: about(
    'Of writes of records, what the same write would come to, as the rehearsal of a record answers it; else null.',
    nullable(anyObject),
  ),
  requestedAt: dateTime,
  expiresAt: about('From then on the call is refused.', dateTime),
  requestedBy: about('Who started the run, whose message the call answers, or whose program makes it.', decider),
  decidedAt: nullable(dateTime),
  decidedBy: about('Null where no person decided.', nullable(decider)),
  note: nullable(t.string),
});

const ada = { id: exampleId(7), name: 'Ada', email: 'ada@example.com' };

export const exampleApproval: t.TypeOf<typeof approval> = {
  id: exampleId(9),
  status: 'pending',
  agentId: exampleId(2),
  agentName: 'Invoice reader',
  runId: exampleId(4),
  conversationId: exampleId(5),
  tool: 'ledger_insert_record',
  arguments: { entity: 'public.payments', values: { invoice: '4711', amount: 1190.5 } },
  argumentsDigest: '1c0f3a2b5d7e9f8c6b4a39281706f5e4d3c2b1a09f8e7d6c5b4a392817060504',
  rehearsal: { rows_affected: 1, rejected: null },
  requestedAt: exampleTime('09:30:02.000'),
  expiresAt: new Date('2026-11-21T09:30:02.000Z'),
  requestedBy: ada,
  decidedAt: null,
  decidedBy: null,
  note: null,
};
