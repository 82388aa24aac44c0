interface Terms {
  /** For how long the same is refused without another try. */
  readonly milliseconds: number;
  /** How many are remembered; the oldest is forgotten first. */
  readonly most: number;
  /** Whether a try would fail again. */
  isLasting(error: unknown): boolean;
}

/** Remembers for a while what was not possible: a client that asks for it over and over costs nothing. */
export const refusals = ({ milliseconds, most, isLasting }: Terms) => {
  const remembered = new Map<string, { readonly error: unknown; readonly until: number }>();

  const remember = (name: string, error: unknown) => {
    remembered.delete(name);
    remembered.set(name, { error, until: performance.now() + milliseconds });
    const [oldest] = remembered.keys();
    if (remembered.size > most && oldest !== undefined) remembered.delete(oldest);
  };

  /** Throws at once if the same was not possible a short while ago. */
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const known = remembered.get(name);
    if (known !== undefined && performance.now() < known.until) throw known.error;
    try {
      return await work();
    } catch (error) {
      if (isLasting(error)) remember(name, error);
      throw error;
    }
  };
};
