import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Exchange } from '../../../../client/portico.ts';
import { blobOf, mayAskAgain, messageOf, withToken } from '../api.ts';

/** So far from what is seen an image is near: it is there when the user comes to it. */
const NEAR = '600px';

/** So many are asked for at once: the server draws a few at a time, and refuses those who let too many wait. */
const AT_ONCE = 6;

const places = new Map<Element, (isNear: boolean) => void>();

/** One for all, of which a page may have thousands. */
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) places.get(target)?.(isIntersecting);
  },
  { rootMargin: NEAR },
);

let loading = 0;
const waiting: (() => void)[] = [];

/** Does the work once it is its turn, unless nobody wants it any more by then. */
const inTurn = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  if (loading < AT_ONCE) loading += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else loading -= 1;
  }
};

/**
 * The address of an image, asked for while its place is near what is seen, and again once a lost connection is back or a busy server has
 * time; the one before stays until it is there. `name`: which image it is; null: there is none.
 */
export const useImage = (
  frame: RefObject<HTMLElement | null>,
  name: string | null,
  ask: (signal: AbortSignal) => Promise<Exchange>,
) => {
  const image = useSignal<string | null>(null);
  const failure = useSignal('');
  const tries = useSignal(0);
  const isNear = useSignal(false);
  useEffect(() => {
    const place = frame.current;
    if (place === null || name === null) return;
    let isThere = false;
    let request = new AbortController();
    const load = async ({ signal }: AbortController) => {
      failure.value = '';
      const blob = await inTurn(() => withToken(async () => blobOf(await ask(signal))), signal);
      if (signal.aborted) return;
      isThere = true;
      const before = image.peek();
      image.value = URL.createObjectURL(blob);
      if (before) URL.revokeObjectURL(before);
    };
    const fail = async (error: unknown, signal: AbortSignal) => {
      if (signal.aborted) return;
      if (await mayAskAgain(error, signal)) tries.value += 1;
      else if (!signal.aborted) failure.value = messageOf(error);
    };
    places.set(place, (near) => {
      isNear.value = near;
      request.abort();
      if (!near || isThere) return;
      request = new AbortController();
      const { signal } = request;
      load(request).catch((error: unknown) => fail(error, signal));
    });
    observer.observe(place);
    return () => {
      request.abort();
      observer.unobserve(place);
      places.delete(place);
    };
  }, [name, tries.value]);
  useEffect(() => () => void (image.peek() && URL.revokeObjectURL(image.peek() ?? '')), []);
  return {
    image: image.value,
    failure: failure.value,
    isLoading: isNear.value && name !== null && image.value === null && failure.value === '',
    tryAgain: () => {
      tries.value += 1;
    },
  };
};
