import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { EventPattern } from '../../../../client/portico.ts';
import { SEEN_MS } from '../presses.ts';
import { useLive } from './live.ts';

/** A person who moves the pointer over rows chooses one of them; so long after the last move they may still click. */
const CHOOSING_MS = 2000;

let chosenAt = Number.NEGATIVE_INFINITY;
/** How far down in the window the pointer was last. */
let pointerY = -1;

addEventListener(
  'pointermove',
  ({ target, clientY }) => {
    pointerY = clientY;
    if (target instanceof Element && target.closest('[data-row]')) chosenAt = performance.now();
  },
  { passive: true },
);

/** Looks again after events of these types, but not while a person chooses a row: others would come to its place. */
export const useLiveRows = (types: readonly EventPattern[], look: () => void): void => {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const lookSoon = () => {
    clearTimeout(timer.current);
    const wait = chosenAt + CHOOSING_MS - performance.now();
    if (wait <= 0) look();
    else timer.current = setTimeout(lookSoon, wait);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useLive(types, lookSoon);
};

/** Whether the next click may be on this table: it was under the pointer, or has come there. A finger is over nothing before it taps. */
const isPointedAt = (table: Element) => {
  const { top, bottom } = table.getBoundingClientRect();
  const hasCome = pointerY >= top && pointerY <= bottom;
  return hasCome || table.matches(':hover') || matchMedia('(hover: none)').matches;
};

/**
 * Guards the rows of a table: a click on one that has come to its place a moment ago was meant for another. The rows that a page begins
 * with, and those of another filter (`isOther`), come to no other's place.
 */
export const useSteadyRows = (isOther: boolean) => {
  const table = useRef<HTMLTableElement>(null);
  const places = useRef({ tops: new Map<Element, number>(), moved: new Map<Element, number>(), isOther });
  // The other lists of a page move this one, and render it.
  useLayoutEffect(() => {
    if (table.current === null) return;
    const { tops: before, moved, isOther: wasOther } = places.current;
    const now = performance.now();
    const isGuarded = before.size > 0 && !isOther && !wasOther && isPointedAt(table.current);
    const tops = new Map<Element, number>();
    for (const row of table.current.querySelectorAll('[data-row]')) {
      const top = row.getBoundingClientRect().top + scrollY;
      tops.set(row, top);
      if (isGuarded && before.get(row) !== top) moved.set(row, now);
    }
    places.current = { tops, moved: new Map([...moved].filter(([row]) => tops.has(row))), isOther };
  });
  const guard = (event: MouseEvent) => {
    const row = event.target instanceof Element ? event.target.closest('[data-row]') : null;
    const since = (row && places.current.moved.get(row)) ?? Number.NEGATIVE_INFINITY;
    // A click by a key is for the row that has the focus, wherever that is.
    if (event.detail === 0 || event.timeStamp - since >= SEEN_MS) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { ref: table, onClickCapture: guard };
};
