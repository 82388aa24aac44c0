import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  /** Also by Escape. */
  readonly close: () => void;
  readonly children?: ComponentChildren;
}

/** Stands over the page until it is closed. */
export const Dialog = ({ title, close, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return html`<dialog ref=${dialog} onClose=${close} aria-labelledby=${id}><h2 id=${id}>${title}</h2>${children}</dialog>`;
};
