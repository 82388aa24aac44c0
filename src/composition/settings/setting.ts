/** Reads one variable: the value, or what was expected instead. */
export type Read<T> = (raw: string) => T | { readonly expected: string };

export interface Setting<T> {
  readonly env: string;
  readonly read: Read<T>;
  /** The value if the variable is unset; null if `about` describes what happens then. */
  readonly fallback: T;
  readonly about: string;
}

export const setting = <T>(env: string, read: Read<T>, fallback: NoInfer<T>, about: string): Setting<T> => ({
  env,
  read,
  fallback,
  about,
});

/** A setting that may be left unset: `about` says what happens then. */
export const optional = <T>(env: string, read: Read<T>, about: string): Setting<T | null> => ({
  env,
  read,
  fallback: null,
  about,
});

export const text: Read<string> = (raw) => raw;

export const integer =
  (min: number, max: number): Read<number> =>
  (raw) => {
    const value = /^\d{1,15}$/.test(raw) ? Number(raw) : Number.NaN;
    return value >= min && value <= max ? value : { expected: `an integer from ${min} to ${max}` };
  };

/** A number above 0, which may have decimals. */
export const decimal =
  (max: number): Read<number> =>
  (raw) => {
    const value = /^\d{1,15}(\.\d{1,15})?$/.test(raw) ? Number(raw) : 0;
    return value > 0 && value <= max ? value : { expected: `a number above 0, at most ${max}` };
  };

export const oneOf =
  <T extends string>(...values: readonly T[]): Read<T> =>
  (raw) =>
    values.find((value) => value === raw) ?? { expected: `one of ${values.join(', ')}` };

export const flag: Read<boolean> = (raw) =>
  raw === 'true' ? true : raw === 'false' ? false : { expected: 'true or false' };

/** An http address without a trailing slash, query or fragment. */
export const address: Read<string> = (raw) => {
  const url = URL.parse(raw);
  const fine = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '';
  return fine ? raw.replace(/\/+$/, '') : { expected: 'an address such as https://portico.example.com' };
};

export const mailbox: Read<string> = (raw) => (/^[^\s@]+@[^\s@]+$/.test(raw) ? raw : { expected: 'an e-mail address' });

/** An address of one of these protocols, each with its colon. */
export const addressOf =
  (protocols: readonly string[], expected: string): Read<string> =>
  (raw) =>
    protocols.includes(URL.parse(raw)?.protocol ?? '') ? raw : { expected };

/** Values that are separated by commas, each of which has to fit. */
export const listOf =
  (
    fits: (value: string, index: number, all: readonly string[]) => boolean,
    expected: string,
  ): Read<readonly string[]> =>
  (raw) => {
    const list = raw.split(',').map((value) => value.trim());
    return list.every(fits) ? list : { expected };
  };
