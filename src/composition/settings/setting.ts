import type { AnyCodec, Codec } from '../../wire/kit/codec.ts';
import { booleanParameter, integerParameter, scalar, string } from '../../wire/kit/values.ts';

export interface Setting<T> {
  readonly env: string;
  readonly codec: AnyCodec<T>;
  /** The value if the variable is unset; null if `about` describes what happens then. */
  readonly fallback: T;
  readonly about: string;
}

export const setting = <T>(env: string, codec: Codec<T>, fallback: NoInfer<T>, about: string): Setting<T> => ({
  env,
  codec,
  fallback,
  about,
});

/** A setting that may be left unset: `about` says what happens then. */
export const optional = <T>(env: string, codec: Codec<T>, about: string): Setting<T | null> => ({
  env,
  codec,
  fallback: null,
  about,
});

/** What is read of the text of a variable; undefined: it is not what is expected. */
export const readAs = <T>(expected: string, read: (raw: string) => T | undefined): Codec<T> =>
  scalar({ expected, read: (raw) => (typeof raw === 'string' ? read(raw) : undefined), schema: { type: 'string' } });

/** Text that is taken as it is, if it fits. */
export const textThat = (expected: string, fits: (raw: string) => boolean) =>
  readAs(expected, (raw) => (fits(raw) ? raw : undefined));

export const text = string;
export const flag = booleanParameter;
export const integer = (min: number, max: number) => integerParameter({ min, max });

/** A number above 0, which may have decimals. */
export const decimal = (max: number) =>
  readAs(`a number above 0, at most ${max}`, (raw) => {
    const value = /^\d{1,15}(\.\d{1,15})?$/.test(raw) ? Number(raw) : 0;
    return value > 0 && value <= max ? value : undefined;
  });

/** An http address without a trailing slash, query or fragment. */
export const address = readAs('an address such as https://portico.example.com', (raw) => {
  const url = URL.parse(raw);
  const fits = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '';
  return fits ? raw.replace(/\/+$/, '') : undefined;
});

export const mailbox = textThat('an e-mail address', (raw) => /^[^\s@]+@[^\s@]+$/.test(raw));

/** An address of one of these protocols, each with its colon. */
export const addressOf = (protocols: readonly string[], expected: string) =>
  textThat(expected, (raw) => protocols.includes(URL.parse(raw)?.protocol ?? ''));

/** Values that are separated by commas, each of which has to fit. */
export const listOf = (fits: (value: string, index: number, all: readonly string[]) => boolean, expected: string) =>
  readAs<readonly string[]>(expected, (raw) => {
    const list = raw.split(',').map((value) => value.trim());
    return list.every(fits) ? list : undefined;
  });
