import { signal } from '@preact/signals';
import { html } from 'htm/preact';

interface Said {
  readonly text: string;
  readonly isError: boolean;
}

const said = signal<Said | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Long enough to read; an error stays until it is closed. */
const SHOWN_MS = 6000;

export const notify = (text: string, isError = false): void => {
  clearTimeout(timer);
  said.value = { text, isError };
  if (!isError)
    timer = setTimeout(() => {
      said.value = null;
    }, SHOWN_MS);
};

/** The result of what the user did last, which a screen reader reads without moving the focus. */
export const Notice = () => {
  const { text, isError } = said.value ?? { text: '', isError: false };
  const close = () => {
    said.value = null;
  };
  return html`<div class="notices" role=${isError ? 'alert' : 'status'}>
    ${text && html`<p class=${isError ? 'bad' : ''}>${text}<button type="button" class="text" onClick=${close}>Close</button></p>`}
  </div>`;
};
