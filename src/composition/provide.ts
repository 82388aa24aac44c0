import type { ContainerModuleLoadOptions, ServiceIdentifier } from 'inversify';

type Tokens<D> = { readonly [K in keyof D]: ServiceIdentifier<D[K]> };

/** Binds what `make` returns to a token, each of its dependencies spelled as one: a wrong, missing or swapped dependency does not compile. */
export const provider =
  ({ bind }: Pick<ContainerModuleLoadOptions, 'bind'>) =>
  <T, D extends object>(token: ServiceIdentifier<T>, make: (dependencies: D) => T, tokens: Tokens<D>) => {
    const names = Object.keys(tokens);
    const build = (...values: unknown[]) => make(Object.fromEntries(names.map((name, index) => [name, values[index]])) as D);
    bind<T>(token).toResolvedValue(build, Object.values<ServiceIdentifier>(tokens)).inSingletonScope();
  };
