import type { Profile } from '../e-invoice.ts';

const span = (first: number, last: number): readonly string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => `BT-${first + index}`);

const groups = (...numbers: readonly number[]): readonly string[] => numbers.map((number) => `BG-${number}`);
const numbers = (...list: readonly number[]): readonly string[] => list.map((number) => `BT-${number}`);

const minimum = [
  ...numbers(1, 2, 3, 5, 10, 13, 23, 24, 27, 30, 31, 32, 40, 44, 47, 109, 110, 112, 115),
  ...groups(2, 4, 5, 7, 22),
];

const basicWithoutLines = [
  ...minimum,
  ...span(1, 13),
  ...numbers(16, 19, 20),
  ...span(21, 40),
  ...span(44, 55),
  ...span(59, 81),
  ...numbers(83, 84, 89, 90, 91, 162, 163, 164, 165),
  ...span(92, 113),
  ...span(115, 121),
  ...numbers(34, 49).flatMap((term) => [term, `${term}-1`]),
  ...groups(1, 3, 8, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 23),
];

/** The terms of profiles that have fewer than EN 16931-1. */
const few: Readonly<Partial<Record<Profile, ReadonlySet<string>>>> = {
  minimum: new Set(minimum),
  basic_wl: new Set(basicWithoutLines),
};

/** Whether invoices of this profile can have each of these terms. */
export const hasTerms = (profile: Profile, terms: readonly string[]): boolean => {
  const allowed = few[profile];
  return allowed === undefined || terms.every((term) => allowed.has(term));
};
