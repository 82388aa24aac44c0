/** What had the focus last, and its row of a list. */
let last: { readonly element: Element; readonly rows: Element | null; readonly at: number } | null = null;

const noteFocus = ({ target }: FocusEvent): void => {
  if (!(target instanceof Element)) return;
  const row = target.closest('[data-row]');
  const rows = row?.parentElement ?? null;
  last = { element: target, rows, at: row && rows ? [...rows.children].indexOf(row) : -1 };
};

/** The row that came to this place, else the heading of the page. */
const instead = ({ rows, at }: NonNullable<typeof last>): HTMLElement | null => {
  const row = rows?.isConnected ? rows.children[Math.min(at, rows.children.length - 1)] : undefined;
  return row?.querySelector('a') ?? document.querySelector('h1');
};

const moveOn = (): void => {
  if (last === null || last.element.isConnected || document.activeElement !== document.body) return;
  // A page that is still being loaded gives the focus to its heading itself.
  instead(last)?.focus({ preventScroll: true });
};

/** A control may go away with what it did. Its focus stays near: without one, a screen reader says nothing and begins at the top. */
export const startFocus = (): void => {
  addEventListener('focusin', noteFocus);
  new MutationObserver(moveOn).observe(document.body, { childList: true, subtree: true });
};
