import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { isHeld } from './presses.ts';

/** A key of a page: `j`, `/`, `Shift+A`. */
export interface Key {
  readonly key: string;
  readonly does: string;
  /** null: a part of the page does it, and the help shows it. */
  readonly act: ((event: KeyboardEvent) => void) | null;
}

const OFF = 'portico.single-keys-off';

/** Single keys get in the way of speech input and some screen readers, so they can be switched off (WCAG 2.1.4). */
export const singleKeys = signal(localStorage.getItem(OFF) === null);

export const setSingleKeys = (on: boolean): void => {
  singleKeys.value = on;
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, '1');
};

/** All keys that do something now; the help shows them. */
export const activeKeys = signal<readonly Key[]>([]);

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select'));

export const useKeys = (keys: readonly Key[]): void => {
  useLayoutEffect(() => {
    activeKeys.value = [...activeKeys.peek(), ...keys];
    return () => {
      activeKeys.value = activeKeys.peek().filter((key) => !keys.includes(key));
    };
  });
};

/** A letter is the same key with Caps Lock on. */
const nameOf = ({ key, shiftKey }: KeyboardEvent): string => {
  if (!/^[a-z]$/i.test(key)) return key;
  return shiftKey ? `Shift+${key.toUpperCase()}` : key.toLowerCase();
};

/** The key that is down since it did something. */
let acted: string | null = null;

export const startKeys = (): void =>
  addEventListener('keydown', (event) => {
    if (!isHeld(event)) acted = null;
    // It may have led to a field, which takes no text from it until it is pressed anew.
    else if (event.code === acted && isTyping(event.target)) event.preventDefault();
    if (
      !singleKeys.peek() ||
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isTyping(event.target)
    )
      return;
    if (document.querySelector('dialog[open]')) return;
    const pressed = nameOf(event);
    const active = activeKeys.peek().find(({ key }) => key === pressed);
    if (!active?.act) return;
    event.preventDefault();
    acted = event.code;
    active.act(event);
  });
