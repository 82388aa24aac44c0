import { useKeys } from '../../keys.ts';
import type { Decision } from './decisions.ts';
import type { useNeighbours } from './neighbours.ts';
import { type FormProps, focusFlagged } from './values.tsx';

const inValue = [
  { key: 'Enter', does: 'In a value: it is right, on to the next that needs a look', act: null },
  { key: 'Tab', does: 'In a value, while a review is asked for: the next that needs a look', act: null },
  { key: 'Esc', does: 'In a value: leave it', act: null },
];

/** `form`: null if the user may change nothing. */
export const useDocumentKeys = (
  form: FormProps | null,
  decisions: readonly Decision[],
  undo: (event: KeyboardEvent) => Promise<void>,
  { before, after, open }: ReturnType<typeof useNeighbours>,
) => {
  const edits = () => {
    if (!form || !focusFlagged(form, null, true)) window.document.querySelector<HTMLElement>('input.value')?.focus();
  };
  useKeys([
    { key: 'j', does: 'Next document', act: () => open(after) },
    { key: 'k', does: 'Previous document', act: () => open(before) },
    ...(form?.edits
      ? [{ key: 'e', does: 'Edit: the next value that needs a look, else the first', act: edits }, ...inValue]
      : []),
    ...decisions.flatMap(({ key, name: does, act }) => (key ? [{ key, does, act }] : [])),
    ...(form ? [{ key: 'u', does: 'Undo what was done last', act: (event: KeyboardEvent) => void undo(event) }] : []),
  ]);
};
