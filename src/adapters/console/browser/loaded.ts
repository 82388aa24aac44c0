import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Portico } from '../../../client/portico.ts';
import { api, returns, withToken } from './api.ts';

export interface Loaded<T> {
  /** null until it is there; what was there before stays while something newer is loaded. */
  readonly data: T | null;
  readonly error: unknown;
  /** Whether the data is what the key before named, and something newer is on its way. */
  readonly isOld: boolean;
  reload(): void;
  /** Shows this in place of what was loaded. */
  replace(data: T): void;
}

interface Options {
  /** Whether what the key before named is shown until something newer is there. */
  readonly keep?: boolean;
  /** What was loaded less than this ago is not loaded again. */
  readonly freshMs?: number;
}

/** Reads from the API, as long as what is read is asked for. */
export type Get = Portico['get'];
export type Load<T> = (get: Get, signal: AbortSignal) => Promise<T>;

const begin = <T>(load: Load<T>, signal = new AbortController().signal): Promise<T> => {
  const get = (path: string, options?: object) => api.get(path as never, { ...options, signal } as never);
  return withToken(() => load(get as Get, signal));
};

/** What was loaded last, so that going back shows it at once. */
const remembered = new Map<string, { readonly data: unknown; readonly at: number }>();
const MOST_REMEMBERED = 200;

const remember = (key: string, data: unknown) => {
  remembered.delete(key);
  remembered.set(key, { data, at: performance.now() });
  for (const oldest of remembered.keys()) if (remembered.size > MOST_REMEMBERED) remembered.delete(oldest);
};

const underWay = new Set<string>();

/** Loads something before it is asked for. Where that fails, asking for it says why. */
export const prefetch = (key: string, load: Load<unknown>): void => {
  if (remembered.has(key) || underWay.has(key)) return;
  underWay.add(key);
  begin(load)
    .then((data) => remember(key, data))
    .catch(() => {})
    .finally(() => underWay.delete(key));
};

type Shown<T> = Pick<Loaded<T>, 'data' | 'error' | 'isOld'> & { readonly key: string | null };

/** Loads what the key names, again whenever the key changes; null: nothing. */
export const useLoaded = <T>(key: string | null, load: Load<T>, { keep = false, freshMs = 0 }: Options = {}): Loaded<T> => {
  const shown = useSignal<Shown<T>>({ key: null, data: null, error: null, isOld: false });
  const turn = useSignal(0);
  const known = remembered.get(key ?? '') as { readonly data: T; readonly at: number } | undefined;

  const show = (data: T) => {
    if (key === null) return;
    remember(key, data);
    shown.value = { key, data, error: null, isOld: false };
  };

  useEffect(() => {
    if (key === null) return;
    const isNew = shown.value.key !== key;
    if (isNew) {
      const isOld = known === undefined && keep && shown.value.data !== null;
      shown.value = { key, data: isOld ? shown.value.data : (known?.data ?? null), error: null, isOld };
      if (known && performance.now() - known.at < freshMs) return;
    }
    const ended = new AbortController();
    const fetched = (data: T) => {
      if (ended.signal.aborted) remember(key, data);
      else show(data);
    };
    const failed = (error: unknown) => {
      if (!ended.signal.aborted) shown.value = { ...shown.value, error };
    };
    begin(load, ended.signal).then(fetched, failed);
    return () => ended.abort();
  }, [key, turn.value, returns.value]);

  // The effect comes after the first drawing with another key.
  const isCurrent = shown.value.key === key;
  const other = known?.data ?? (keep ? shown.value.data : null);
  return {
    data: isCurrent ? shown.value.data : other,
    error: isCurrent ? shown.value.error : null,
    isOld: isCurrent ? shown.value.isOld : keep,
    reload: () => {
      turn.value += 1;
    },
    replace: show,
  };
};
