import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { zoom, zoomBy } from './view.ts';

/** A notch of a wheel is about 100: a fifth more. */
const WHEEL = 550;

const between = ([one, other]: TouchList | readonly Touch[]) =>
  one && other
    ? {
        length: Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY),
        x: (one.clientX + other.clientX) / 2,
        y: (one.clientY + other.clientY) / 2,
      }
    : null;

/** Enlarges the pages by the wheel with Ctrl, which trackpads send for a pinch, and by two fingers; what is under the pointer stays there. */
export const useZooming = (scroller: RefObject<HTMLElement | null>) => {
  const at = useRef({ x: 0, y: 0 });
  const before = useRef(zoom.peek());
  useEffect(() => {
    const area = scroller.current;
    if (!area) return;
    const around = (x: number, y: number) => {
      const { left, top } = area.getBoundingClientRect();
      at.current = { x: x - left, y: y - top };
    };
    let pinch: ReturnType<typeof between> = null;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      around(event.clientX, event.clientY);
      zoomBy(Math.exp(-event.deltaY / WHEEL));
    };
    const touch = (event: TouchEvent) => {
      const now = between(event.touches);
      if (now && pinch && event.type === 'touchmove') {
        event.preventDefault();
        around(now.x, now.y);
        zoomBy(now.length / Math.max(1, pinch.length));
      }
      pinch = now;
    };
    // A listener that is to stop the browser's own zoom must not be passive.
    const options = { passive: false };
    const touches = ['touchstart', 'touchmove', 'touchend', 'touchcancel'] as const;
    area.addEventListener('wheel', wheel, options);
    for (const type of touches) area.addEventListener(type, touch, options);
    return () => {
      area.removeEventListener('wheel', wheel);
      for (const type of touches) area.removeEventListener(type, touch);
    };
  }, []);
  const now = zoom.value;
  useLayoutEffect(() => {
    const area = scroller.current;
    const ratio = now / before.current;
    before.current = now;
    if (!area || ratio === 1) return;
    area.scrollLeft = (area.scrollLeft + at.current.x) * ratio - at.current.x;
    area.scrollTop = (area.scrollTop + at.current.y) * ratio - at.current.y;
  }, [now]);
};
