import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Box, PageWord } from '../../../../../../domain/page-words.ts';
import { around, linesWithin } from '../../../../../../domain/word-lines.ts';
import { api } from '../../../api.ts';
import { act } from '../../../parts/notice.tsx';
import type { PageProps } from './places.ts';
import { type Turn, unturned } from './view.ts';

/** The value that is being edited takes what is picked. */
const edited = () =>
  document.activeElement?.closest<HTMLElement>('input[data-field], select[data-field], textarea[data-field]') ?? null;

const pointOf = (event: PointerEvent, turn: Turn): Box => {
  const { left, top, width, height } = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const seen = unturned(turn, (event.clientX - left) / width, (event.clientY - top) / height);
  return { ...seen, width: 0, height: 0 };
};

/** Fills the value that is being edited from the page: by a click on a word, or a box that is drawn around words. */
export const usePick = ({
  documentId: id,
  file: { index, file_name },
  page: { page, width, height },
  fill,
  turn,
}: PageProps) => {
  const drawn = useSignal<Box | null>(null);
  const start = useRef<Box | null>(null);
  const words = useRef<Promise<readonly PageWord[] | null> | null>(null);
  const load = () => {
    const at = '/api/v1/documents/{id}/files/{index}/pages/{page}/words';
    words.current ??= act({ does: async () => (await api.get(at, { params: { path: { id, index, page } } })).words });
    return words.current;
  };
  const pick = async (box: Box) => {
    const field = edited();
    const all = field && (await load());
    if (!all) words.current = null;
    const lines = linesWithin({ words: all ?? [], width, height }, box);
    const text = lines.map((line) => line.map((word) => word.text).join(' ')).join(' ');
    const boxes = lines.map((line) => ({ page, ...around(line) }));
    if (field && text !== '') fill(field.dataset.field ?? '', text, { file_name, page, boxes });
  };
  const end = () => {
    start.current = null;
    drawn.value = null;
  };
  return {
    drawn: drawn.value,
    handlers: {
      onPointerEnter: () => edited() && void load(),
      // The field keeps the focus.
      onMouseDown: (event: MouseEvent) => edited() && event.preventDefault(),
      onPointerDown(event: PointerEvent) {
        if (event.button !== 0 || !edited()) return;
        start.current = pointOf(event, turn);
        if (event.pointerType !== 'touch') (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      },
      onPointerMove(event: PointerEvent) {
        if (start.current !== null && event.pointerType !== 'touch')
          drawn.value = around([start.current, pointOf(event, turn)]);
      },
      onPointerUp(event: PointerEvent) {
        if (start.current !== null) void pick(around([start.current, pointOf(event, turn)]));
        end();
      },
      onPointerCancel: end,
    },
  };
};
