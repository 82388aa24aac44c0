import { signal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect } from 'preact/hooks';
import { copy, setting } from './basics.ts';
import { Dialog } from './dialog.ts';
import { notify } from './notice.ts';

interface Secret {
  readonly title: string;
  readonly text: string;
  readonly value: string;
}

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
