import { useSignal } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { html } from 'htm/preact';
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';

/** Of a table with more rows than this only those near the ones that are seen are drawn. */
export const MOST_DRAWN = 2000;
const BEYOND = 15;
const ROW_PX = 33;
/** What is drawn before it is known how high the table is. */
const FIRST = { width: 0, height: 1000 };

interface BodyProps {
  readonly count: number;
  readonly scroller: RefObject<HTMLElement | null>;
  /** A row that is drawn wherever the table is scrolled to: the focus stays in it. -1: none. */
  readonly kept?: number;
  /** Has a key and, in a long table, one height with all others. */
  readonly row: (index: number) => ComponentChildren;
}

/** The rows of a long table that are drawn now, in order. */
const useDrawn = ({ count, scroller, kept = -1 }: BodyProps) => {
  const height = useSignal(ROW_PX);
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const made = useRef<Virtualizer<HTMLElement, HTMLElement> | null>(null);
  const enabled = count > MOST_DRAWN;
  const options = {
    ...{ count, enabled, overscan: BEYOND, initialRect: FIRST, estimateSize: () => height.value, getScrollElement: () => scroller.current },
    ...{ scrollToFn: elementScroll, observeElementOffset, observeElementRect },
    onChange: () => draw(undefined),
  };
  made.current ??= new Virtualizer(options);
  const rows = made.current;
  rows.setOptions(options);
  useLayoutEffect(() => rows._didMount(), []);
  useLayoutEffect(() => rows._willUpdate());
  useLayoutEffect(() => {
    // A large font makes rows higher.
    const found = enabled && scroller.current?.querySelector('tbody tr:not([aria-hidden])')?.getBoundingClientRect().height;
    if (!found || found === height.value) return;
    height.value = found;
    rows.measure();
  }, [enabled]);
  if (!enabled) return { indexes: [...Array(count).keys()], height: 0 };
  const seen = rows.getVirtualItems().map(({ index }) => index);
  const indexes = [...new Set([...seen, ...(kept === -1 ? [] : [kept])])].toSorted((one, other) => one - other);
  return { indexes, height: height.value };
};

/** The body of a table, with room for the rows that are not drawn. */
export const Body = (props: BodyProps) => {
  const { indexes, height } = useDrawn(props);
  const room = (rows: number, before: number) =>
    rows > 0 && html`<tr key=${`before ${before}`} aria-hidden="true" style=${{ height: `${rows * height}px` }}></tr>`;
  return html`<tbody>${indexes.flatMap((index, at) => [room(index - (indexes[at - 1] ?? -1) - 1, index), props.row(index)])}
    ${room(props.count - 1 - (indexes.at(-1) ?? -1), props.count)}</tbody>`;
};
