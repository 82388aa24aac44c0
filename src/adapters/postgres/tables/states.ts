import { approvalMachine } from '../../../domain/approval.ts';
import { conversationMachine } from '../../../domain/conversation.ts';
import { documentMachine } from '../../../domain/document.ts';
import { reviewMachine } from '../../../domain/review.ts';
import { runMachine } from '../../../domain/run.ts';
import type { machine } from '../../../domain/state-machine.ts';
import { deliveryMachine } from '../../../domain/webhook.ts';

type Machine<S extends string, E extends string> = ReturnType<typeof machine<S, E>>;

/** A machine as SQL: statements take every status from here, so that the domain's tables alone decide which transitions there are. */
const statesOf = <S extends string, E extends string>({ table, initial, statesBefore, stateAfter }: Machine<S, E>) => {
  const moves = Object.entries<Partial<Record<E, S>>>(table).flatMap(([from, targets]) =>
    [...new Set(Object.values<S>(targets as Record<E, S>))].map((to) => `('${from}', '${to}')`),
  );
  return {
    initial: `'${initial}'`,
    /** The rest of a condition on a status that is true if each of these events is allowed in it. */
    before(...events: readonly E[]): string {
      const states = statesBefore(...events).map((state) => `'${state}'`);
      return states.length === 1 ? `= ${states[0]}` : `in (${states.join(', ')})`;
    },
    after: (event: E): string => `'${stateAfter(event)}'`,
    /** The condition that some event leads from one status to another, for statements that get the new status as a value. */
    leads: (from: string, to: string): string => `(${from}, ${to}) in (${moves.join(', ')})`,
  };
};

/** Units of a run move like the run. */
export const runStates = statesOf(runMachine);
export const documentStates = statesOf(documentMachine);
export const reviewStates = statesOf(reviewMachine);
export const conversationStates = statesOf(conversationMachine);
export const deliveryStates = statesOf(deliveryMachine);
export const approvalStates = statesOf(approvalMachine);
