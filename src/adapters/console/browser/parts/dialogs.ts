import { signal } from '@preact/signals';
import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { activeKeys, setSingleKeys, singleKeys } from '../keys.ts';
import { copy, setting } from './basics.ts';
import { notify } from './notice.ts';

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

type Question = { readonly title: string; readonly text: string; readonly yes: string; readonly act: () => unknown };

const asked = signal<Question | null>(null);

/** Asks before something is done that the console cannot undo. */
export const confirm = (question: Question): void => {
  asked.value = question;
};

export const Confirm = () => {
  const question = asked.value;
  if (!question) return null;
  const close = setting(asked, null);
  const act = () => {
    close();
    question.act();
  };
  return html`<${Dialog} title=${question.title} close=${close}><p>${question.text}</p>
    <div class="actions"><button type="button" onClick=${act}>${question.yes}</button><button type="button" class="plain" onClick=${close}>Cancel</button></div>
  <//>`;
};

type Secret = { readonly title: string; readonly text: string; readonly value: string };

/** In memory alone, until the dialog is closed. */
const shown = signal<Secret | null>(null);

/** Shows a secret that the server does not show again. */
export const showOnce = (secret: Secret): void => {
  shown.value = secret;
};

export const ShownOnce = () => {
  const secret = shown.value;
  const close = setting(shown, null);
  // A page that is left takes its secret along.
  useEffect(() => close, []);
  if (!secret) return null;
  const take = () =>
    copy(secret.value).then(
      () => notify('Copied.'),
      () => notify('The browser did not copy it: select it and copy it yourself.', true),
    );
  return html`<${Dialog} title=${secret.title} close=${close}><p>${secret.text}</p>
    <input type="text" class="mono" readonly aria-label=${secret.title} value=${secret.value} onFocus=${(event: Event) => (event.currentTarget as HTMLInputElement).select()} />
    <div class="actions"><button type="button" onClick=${() => void take()}>Copy</button><button type="button" class="plain" onClick=${close}>Done</button></div>
  <//>`;
};

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
