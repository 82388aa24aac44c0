import { useQuery } from '@tanstack/preact-query';
import type { Schemas } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { useWho } from '../parts/agents.ts';
import { Heading, LoadedList, Status, Time } from '../parts/basics.tsx';
import { confirm, FormDialog, showDialog, showOnce } from '../parts/dialogs.tsx';
import { notify, RowAction } from '../parts/notice.tsx';
import { reading } from '../queries.ts';
import { passwords } from '../settings.ts';

type Person = Schemas['Person'];
type Reload = () => void;

const roles = {
  member: 'Member: works with what they see',
  viewer: 'Viewer: reads, and changes nothing',
  admin: 'Administrator: also manages people and keys',
} as const;
type Role = keyof typeof roles;

const waysIn = { password: 'with a password', oidc: 'at the organisation', none: 'by a link only' } as const;

/** Whoever was here without a password came by a link, and needs no invitation. */
const statusOf = ({ disabled, status, last_seen_at: seen }: Person): string => {
  if (disabled) return 'disabled';
  return status === 'not_invited' && seen !== null ? 'active' : status;
};

const RoleField = ({ chosen }: { readonly chosen: Role }) => (
  <label class="field">
    Role
    <select name="role">
      {Object.entries(roles).map(([value, text]) => (
        <option value={value} selected={value === chosen}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

const NameField = ({ name = '' }: { readonly name?: string }) => (
  <label class="field">
    Name
    <input type="text" name="name" required maxlength={200} value={name} autocomplete="off" />
  </label>
);

const textOf = (entered: FormData, name: string) => String(entered.get(name) ?? '').trim();
const roleOf = (entered: FormData) => textOf(entered, 'role') as Role;

const addPerson = (after: Reload) =>
  showDialog(
    <FormDialog
      title="Add a person"
      yes="Add"
      busy="Adding…"
      submit={(entered) => {
        const body = { email: textOf(entered, 'email'), name: textOf(entered, 'name'), role: roleOf(entered) };
        return api.post('/api/v1/users', { body });
      }}
      after={({ name }) => {
        notify(`${name} was added.`);
        after();
      }}
    >
      <label class="field">
        Email address
        <input type="email" name="email" required maxlength={254} autocomplete="off" />
      </label>
      <NameField />
      <RoleField chosen="member" />
    </FormDialog>,
  );

const change = (id: string, body: { name?: string; role?: Role; disabled?: boolean }) =>
  api.patch('/api/v1/users/{id}', { params: { path: { id } }, body });

const editPerson = ({ id, name, role }: Person, isOwn: boolean, after: Reload) =>
  showDialog(
    <FormDialog
      title={`Change ${name}`}
      yes="Save"
      busy="Saving…"
      submit={(entered) => change(id, { name: textOf(entered, 'name'), ...(!isOwn && { role: roleOf(entered) }) })}
      after={() => {
        notify('The change is saved.');
        after();
      }}
    >
      <NameField name={name} />
      {isOwn ? <p class="soft">Your own role is for another administrator to change.</p> : <RoleField chosen={role} />}
      <p class="soft">Of people whom the workspace file names, the next apply sets name and role as the file says.</p>
    </FormDialog>,
  );

const disable = ({ id, name }: Person, after: Reload) =>
  confirm({
    title: `Disable ${name}?`,
    text: 'Nothing of theirs works any more, within seconds, until an administrator enables them again.',
    points: [
      'They are signed out everywhere, and programs lose the access that they gave: for good.',
      'Their API keys are refused, and work again once they are enabled.',
      'What they made stays.',
    ],
    yes: 'Disable',
    does: () => change(id, { disabled: true }),
    done: `${name} is disabled.`,
    after,
  });

const enable = ({ id, name }: Person, after: Reload) =>
  confirm({
    title: `Enable ${name}?`,
    text: 'They can sign in again, and their API keys work again.',
    yes: 'Enable',
    does: () => change(id, { disabled: false }),
    done: `${name} is enabled.`,
    after,
  });

const invite = async ({ id, name }: Person) => {
  const { url: value } = await api.post('/api/v1/users/{id}/invite', { params: { path: { id } } });
  const text = `Give this address to ${name} alone: it sets the password of the account. It works once, for seven days.`;
  showOnce({ title: `Invitation for ${name}`, text, value });
};

const Actions = ({ of: person, reload }: { readonly of: Person; readonly reload: Reload }) => {
  const { id, name, disabled, status } = person;
  const isOwn = useWho()?.user.id === id;
  const [text, label] =
    status === 'active' ? ['New password', `New password for ${name}`] : ['Invite', `Invite ${name}`];
  return (
    <div class="actions">
      <button
        type="button"
        class="plain"
        aria-label={`Change ${name}`}
        onClick={() => editPerson(person, isOwn, reload)}
      >
        Change
      </button>
      {passwords && !disabled && (
        <RowAction class="plain" aria-label={label} does={() => invite(person)} after={reload}>
          {text}
        </RowAction>
      )}
      {!isOwn && (
        <button
          type="button"
          class={disabled ? 'plain' : 'bad'}
          aria-label={`${disabled ? 'Enable' : 'Disable'} ${name}`}
          onClick={() => (disabled ? enable : disable)(person, reload)}
        >
          {disabled ? 'Enable' : 'Disable'}
        </button>
      )}
    </div>
  );
};

/** Who may use the workspace, for administrators. */
export const People = () => {
  const loaded = useQuery(reading(['users'], async (get) => (await get('/api/v1/users')).users));
  const reload = () => void loaded.refetch();
  const entry = (person: Person) => (
    <li key={person.id}>
      <div class="what">
        <strong>{person.name}</strong> <span class="soft">{person.email}</span>
        <span class="facts-line">
          {person.role} · <Status of={statusOf(person)} />
        </span>
        <span class="soft">
          Signs in: {waysIn[person.sign_in]} · last seen:{' '}
          {person.last_seen_at === null ? 'never' : <Time at={person.last_seen_at} />}
        </span>
      </div>
      <Actions of={person} reload={reload} />
    </li>
  );
  return (
    <>
      <Heading title="People">
        <button type="button" onClick={() => addPerson(reload)}>
          Add a person
        </button>
      </Heading>
      <section class="setting">
        <LoadedList
          of={loaded}
          items={loaded.data}
          look="entries"
          lines={4}
          none="There is no one yet."
          entry={entry}
        />
      </section>
      <p class="soft">
        The workspace file names people too, and says what their names and roles are. Others are added here.
      </p>
    </>
  );
};
