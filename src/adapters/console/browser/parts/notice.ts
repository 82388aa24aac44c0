import { signal } from '@preact/signals';
import { html } from 'htm/preact';
import { messageOf, withToken } from '../api.ts';
import { setting } from './basics.ts';

type Said = { readonly text: string; readonly isError: boolean };

const said = signal<Said | null>(null);
const close = setting(said, null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Long enough to read; an error stays until it is closed. */
const SHOWN_MS = 6000;

export const notify = (text: string, isError = false): void => {
  clearTimeout(timer);
  said.value = { text, isError };
  if (!isError) timer = setTimeout(close, SHOWN_MS);
};

/** Does something and says what came of it; null if it did not work. */
export const act = async <T>(action: () => Promise<T>, done: string | null): Promise<T | null> => {
  try {
    const result = await withToken(action);
    if (done !== null) notify(done);
    return result;
  } catch (error) {
    notify(messageOf(error), true);
    return null;
  }
};

/** The result of what the user did last, which a screen reader reads without moving the focus. */
export const Notice = () => {
  const { text, isError } = said.value ?? { text: '', isError: false };
  return html`<div class="notices" role=${isError ? 'alert' : 'status'}>
    ${text && html`<p class=${isError ? 'bad' : ''}>${text}<button type="button" class="text" onClick=${close}>Close</button></p>`}
  </div>`;
};
