import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { busy } from './api.ts';
import { lost } from './connection.ts';
import { state } from './session.ts';

/** A key or a button of a pointer, while it is down. */
interface Press {
  repeats: boolean;
  isOver: boolean;
}

const presses = new Map<string, Press>();

/** Held down with other keys, and no decision themselves. */
const modifiers = ['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'NumLock'];

const press = (name: string, repeats: boolean) => void presses.set(name, { repeats, isOver: false });

/** Not every system says of a key that it repeats. */
const pressKey = (name: string, repeats: boolean) => {
  const before = presses.get(name);
  if (before !== undefined && !before.isOver) before.repeats = true;
  else press(name, repeats);
};

/** A click follows the release: until then the press counts. */
const release = (name: string) => {
  const ended = presses.get(name);
  if (ended === undefined) return;
  ended.isOver = true;
  setTimeout(() => presses.get(name) === ended && presses.delete(name));
};

export const startPresses = (): void => {
  const listen = <K extends keyof WindowEventMap>(type: K, listener: (event: WindowEventMap[K]) => void) =>
    addEventListener(type, listener, { capture: true });
  listen('pointerdown', ({ pointerId }) => press(`pointer ${pointerId}`, false));
  for (const end of ['pointerup', 'pointercancel'] as const)
    listen(end, ({ pointerId }) => release(`pointer ${pointerId}`));
  // A key that is pressed together with Meta is not said to be released on every system.
  listen(
    'keydown',
    ({ key, code, metaKey, repeat }) => void (metaKey || modifiers.includes(key) || pressKey(code, repeat)),
  );
  listen('keyup', ({ code }) => release(code));
  listen('blur', ({ target }) => void (target === window && presses.clear()));
};

/** Whether the key of an event is held down for so long that it repeats. */
export const isHeld = ({ code }: KeyboardEvent): boolean => presses.get(code)?.repeats ?? false;

/** So long it takes a person to see that something else is shown. */
export const SEEN_MS = 600;

/**
 * Guards decisions on what is `shown`: a person has seen it once it was visible for a while, and what they pressed before was for something
 * else until it is released. A key that repeats decides nothing.
 */
export const useSeen = (shown: string) => {
  const isSeen = useSignal(false);
  const since = useRef({ time: Number.POSITIVE_INFINITY, before: new Set<Press>() });
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    since.current = { time: Number.POSITIVE_INFINITY, before: new Set() };
    isSeen.value = false;
    // The second frame begins when the first one is painted; a page that is not visible has none.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        since.current = { time: performance.now(), before: new Set(presses.values()) };
        timer = setTimeout(() => {
          isSeen.value = true;
        }, SEEN_MS);
      });
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [shown]);
  const decides = ({ timeStamp }: Event): boolean =>
    timeStamp - since.current.time >= SEEN_MS &&
    ![...presses.values()].some((each) => each.repeats || since.current.before.has(each));
  return { isSeen: isSeen.value, decides };
};

/** Guards what a button does that moves with its row: a person has seen it once it was visible at its place for a while. */
export const useSeenAtPlace = () => {
  const button = useRef<HTMLButtonElement>(null);
  const place = useSignal('');
  // A page that gets or loses a row renders the buttons of the others as well.
  useLayoutEffect(() => {
    const { left, top } = button.current?.getBoundingClientRect() ?? { left: 0, top: 0 };
    place.value = `${left} ${top}`;
  });
  // The lines above the page move it, and do not render it.
  return { button, ...useSeen([place.value, lost.value, busy.value, state.value === 'over'].join()) };
};
