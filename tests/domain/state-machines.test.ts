import { expect } from 'chai';
import { conversationMachine } from '../../src/domain/conversation.ts';
import { documentMachine } from '../../src/domain/document.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { reviewMachine } from '../../src/domain/review.ts';
import { runMachine } from '../../src/domain/run.ts';

interface AnyMachine {
  readonly states: readonly string[];
  next(state: string, event: string): string;
  allows(state: string, event: string): boolean;
  isTerminal(state: string): boolean;
}

/** The transitions of the public contract, written out: `state event state`. Every other pair is refused. */
const contract: readonly {
  subject: string;
  machine: object;
  terminal: readonly string[];
  events: readonly string[];
  moves: readonly string[];
}[] = [
  {
    subject: 'run',
    machine: runMachine,
    terminal: ['completed', 'failed', 'cancelled'],
    events: ['start', 'complete', 'fail', 'cancel'],
    moves: [
      'queued start running',
      'queued cancel cancelled',
      'queued fail failed',
      'running complete completed',
      'running fail failed',
      'running cancel cancelled',
    ],
  },
  {
    subject: 'document',
    machine: documentMachine,
    terminal: ['trashed'],
    events: ['extract', 'fail', 'correct', 'process', 'accept', 'reject', 'postpone', 'trash'],
    moves: [
      'extracting extract ready',
      'extracting fail error',
      'ready correct ready',
      'error correct ready',
      'ready process processing',
      'processing accept processed',
      'processing reject error',
      'processing postpone ready',
      'error process processing',
      'extracting trash trashed',
      'ready trash trashed',
      'processing trash trashed',
      'processed trash trashed',
      'error trash trashed',
    ],
  },
  {
    subject: 'review',
    machine: reviewMachine,
    terminal: [],
    events: ['require', 'approve', 'reject', 'change', 'clear', 'reopen'],
    moves: [
      'not_required require pending',
      'not_required approve approved',
      'not_required reject rejected',
      'pending approve approved',
      'pending reject rejected',
      'pending require pending',
      'pending clear not_required',
      'approved require pending',
      'rejected require pending',
      'approved change pending',
      'rejected change pending',
      'approved reopen pending',
      'rejected reopen pending',
    ],
  },
  {
    subject: 'conversation',
    machine: conversationMachine,
    terminal: [],
    events: ['begin', 'end'],
    moves: ['idle begin responding', 'responding end idle'],
  },
];

for (const { subject, machine, terminal, events, moves } of contract) {
  const { states, next, allows, isTerminal } = machine as AnyMachine;
  describe(`the state machine of a ${subject}`, () => {
    it('has the states of the contract', () => {
      expect(states).to.have.members([
        ...new Set(moves.flatMap((move) => [move.split(' ')[0] ?? '', move.split(' ')[2] ?? ''])),
      ]);
    });

    for (const state of states) {
      for (const event of events) {
        const target = moves.find((move) => move.startsWith(`${state} ${event} `))?.split(' ')[2];
        if (target === undefined) {
          it(`refuses to ${event} what is ${state}`, () => {
            expect(allows(state, event)).to.equal(false);
            expect(() => next(state, event))
              .to.throw(DomainError, state)
              .that.includes({ kind: 'conflict' });
          });
        } else {
          it(`goes from ${state} to ${target} by ${event}`, () => {
            expect(allows(state, event)).to.equal(true);
            expect(next(state, event)).to.equal(target);
          });
        }
      }
      it(`${terminal.includes(state) ? 'ends' : 'does not end'} at ${state}`, () =>
        expect(isTerminal(state)).to.equal(terminal.includes(state)));
    }
  });
}
