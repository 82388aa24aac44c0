import { useSignal } from '@preact/signals';
import { sheetOf } from '../../../division/division.ts';
import type { Moves } from './moves.ts';
import type { PageSelection } from './use-selection.ts';

const targetOf = ({ target }: Event) =>
  target instanceof Element ? (target.closest<HTMLElement>('[data-drop]')?.dataset.drop ?? null) : null;

const sheetAt = ({ target }: Event) =>
  target instanceof Element ? (target.closest<HTMLElement>('[data-sheet]')?.dataset.sheet ?? null) : null;

/** What the pointer carries, where it is several pages. */
const carry = (transfer: DataTransfer, count: number) => {
  if (count < 2) return;
  const shown = document.createElement('div');
  shown.className = 'carried';
  shown.textContent = `${count} pages`;
  document.body.append(shown);
  transfer.setDragImage(shown, 0, 0);
  setTimeout(() => shown.remove());
};

/** Pages are dragged from one part to another one by the mouse: the one under it, or all that are selected if it is one of them. */
export const useDragging = (selection: PageSelection, moves: Moves) => {
  const over = useSignal<string | null>(null);
  const isDragging = useSignal(false);
  const drop = (to: string) => {
    const sheets = selection.meant.map(sheetOf);
    if (to === 'none') return moves.toNone(sheets);
    if (to === 'new') return moves.begin(moves.usualName(sheets), sheets);
    moves.moveTo(Number(to), sheets);
  };
  const end = () => {
    over.value = null;
    isDragging.value = false;
  };
  return {
    over: over.value,
    on: {
      onDragStart: (event: DragEvent) => {
        const name = sheetAt(event);
        if (name === null || event.dataTransfer === null) return;
        if (!selection.has(name)) selection.only(name);
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', name);
        carry(event.dataTransfer, selection.has(name) ? selection.names.length : 1);
        isDragging.value = true;
      },
      onDragOver: (event: DragEvent) => {
        const to = targetOf(event);
        if (!isDragging.value || to === null) return;
        event.preventDefault();
        over.value = to;
      },
      onDragLeave: (event: DragEvent) => {
        if (targetOf(event) === over.value && !(event.relatedTarget instanceof Element)) over.value = null;
      },
      onDrop: (event: DragEvent) => {
        const to = targetOf(event);
        if (!isDragging.value || to === null) return;
        event.preventDefault();
        end();
        drop(to);
      },
      onDragEnd: end,
    },
  };
};
