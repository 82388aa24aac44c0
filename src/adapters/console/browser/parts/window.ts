import { useSignal } from '@preact/signals';
import type { Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** Of a table with more rows than this only those near the ones that are seen are drawn. */
export const MOST_DRAWN = 2000;
/** Rows that are drawn until the library is there. */
const FIRST = 50;
const BEYOND = 15;
const ROW_PX = 33;

interface Rows {
  readonly from: number;
  /** The row after the last one. */
  readonly to: number;
  /** The height of the rows above and below, in pixels. */
  readonly above: number;
  readonly below: number;
}

/** As high as the first row that is drawn: a large font makes rows higher. */
const heightIn = (scroller: HTMLElement | null) =>
  scroller?.querySelector('tr[aria-rowindex="2"]')?.getBoundingClientRect().height || ROW_PX;

/**
 * Which rows of a table of so many are drawn now, all of them of one height. The library is loaded for the first table that needs it; where
 * that fails, all rows are drawn.
 */
export const useRows = (count: number, scroller: RefObject<HTMLElement | null>): Rows => {
  const drawn = useSignal(0);
  const made = useRef<Virtualizer<HTMLElement, HTMLElement> | null>(null);
  const failed = useSignal(false);
  const isLong = count > MOST_DRAWN && !failed.value;
  useEffect(() => {
    if (!isLong) return;
    let end = () => {};
    let gone = false;
    const start = async () => {
      const { Virtualizer: Made, elementScroll, observeElementOffset, observeElementRect } = await import('@tanstack/virtual-core');
      if (gone) return;
      const height = heightIn(scroller.current);
      const change = () => {
        drawn.value += 1;
      };
      const rows = new Made<HTMLElement, HTMLElement>({
        ...{ count, overscan: BEYOND, estimateSize: () => height, getScrollElement: () => scroller.current, onChange: change },
        ...{ scrollToFn: elementScroll, observeElementOffset, observeElementRect },
      });
      made.current = rows;
      end = rows._didMount();
      change();
    };
    start().catch(() => {
      failed.value = true;
    });
    return () => {
      gone = true;
      made.current = null;
      end();
    };
  }, [isLong, count]);
  useLayoutEffect(() => made.current?._willUpdate());
  if (!isLong) return { from: 0, to: count, above: 0, below: 0 };
  const items = drawn.value > 0 ? (made.current?.getVirtualItems() ?? []) : [];
  const [first, last] = [items[0], items.at(-1)];
  if (!made.current || !first || !last) return { from: 0, to: FIRST, above: 0, below: (count - FIRST) * ROW_PX };
  const below = made.current.getTotalSize() - last.end;
  return { from: first.index, to: last.index + 1, above: first.start, below };
};
