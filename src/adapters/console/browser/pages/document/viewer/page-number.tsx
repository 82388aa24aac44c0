import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { rangesOf } from '../../../../../../domain/routing/page-names.ts';

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
  /** Which one is seen, counted from 1. */
  readonly number: number;
  /** What they are called. */
  readonly numbers: readonly number[];
  readonly goTo: (wanted: number) => void;
}

/** How many there are; of a part of a file, which. */
const allText = (numbers: readonly number[]) =>
  numbers.every((number, index) => number === index + 1) ? String(numbers.length) : rangesOf(numbers);

/** The one that is called so, else the one before which it would stand. */
const placeOf = (numbers: readonly number[], wanted: number) => {
  const at = numbers.findIndex((number) => number >= wanted);
  return at === -1 ? numbers.length : at + 1;
};

/** The number can be typed: Enter goes there. What is typed stays while the pages move below it. */
export const PageNumber = ({ number, numbers, goTo }: PageNumberProps) => {
  const all = allText(numbers);
  const typed = useSignal<string | null>(null);
  const type = (event: Event) => {
    typed.value = (event.currentTarget as HTMLInputElement).value;
  };
  const forget = () => {
    typed.value = null;
  };
  const go = (event: Event) => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('page') as HTMLInputElement;
    if (Number(field.value) > 0) goTo(placeOf(numbers, Number(field.value)));
    forget();
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
          aria-label={`Page, of ${all}`}
          size={String(numbers.at(-1)).length}
          value={typed.value ?? numbers[number - 1] ?? number}
          onInput={type}
          onBlur={forget}
        />
      </label>{' '}
      of {all}
    </form>
  );
};
