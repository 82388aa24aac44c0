/** The object without these of its properties. */
export const omit = <T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Omit<T, K> => {
  const left: ReadonlySet<PropertyKey> = new Set(names);
  return Object.fromEntries(Object.entries(from).filter(([name]) => !left.has(name))) as Omit<T, K>;
};
