import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

const elementOf = (name: string) => document.querySelector<HTMLElement>(`[data-sheet=${CSS.escape(name)}]`);

const thumbs = () => [...document.querySelectorAll<HTMLElement>('[data-sheet]')];

/** The page above or below one: in the next row, the one that is nearest. No more pages are measured than it takes: what is far away is not laid out. */
const inNextRow = (thumb: HTMLElement, step: 1 | -1): string | undefined => {
  const from = thumb.getBoundingClientRect();
  const all = thumbs();
  const place = all.indexOf(thumb);
  const ahead = step === 1 ? all.slice(place + 1) : all.slice(0, place).reverse();
  const row: { readonly name: string | undefined; readonly at: DOMRect }[] = [];
  for (const next of ahead) {
    const at = next.getBoundingClientRect();
    if (step === 1 ? at.top < from.bottom : at.bottom > from.top) continue;
    if (row[0] && Math.abs(row[0].at.top - at.top) >= 2) break;
    row.push({ name: next.dataset.sheet, at });
  }
  const distance = (at: DOMRect) => Math.abs(at.left + at.width / 2 - from.left - from.width / 2);
  return row.sort((a, b) => distance(a.at) - distance(b.at))[0]?.name;
};

/** Which pages are selected, and which one has the focus, of those that are shown in this order. */
export const usePageSelection = (order: readonly string[]) => {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const focused = useSignal<string | null>(null);
  const anchor = useRef<string | null>(null);
  const wanted = useRef<string | null>(null);

  useLayoutEffect(() => {
    if (wanted.current === null) return;
    elementOf(wanted.current)?.focus();
    wanted.current = null;
  });

  const select = (names: Iterable<string>) => {
    chosen.value = new Set(names);
  };
  const focus = (name: string | undefined) => {
    if (name === undefined) return;
    wanted.current = name;
    focused.value = name;
    elementOf(name)?.focus();
  };
  const upTo = (name: string) => {
    const from = order.indexOf(anchor.current ?? name);
    const to = order.indexOf(name);
    select(order.slice(Math.min(from === -1 ? to : from, to), Math.max(from, to) + 1));
  };
  const toggle = (name: string) => {
    const next = new Set(chosen.value);
    if (!next.delete(name)) next.add(name);
    select(next);
    anchor.current = name;
  };
  const only = (name: string) => {
    select([name]);
    anchor.current = name;
  };
  const go = (name: string | undefined, isRange: boolean) => {
    if (name === undefined) return;
    if (isRange) {
      anchor.current ??= focused.value;
      upTo(name);
    }
    focus(name);
  };
  const beside = (name: string, key: string): string | undefined => {
    const thumb = elementOf(name);
    if (key === 'ArrowRight') return order[order.indexOf(name) + 1];
    if (key === 'ArrowLeft') return order[order.indexOf(name) - 1];
    if (key === 'ArrowDown' || key === 'ArrowUp')
      return thumb ? inNextRow(thumb, key === 'ArrowDown' ? 1 : -1) : undefined;
    const strip = [...(thumb?.parentElement?.children ?? [])] as HTMLElement[];
    return (key === 'Home' ? strip.at(0) : strip.at(-1))?.dataset.sheet;
  };
  const there = new Set(order);

  return {
    /** In the order of the page. */
    names: order.filter((name) => chosen.value.has(name)),
    /** What a move is about: what is selected, else the page that has the focus. */
    meant:
      chosen.value.size > 0
        ? order.filter((name) => chosen.value.has(name))
        : order.filter((name) => name === focused.value),
    focused: focused.value !== null && there.has(focused.value) ? focused.value : null,
    has: (name: string) => chosen.value.has(name),
    clear: () => {
      select([]);
      anchor.current = null;
    },
    select,
    only,
    toggle,
    upTo,
    go,
    focus,
    beside,
    noteFocus: (name: string) => {
      focused.value = name;
    },
  };
};

export type PageSelection = ReturnType<typeof usePageSelection>;
