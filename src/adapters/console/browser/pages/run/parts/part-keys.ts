import { type Key, useKeys } from '../../../keys.ts';
import type { Moves } from './moves.ts';
import type { PageSelection } from './use-selection.ts';

const ARROWS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'];

const onPage: readonly Key[] = [
  { key: 'Arrows', does: 'On a page: go to another one; with Shift, select up to it', act: null },
  { key: 'Space', does: 'On a page: select it, or not; Ctrl+A selects its part, Esc nothing', act: null },
  { key: 'Enter', does: 'On a page: see it large', act: null },
];

const sheetAt = ({ target }: Event) =>
  target instanceof Element ? (target.closest<HTMLElement>('[data-sheet]') ?? null) : null;

const namesBeside = (sheet: HTMLElement) =>
  [...(sheet.parentElement?.children ?? [])].flatMap((each) => (each as HTMLElement).dataset.sheet ?? []);

interface Acts {
  /** Shows a page large. */
  readonly look: (name: string) => void;
  /** null: the user may not move pages. */
  readonly toNone: (() => void) | null;
}

/** What clicks and keys on a page do: they select. */
export const usePageKeys = (selection: PageSelection, { look, toNone }: Acts) => {
  useKeys(onPage);
  const press = (event: KeyboardEvent, sheet: HTMLElement, name: string): boolean => {
    const { key, shiftKey, ctrlKey, metaKey } = event;
    if (ctrlKey || metaKey) {
      if (key === 'a') selection.select(namesBeside(sheet));
      return key === 'a';
    }
    if (ARROWS.includes(key)) selection.go(selection.beside(name, key), shiftKey);
    else if (key === ' ') selection.toggle(name);
    else if (key === 'Escape') selection.clear();
    else if (key === 'Enter') look(name);
    else if ((key === 'Delete' || key === 'Backspace') && toNone) toNone();
    else return false;
    return true;
  };
  return {
    onKeyDown: (event: KeyboardEvent) => {
      const sheet = sheetAt(event);
      const name = sheet?.dataset.sheet;
      if (sheet && name !== undefined && !event.altKey && press(event, sheet, name)) event.preventDefault();
    },
    onClick: (event: MouseEvent) => {
      const name = sheetAt(event)?.dataset.sheet;
      if (name === undefined) return;
      if (event.shiftKey) selection.upTo(name);
      else if (event.ctrlKey || event.metaKey) selection.toggle(name);
      else selection.only(name);
    },
    onDblClick: (event: MouseEvent) => {
      const name = sheetAt(event)?.dataset.sheet;
      if (name !== undefined) look(name);
    },
    onFocusIn: (event: FocusEvent) => {
      const name = sheetAt(event)?.dataset.sheet;
      if (name !== undefined) selection.noteFocus(name);
    },
  };
};

interface Moving {
  readonly moves: Moves;
  readonly where: () => void;
}

/** null: the user may not move pages. */
export const useMoveKeys = (moving: Moving | null): void => {
  const keys: readonly Key[] = moving
    ? [
        { key: 'p', does: 'Move what is selected to the part before', act: () => moving.moves.moveBeside(-1) },
        { key: 'n', does: 'Move what is selected to the part after', act: () => moving.moves.moveBeside(1) },
        { key: 'm', does: 'Move what is selected to a part that you choose', act: moving.where },
        { key: 'Delete', does: 'On a page: take what is selected out of all parts', act: null },
        { key: 's', does: 'Begin a new part at this page', act: moving.moves.split },
        { key: 'b', does: 'Join the part of this page with the part before', act: moving.moves.joinFocused },
        { key: 'u', does: 'Undo the last move', act: moving.moves.undo },
      ]
    : [];
  useKeys(keys);
};
