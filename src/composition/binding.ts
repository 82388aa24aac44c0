import type { Container, ContainerModuleLoadOptions, ServiceIdentifier } from 'inversify';
import type { Probe } from '../application/ports/runtime.ts';
import type { Ports, Tokens } from './tokens.ts';

/** Adapters that are open when they are bound, so that every `get()` stays synchronous; the composition closes them in the reverse order. */
export interface Resource {
  readonly ports: Partial<Ports>;
  /** What `/readyz` shows of it; absent if it is always there. */
  readonly probes?: readonly Probe[];
  close?(): Promise<void>;
}

/** Binds what `make` returns to a token, each of its dependencies named by a token: a wrong, missing or swapped one does not compile. */
export const provider =
  ({ bind }: Pick<ContainerModuleLoadOptions, 'bind'>) =>
  <T, D extends object>(token: ServiceIdentifier<T>, make: (dependencies: D) => T, tokens: Tokens<D>) => {
    const names = Object.keys(tokens);
    const build = (...values: unknown[]) =>
      make(Object.fromEntries(names.map((name, index) => [name, values[index]])) as D);
    bind<T>(token).toResolvedValue(build, Object.values<ServiceIdentifier>(tokens)).inSingletonScope();
  };

/** What the container has for each of these tokens. */
export const valuesOf = <T extends object>(container: Pick<Container, 'get'>, tokens: Tokens<T>): T =>
  Object.fromEntries(
    Object.entries<ServiceIdentifier>(tokens).map(([name, token]) => [name, container.get(token)]),
  ) as T;
