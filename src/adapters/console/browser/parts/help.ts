import { signal } from '@preact/signals';
import { html } from 'htm/preact';
import { activeKeys, setSingleKeys, singleKeys } from '../keys.ts';
import { setting } from './basics.ts';
import { Dialog } from './dialog.ts';

const open = signal(false);

export const showHelp = setting(open, true);

/** Every key that does something on this page. */
export const Help = () => {
  const close = setting(open, false);
  if (!open.value) return null;
  return html`<${Dialog} title="Keyboard" close=${close}>
    <table class="keys">
      <tbody>${activeKeys.value.map(({ key, does }) => html`<tr><th scope="row"><kbd>${key}</kbd></th><td>${does}</td></tr>`)}</tbody>
    </table>
    <label class="check"><input type="checkbox" checked=${singleKeys.value} onChange=${(event: Event) => setSingleKeys((event.currentTarget as HTMLInputElement).checked)} /> Single keys act</label>
    <div class="actions"><button type="button" onClick=${close}>Close</button></div>
  <//>`;
};
