import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import type { Schemas } from '../../../../client/portico.ts';
import { api, messageOf, withToken } from '../api.ts';
import { setSingleKeys, singleKeys } from '../keys.ts';
import { type Loaded, useLoaded } from '../loaded.ts';
import { useWho } from '../parts/agents.ts';
import { Heading, Loading, Status, setting, Time } from '../parts/basics.ts';
import { confirm, Dialog, ShownOnce, showOnce } from '../parts/dialogs.ts';
import { act } from '../parts/notice.ts';

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
const NewKey = ({ close, made }: { readonly close: () => void; readonly made: (key: Schemas['IssuedKey']) => void }) => {
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

interface SectionProps<T> {
  readonly title: string;
  readonly loaded: Loaded<readonly T[]>;
  readonly none: string;
  readonly entry: (each: T) => ComponentChildren;
  readonly children?: ComponentChildren;
}

const Section = <T>({ title, loaded, none, entry, children }: SectionProps<T>) =>
  html`<section class="setting"><div class="heading"><h2>${title}</h2><div class="actions">${children}</div></div>
    <${Loading} of=${loaded} lines=${3} />
    ${loaded.data?.length === 0 && html`<p class="soft">${none}</p>`}
    ${loaded.data && loaded.data.length > 0 && html`<ul class="entries">${loaded.data.map(entry)}</ul>`}
  </section>`;

const isOver = ({ expires_at: end }: Schemas['Key']) => end !== null && Date.parse(end) <= Date.now();

const showKey = ({ name, key }: Schemas['IssuedKey']) =>
  showOnce({ title: 'Your new key', text: `Copy the key “${name}” now: it is not shown again. Give it to no one else.`, value: key });

const KeyEntry = ({ of: key, reload }: { readonly of: Schemas['Key']; readonly reload: () => void }) => {
  const params = { path: { id: key.id } };
  const revoke = () => act(() => api.delete('/api/v1/keys/{id}', { params }), 'The key is revoked.').then(reload);
  const rotate = async () => {
    const made = await act(() => api.post('/api/v1/keys/{id}/rotate', { params }), null);
    if (made) showKey(made);
    reload();
  };
  const ask = () =>
    confirm({ title: `Revoke “${key.name}”?`, text: 'Programs that use it are refused at once.', yes: 'Revoke', act: revoke });
  const text = 'You get a new key. The old one works for one more day.';
  const askRotate = () => confirm({ title: `Rotate “${key.name}”?`, text, yes: 'Rotate', act: rotate });
  return html`<li><div class="what"><strong>${key.name}</strong> <code>${key.prefix ?? 'svc-'}…</code>
      <span class="soft">${key.scopes?.join(', ') ?? 'everything that you may do'}</span>
      <span class="soft">Used: ${key.last_used_at ? html`<${Time} at=${key.last_used_at} />` : 'never'} · ${isOver(key) ? 'ended' : 'ends'}: ${key.expires_at ? html`<${Time} at=${key.expires_at} />` : 'never'}</span></div>
    <div class="actions"><button type="button" class="plain" aria-label=${`Rotate ${key.name}`} onClick=${askRotate}>Rotate</button>
      <button type="button" class="bad" aria-label=${`Revoke ${key.name}`} onClick=${ask}>Revoke</button></div></li>`;
};

const Keys = () => {
  const open = useSignal(false);
  const loaded = useLoaded('keys', async (signal) => (await api.get('/api/v1/keys', { signal })).keys);
  const made = (key: Schemas['IssuedKey']) => {
    loaded.reload();
    showKey(key);
  };
  const entry = (key: Schemas['Key']) => html`<${KeyEntry} key=${key.id} of=${key} reload=${loaded.reload} />`;
  return html`<${Section} title="My keys" loaded=${loaded} none="You have no keys. A program needs one to use the API as you." entry=${entry}>
      <button type="button" onClick=${setting(open, true)}>New key</button><//>
    ${open.value && html`<${NewKey} close=${setting(open, false)} made=${made} />`}`;
};

const Programs = () => {
  const loaded = useLoaded('grants', async (signal) => (await api.get('/api/v1/grants', { signal })).grants);
  const revoke = ({ id }: Schemas['Grant']) =>
    act(() => api.delete('/api/v1/grants/{id}', { params: { path: { id } } }), 'The program has no access any more.').then(loaded.reload);
  const ask = (grant: Schemas['Grant']) => {
    const title = `Take access away from ${grant.client_host}?`;
    confirm({ title, text: 'It has to ask you again.', yes: 'Take access away', act: () => revoke(grant) });
  };
  const entry = (grant: Schemas['Grant']) =>
    html`<li key=${grant.id}><div class="what"><strong>${grant.client_host}</strong> ${grant.client_name && html`<span class="soft">calls itself “${grant.client_name}”</span>`}
      <span class="soft">${grant.agent_id ? `Tools of the agent ${grant.agent_name ?? grant.agent_id}` : grant.scopes.map((scope) => (scope === 'account' ? 'everything that you may do' : scope)).join(', ')}</span>
      <span class="soft">Allowed: <${Time} at=${grant.created_at} /> · renewed: <${Time} at=${grant.used_at} /></span></div>
      <button type="button" class="bad" aria-label=${`Take access away from ${grant.client_host}`} onClick=${() => ask(grant)}>Take access away</button></li>`;
  return html`<${Section} title="Connected programs" loaded=${loaded} none="No program has access on your behalf." entry=${entry} />`;
};

const People = () => {
  const loaded = useLoaded('users', async (signal) => (await api.get('/api/v1/users', { signal })).users);
  const invite = async ({ id, name }: Schemas['Person']) => {
    const made = await act(() => api.post('/api/v1/users/{id}/invite', { params: { path: { id } } }), null);
    const text = `Give this address to ${name} alone: it sets the password of the account. It works once, for seven days.`;
    if (made) showOnce({ title: `Invitation for ${name}`, text, value: made.url });
    loaded.reload();
  };
  const entry = (person: Schemas['Person']) =>
    html`<li key=${person.id}><div class="what"><strong>${person.name}</strong> <span class="soft">${person.email}</span>
      <span class="facts-line">${person.role} · <${Status} of=${person.status} /></span></div>
      <button type="button" class="plain" aria-label=${person.status === 'active' ? `New password for ${person.name}` : `Invite ${person.name}`} onClick=${() => void invite(person)}>${person.status === 'active' ? 'New password' : 'Invite'}</button></li>`;
  return html`<${Section} title="People" loaded=${loaded} none="There is no one yet." entry=${entry} />
    <p class="soft">The workspace file says who may use the workspace, and what their roles are.</p>`;
};

/** What users decide for themselves, and administrators for the workspace. */
export const Settings = () => {
  const isAdmin = useWho()?.user.role === 'admin';
  const change = (event: Event) => setSingleKeys((event.currentTarget as HTMLInputElement).checked);
  return html`<${Heading} title="Settings" />
    <${Keys} /><${Programs} />${isAdmin && html`<${People} />`}
    <section class="setting"><h2>Keyboard</h2>
      <label class="check"><input type="checkbox" checked=${singleKeys.value} onChange=${change} /> <span>Single keys act, such as <kbd>j</kbd> for the next row</span></label></section>
    <${ShownOnce} />`;
};
