import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import type { Schemas } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { Heading, LoadedList, Time } from '../parts/basics.tsx';
import { confirm, FormDialog, SingleKeys, showDialog, showOnce } from '../parts/dialogs.tsx';
import { notify } from '../parts/notice.tsx';
import { type Loaded, reading } from '../queries.ts';

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

const makeKey = (entered: FormData) => {
  const text = (name: string) => String(entered.get(name) ?? '');
  const name = text('name').trim();
  const scopes = choices[text('scopes')]?.scopes ?? null;
  return api.post('/api/v1/keys', { body: { name, scopes, expires_in_days: Number(text('days')) || null } });
};

/** The form that makes a key. */
const NewKey = ({ made }: { readonly made: (key: Schemas['IssuedKey']) => void }) => (
  <FormDialog title="New key" yes="Make the key" busy="Making it…" submit={makeKey} after={made}>
    <label class="field">
      Name
      <input type="text" name="name" required maxlength={100} placeholder="What it is for" />
    </label>
    <label class="field">
      It may
      <select name="scopes">
        {Object.entries(choices).map(([value, { text }]) => (
          <option value={value}>{text}</option>
        ))}
      </select>
    </label>
    <label class="field">
      It works for
      <select name="days">
        {lifetimes.map(([value, text]) => (
          <option value={value} selected={value === '90'}>
            {text}
          </option>
        ))}
      </select>
    </label>
  </FormDialog>
);

interface SectionProps<T> {
  readonly title: string;
  readonly loaded: Loaded<readonly T[]>;
  readonly none: string;
  readonly entry: (each: T) => ComponentChildren;
  readonly children?: ComponentChildren;
}

const Section = <T,>({ title, loaded, none, entry, children }: SectionProps<T>) => (
  <section class="setting">
    <div class="heading">
      <h2>{title}</h2>
      <div class="actions">{children}</div>
    </div>
    <LoadedList of={loaded} items={loaded.data} look="entries" lines={3} none={none} entry={entry} />
  </section>
);

const isOver = ({ expires_at: end }: Schemas['Key']) => end !== null && Date.parse(end) <= Date.now();

/** The key is null where the answer to the first attempt was lost on its way. */
const showKey = ({ name, key }: Schemas['IssuedKey']) => {
  if (key === null)
    return notify(`The key “${name}” was made, but its text did not arrive. Rotate it to get a new one.`, true);
  showOnce({
    title: 'Your new key',
    text: `Copy the key “${name}” now: it is not shown again. Give it to no one else.`,
    value: key,
  });
};

const KeyEntry = ({ of: key, reload }: { readonly of: Schemas['Key']; readonly reload: () => void }) => {
  const { name, last_used_at: used, expires_at: end } = key;
  const params = { path: { id: key.id } };
  const revoke = () =>
    confirm({
      title: `Revoke “${name}”?`,
      text: 'Programs that use it are refused at once.',
      yes: 'Revoke',
      does: () => api.delete('/api/v1/keys/{id}', { params }),
      done: 'The key is revoked.',
      after: reload,
    });
  const rotate = () =>
    confirm({
      title: `Rotate “${name}”?`,
      text: 'You get a new key. The old one works for one more day.',
      yes: 'Rotate',
      does: async () => showKey(await api.post('/api/v1/keys/{id}/rotate', { params })),
      after: reload,
    });
  return (
    <li>
      <div class="what">
        <strong>{name}</strong> <code>{key.prefix}…</code>
        <span class="soft">{key.scopes?.join(', ') ?? 'everything that you may do'}</span>
        <span class="soft">
          Used: {used ? <Time at={used} /> : 'never'} · {isOver(key) ? 'ended' : 'ends'}:{' '}
          {end ? <Time at={end} /> : 'never'}
        </span>
      </div>
      <div class="actions">
        <button type="button" class="plain" aria-label={`Rotate ${name}`} onClick={rotate}>
          Rotate
        </button>
        <button type="button" class="bad" aria-label={`Revoke ${name}`} onClick={revoke}>
          Revoke
        </button>
      </div>
    </li>
  );
};

const Keys = () => {
  const loaded = useQuery(reading(['keys'], async (get) => (await get('/api/v1/keys')).keys));
  const made = (key: Schemas['IssuedKey']) => {
    void loaded.refetch();
    showKey(key);
  };
  const entry = (key: Schemas['Key']) => <KeyEntry key={key.id} of={key} reload={loaded.refetch} />;
  return (
    <Section
      title="My keys"
      loaded={loaded}
      none="You have no keys. A program needs one to use the API as you."
      entry={entry}
    >
      <button type="button" onClick={() => showDialog(<NewKey made={made} />)}>
        New key
      </button>
    </Section>
  );
};

const Programs = () => {
  const loaded = useQuery(reading(['grants'], async (get) => (await get('/api/v1/grants')).grants));
  const revoke = ({ id, client_host: host }: Schemas['Grant']) =>
    confirm({
      title: `Take access away from ${host}?`,
      text: 'It has to ask you again.',
      yes: 'Take access away',
      does: () => api.delete('/api/v1/grants/{id}', { params: { path: { id } } }),
      done: 'The program has no access any more.',
      after: loaded.refetch,
    });
  const entry = (grant: Schemas['Grant']) => (
    <li key={grant.id}>
      <div class="what">
        <strong>{grant.client_host}</strong>{' '}
        {grant.client_name && <span class="soft">calls itself “{grant.client_name}”</span>}
        <span class="soft">
          {grant.agent_id
            ? `Tools of the agent ${grant.agent_name ?? grant.agent_id}`
            : grant.scopes.map((scope) => (scope === 'account' ? 'everything that you may do' : scope)).join(', ')}
        </span>
        <span class="soft">
          Allowed: <Time at={grant.created_at} /> · renewed: <Time at={grant.used_at} />
        </span>
      </div>
      <button
        type="button"
        class="bad"
        aria-label={`Take access away from ${grant.client_host}`}
        onClick={() => revoke(grant)}
      >
        Take access away
      </button>
    </li>
  );
  return (
    <Section title="Connected programs" loaded={loaded} none="No program has access on your behalf." entry={entry} />
  );
};

/** What users decide for themselves. */
export const Settings = () => (
  <>
    <Heading title="Settings" />
    <Keys />
    <Programs />
    <section class="setting">
      <h2>Keyboard</h2>
      <SingleKeys>
        Single keys act, such as <kbd>j</kbd> for the next row
      </SingleKeys>
    </section>
  </>
);
