import type { ContainerModule, ServiceIdentifier } from 'inversify';
import type { Probe } from '../application/ports/runtime.ts';

/** The identifier of a binding, with the type of what is bound: by what makes it, or by a name. It stands beside the binding. */
export const token = <T>(of: string | ((...dependencies: never[]) => T)): ServiceIdentifier<T> =>
  Symbol(typeof of === 'string' ? of : of.name);

/** Adapters that are open when they are bound, so that every `get()` stays synchronous; the composition closes them in the reverse order. */
export interface Opened {
  readonly module: ContainerModule;
  /** What `/readyz` shows of it; absent if it is always there. */
  readonly probes?: readonly Probe[];
  close?(): Promise<void>;
}
