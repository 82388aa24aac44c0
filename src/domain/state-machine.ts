import { DomainError } from './errors.ts';

type Table<S extends string, E extends string> = Readonly<Record<S, Readonly<Partial<Record<E, S>>>>>;

/**
 * A transition table is the whole machine: the guard, the conditions of SQL, the OpenAPI enum, the diagram and the test matrix are read
 * from it. Its first state is the one that everything begins in.
 */
export const machine = <S extends string, E extends string>(subject: string, table: Table<S, E>) => {
  const states = Object.keys(table) as [S, ...S[]];
  const allows = (state: S, event: E): boolean => table[state][event] !== undefined;
  return {
    table,
    states,
    initial: states[0],
    allows,
    isTerminal: (state: S): boolean => Object.keys(table[state]).length === 0,
    /** The state after `event`; a conflict if the table has no such move. */
    next(state: S, event: E): S {
      const target = table[state][event];
      if (target === undefined)
        throw new DomainError('conflict', `The ${subject} is ${state}: it cannot ${event} now.`);
      return target;
    },
    /** The states in which each of these events is allowed. */
    statesBefore: (...events: readonly E[]): readonly S[] =>
      states.filter((state) => events.every((event) => allows(state, event))),
    /** The one state that `event` leads to, whichever it comes from. */
    stateAfter(event: E): S {
      const [target, ...others] = new Set(states.flatMap((state) => table[state][event] ?? []));
      if (target === undefined || others.length > 0) throw new Error(`${event} of a ${subject} leads to no one state`);
      return target;
    },
  };
};
