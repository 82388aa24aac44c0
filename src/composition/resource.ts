import type { ContainerModule } from 'inversify';

/** What is opened before it is bound, so that every `get()` stays synchronous; whoever opened it closes it, in the reverse order. */
export interface Resource {
  readonly module: ContainerModule;
  close(): Promise<void>;
}
