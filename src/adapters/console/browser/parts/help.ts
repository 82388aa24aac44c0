import { signal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { activeKeys, setSingleKeys, singleKeys } from '../keys.ts';

const open = signal(false);

export const showHelp = (): void => {
  open.value = true;
};

/** Every key that does something on this page. */
export const Help = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open.value) dialog.current?.showModal();
  }, [open.value]);
  const close = () => {
    open.value = false;
  };
  if (!open.value) return null;
  return html`<dialog ref=${dialog} onClose=${close} aria-labelledby="help-title">
    <h2 id="help-title">Keyboard</h2>
    <table class="keys">
      <tbody>${activeKeys.value.map(({ key, does }) => html`<tr><th scope="row"><kbd>${key}</kbd></th><td>${does}</td></tr>`)}</tbody>
    </table>
    <label class="check"><input type="checkbox" checked=${singleKeys.value} onChange=${(event: Event) => setSingleKeys((event.currentTarget as HTMLInputElement).checked)} /> Single keys act</label>
    <div class="actions"><button type="button" onClick=${() => dialog.current?.close()}>Close</button></div>
  </dialog>`;
};
