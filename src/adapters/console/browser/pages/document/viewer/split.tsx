import { setSplit, split } from './view.ts';

const STEP = 0.02;

const partAt = (bar: HTMLElement, x: number): number => {
  const { left = 0, width = 1 } = bar.parentElement?.getBoundingClientRect() ?? {};
  return (x - left) / width;
};

/** What the pages have of the width before the user has chosen: tables want more of it. */
export const usualSplit = (hasTables: boolean): number => (hasTables ? 0.44 : 0.52);

/** The bar between the pages and the values, which is moved by the pointer and by the arrow keys; two clicks set it back. */
export const Split = ({ usual }: { readonly usual: number }) => {
  const now = split.value ?? usual;
  const move = (event: PointerEvent) => {
    const bar = event.currentTarget as HTMLElement;
    if (bar.hasPointerCapture(event.pointerId)) setSplit(partAt(bar, event.clientX));
  };
  const take = (event: PointerEvent) => {
    if (event.button !== 0) return;
    // Else the browser may begin to select or drag what is around, and take the pointer away.
    event.preventDefault();
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
  };
  const key = (event: KeyboardEvent) => {
    const to = { ArrowLeft: now - STEP, ArrowRight: now + STEP, Home: 0, End: 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setSplit(to);
  };
  return (
    <div
      class="split"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the pages"
      aria-valuemin={20}
      aria-valuemax={80}
      aria-valuenow={Math.round(now * 100)}
      tabindex={0}
      onPointerDown={take}
      onPointerMove={move}
      onKeyDown={key}
      onDblClick={() => setSplit(null)}
    ></div>
  );
};
