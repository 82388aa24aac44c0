import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { messageOf, withToken } from '../../../api.ts';
import { pageImage } from '../files.ts';

interface Wanted {
  readonly id: string;
  readonly index: number;
  readonly page: number;
  /** In pixels. */
  readonly width: number;
}

/** So far from what is seen a page is near: it is there when the user comes to it. */
const NEAR = '600px';

/** The address of a page's image, asked for once its place is near what is seen; the one before stays until it is there. */
export const useImage = (frame: RefObject<HTMLElement | null>, { id, index, page, width }: Wanted) => {
  const [image, failure] = [useSignal<string | null>(null), useSignal('')];
  const [tries, isNear] = [useSignal(0), useSignal(false)];
  useEffect(() => {
    const ended = new AbortController();
    const load = async () => {
      failure.value = '';
      const { response } = await withToken(() => pageImage({ id, index, page }, ended.signal, width));
      const blob = await response.blob();
      if (ended.signal.aborted) return;
      const before = image.peek();
      image.value = URL.createObjectURL(blob);
      if (before) URL.revokeObjectURL(before);
    };
    const seen = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        seen.disconnect();
        isNear.value = true;
        load().catch((error: unknown) => {
          if (!ended.signal.aborted) failure.value = messageOf(error);
        });
      },
      { rootMargin: NEAR },
    );
    if (frame.current) seen.observe(frame.current);
    return () => {
      ended.abort();
      seen.disconnect();
    };
  }, [id, index, page, width, tries.value]);
  useEffect(() => () => void (image.peek() && URL.revokeObjectURL(image.peek() ?? '')), []);
  return {
    image: image.value,
    failure: failure.value,
    isLoading: isNear.value && image.value === null && failure.value === '',
    tryAgain: () => {
      tries.value += 1;
    },
  };
};
