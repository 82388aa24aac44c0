import type { ContainerModule } from 'inversify';
import type { Probe } from '../application/ports/health.ts';

/** What is opened before it is bound, so that every `get()` stays synchronous; whoever opened it closes it, in the reverse order. */
export interface Resource {
  readonly module: ContainerModule;
  /** What `/readyz` tells of it; absent where it cannot be away. */
  readonly probes?: readonly Probe[];
  close(): Promise<void>;
}
