import { DomainError } from './errors.ts';

type Table<S extends string, E extends string> = Readonly<Record<S, Readonly<Partial<Record<E, S>>>>>;

/** A transition table is the whole machine: the guard, the OpenAPI enum, the diagram and the test matrix are read from it. */
export const machine = <S extends string, E extends string>(subject: string, table: Table<S, E>) => ({
  table,
  states: Object.keys(table) as S[],
  /** The state after `event`; a conflict where the table has no such move. */
  next(state: S, event: E): S {
    const target = table[state][event];
    if (target === undefined) throw new DomainError('conflict', `The ${subject} is ${state}: it cannot ${event} now.`);
    return target;
  },
  allows: (state: S, event: E): boolean => table[state][event] !== undefined,
  isTerminal: (state: S): boolean => Object.keys(table[state]).length === 0,
});
