import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { type Key, useKeys } from '../keys.ts';

/** What of a list is selected: only what it shows, so that nothing is done to what a person does not see. */
export interface Selection<T> {
  readonly items: readonly T[];
  readonly has: (item: T) => boolean;
  /** `isRange`: all from the one that was changed last. */
  readonly toggle: (item: T, isRange: boolean) => void;
  readonly all: () => void;
  readonly clear: () => void;
  readonly isAll: boolean;
}

/** Presses the box of the row that has the focus. */
const press = (shiftKey: boolean) =>
  document.activeElement
    ?.closest('[data-row]')
    ?.querySelector('input[type=checkbox]')
    ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }));

const keys: readonly Key[] = [
  { key: 'x', does: 'Select the row', act: () => void press(false) },
  { key: 'Shift+X', does: 'Select up to the row', act: () => void press(true) },
];

export const useSelection = <T extends { readonly id: string }>(shown: readonly T[]): Selection<T> => {
  const ids = useSignal<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  useKeys(keys);
  const items = shown.filter(({ id }) => ids.value.has(id));
  const set = (chosen: readonly T[]) => {
    ids.value = new Set(chosen.map(({ id }) => id));
  };
  const toggle = (item: T, isRange: boolean) => {
    const at = shown.indexOf(item);
    const before = isRange ? shown.findIndex(({ id }) => id === last.current) : -1;
    const from = before === -1 ? at : before;
    const range = shown.slice(Math.min(from, at), Math.max(from, at) + 1);
    const isOn = !items.includes(item);
    set(shown.filter((each) => (range.includes(each) ? isOn : items.includes(each))));
    last.current = item.id;
  };
  return {
    items,
    has: (item) => items.includes(item),
    toggle,
    all: () => set(items.length === shown.length ? [] : shown),
    clear: () => set([]),
    isAll: items.length > 0 && items.length === shown.length,
  };
};

/** The box in the heading. */
export const SelectAll = <T,>({ selection }: { readonly selection: Selection<T> }) => (
  <input
    type="checkbox"
    aria-label="Select all rows"
    checked={selection.isAll}
    indeterminate={selection.items.length > 0 && !selection.isAll}
    onClick={selection.all}
  />
);

interface SelectOneProps<T> {
  readonly selection: Selection<T>;
  readonly item: T;
  readonly name: string;
}

/** The box of a row. With Shift, all rows from the one before. */
export const SelectOne = <T,>({ selection, item, name }: SelectOneProps<T>) => (
  <input
    type="checkbox"
    aria-label={`Select ${name}`}
    checked={selection.has(item)}
    onClick={({ shiftKey }) => selection.toggle(item, shiftKey)}
  />
);
