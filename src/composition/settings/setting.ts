/** Reads one variable: the value, or what was expected instead. */
export type Read<T> = (raw: string) => T | { readonly expected: string };

export interface Setting<T> {
  readonly env: string;
  readonly read: Read<T>;
  /** The value if the variable is unset; null if `about` describes what happens then. */
  readonly fallback: T;
  readonly about: string;
}

export const setting = <T>(env: string, read: Read<NonNullable<T>>, fallback: T, about: string) =>
  ({ env, read, fallback, about }) as Setting<T>;

/** A setting that may be left unset: `about` says what happens then. */
export const optional = <T>(env: string, read: Read<T>, about: string): Setting<T | null> => ({ env, read, fallback: null, about });

export const text: Read<string> = (raw) => raw;

export const integer =
  (min: number, max: number): Read<number> =>
  (raw) => {
    const value = /^\d{1,15}$/.test(raw) ? Number(raw) : Number.NaN;
    return value >= min && value <= max ? value : { expected: `an integer from ${min} to ${max}` };
  };

export const oneOf =
  <T extends string>(...values: readonly T[]): Read<T> =>
  (raw) =>
    values.find((value) => value === raw) ?? { expected: `one of ${values.join(', ')}` };

export const flag: Read<boolean> = (raw) => (raw === 'true' ? true : raw === 'false' ? false : { expected: 'true or false' });

/** An http address without a trailing slash, query or fragment. */
export const address: Read<string> = (raw) => {
  const url = URL.parse(raw);
  const fine = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '';
  return fine ? raw.replace(/\/+$/, '') : { expected: 'an address such as https://portico.example.com' };
};

export const postgresAddress: Read<string> = (raw) =>
  /^postgres(ql)?:$/.test(URL.parse(raw)?.protocol ?? '')
    ? raw
    : { expected: 'an address such as postgres://user:password@host:5432/database' };

export const origins: Read<readonly string[]> = (raw) => {
  const list = raw.split(',').map((origin) => origin.trim());
  const fine = list.every((origin) => origin === '*' || URL.parse(origin)?.origin === origin);
  return fine ? list : { expected: 'origins such as https://app.example.com, separated by commas, or *' };
};

export const hosts: Read<readonly string[]> = (raw) => {
  const list = raw.split(',').map((host) => host.trim());
  const fine = list.every((host) => {
    const url = URL.parse(`http://${host}`);
    return url !== null && url.hostname !== '' && url.pathname === '/' && !/[/?#@\\]/.test(host);
  });
  return fine ? list : { expected: 'hosts such as hooks.internal or 10.0.0.5:8080, separated by commas' };
};
