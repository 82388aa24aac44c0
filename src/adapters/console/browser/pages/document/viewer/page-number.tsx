import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

const sheetsIn = (scroller: RefObject<HTMLElement | null>) => [
  ...(scroller.current?.querySelectorAll<HTMLElement>('.sheet') ?? []),
];

/** Which page is seen, counted from 1 through all files: the one in the middle of what is seen of them. */
export const usePageNumber = (scroller: RefObject<HTMLElement | null>, count: number) => {
  const number = useSignal(1);
  useEffect(() => {
    let frame = 0;
    const look = () => {
      const { top = 0, bottom = 0 } = scroller.current?.getBoundingClientRect() ?? {};
      const middle = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
      const at = sheetsIn(scroller).findIndex((sheet) => sheet.getBoundingClientRect().bottom >= middle);
      number.value = at === -1 ? Math.max(1, count) : at + 1;
    };
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    };
    // The window scrolls where the pages have no place of their own; scrolling does not bubble.
    const options = { capture: true, passive: true };
    addEventListener('scroll', soon, options);
    soon();
    return () => {
      removeEventListener('scroll', soon, options);
      cancelAnimationFrame(frame);
    };
  }, [count]);
  const goTo = (wanted: number) => {
    const to = Math.min(count, Math.max(1, Math.round(wanted)));
    sheetsIn(scroller)[to - 1]?.scrollIntoView({ block: 'start' });
    number.value = to;
  };
  return { number: number.value, goTo };
};

interface PageNumberProps {
  readonly number: number;
  readonly count: number;
  readonly goTo: (wanted: number) => void;
}

/** The number can be typed: Enter goes there. */
export const PageNumber = ({ number, count, goTo }: PageNumberProps) => {
  const go = (event: Event) => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('page') as HTMLInputElement;
    if (Number(field.value) > 0) goTo(Number(field.value));
    field.select();
  };
  return (
    <form class="number-of" onSubmit={go}>
      <label>
        Page{' '}
        <input
          type="text"
          name="page"
          inputMode="numeric"
          pattern="[0-9]+"
          autocomplete="off"
          aria-label={`Page, of ${count}`}
          size={String(count).length}
          value={number}
        />
      </label>{' '}
      of {count}
    </form>
  );
};
