import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import type { Schemas } from '../../../../client/portico.ts';
import { api, messageOf, withToken } from '../api.ts';
import { Dialog } from './dialog.ts';

type Scope = NonNullable<Schemas['IssuedKey']['scopes']>[number];

const choices: Readonly<Record<string, { readonly text: string; readonly scopes: readonly Scope[] | null }>> = {
  all: { text: 'Everything that I may do', scopes: null },
  work: { text: 'Read, start runs and review', scopes: ['agents:read', 'runs:read', 'runs:write', 'documents:review'] },
  read: { text: 'Read agents, runs and documents', scopes: ['agents:read', 'runs:read'] },
};

const lifetimes = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'a year'],
  ['', 'until it is revoked'],
] as const;

/** The form that makes a key. */
export const NewKey = ({ close, made }: { readonly close: () => void; readonly made: (key: Schemas['IssuedKey']) => void }) => {
  const [failure, working] = [useSignal(''), useSignal(false)];
  const submit = async (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? '');
    const days = text('days');
    const body = {
      ...{ name: text('name').trim(), scopes: choices[text('scopes')]?.scopes ?? null },
      expires_in_days: days === '' ? null : Number(days),
    };
    [working.value, failure.value] = [true, ''];
    try {
      made(await withToken(() => api.post('/api/v1/keys', { body })));
      close();
    } catch (error) {
      [working.value, failure.value] = [false, messageOf(error)];
    }
  };
  return html`<${Dialog} title="New key" close=${close}>
    <form onSubmit=${submit}>
      <label class="field">Name<input type="text" name="name" required maxlength="100" placeholder="What it is for" /></label>
      <label class="field">It may<select name="scopes">${Object.entries(choices).map(([value, { text }]) => html`<option value=${value}>${text}</option>`)}</select></label>
      <label class="field">It works for<select name="days">${lifetimes.map(([value, text]) => html`<option value=${value} selected=${value === '90'}>${text}</option>`)}</select></label>
      ${failure.value && html`<p class="failure" role="alert">${failure.value}</p>`}
      <div class="actions"><button type="submit" disabled=${working.value}>${working.value ? 'Making it…' : 'Make the key'}</button>
        <button type="button" class="plain" onClick=${close}>Cancel</button></div>
    </form><//>`;
};
