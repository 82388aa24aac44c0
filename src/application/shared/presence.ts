import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../ports/runtime.ts';

interface Dependencies {
  readonly clock: Clock;
  readonly settings: { readonly personHours: number };
}

const HOUR_MS = 3_600_000;

/** Whether a person acts, of whom the console's sign-in of a short while ago is the proof. */
export const presence =
  ({ clock, settings: { personHours } }: Dependencies) =>
  ({ door, signedInAt }: Caller): boolean =>
    door === 'console' && signedInAt !== null && clock.now().getTime() - signedInAt.getTime() <= personHours * HOUR_MS;

export type Presence = ReturnType<typeof presence>;
