import type { Role } from '../../domain/access.ts';
import { callerAsDoer, type Doer } from '../../domain/audit.ts';
import { type Caller, keyOf, mustBeAdmin } from '../../domain/caller.ts';
import { DomainError, mustExist } from '../../domain/errors.ts';
import type { PeopleRepository, Person, PersonChanges } from '../ports/people.ts';
import type { Clock, Ids, Log } from '../ports/runtime.ts';
import type { AccountService, PasswordSettings } from './accounts.ts';

export interface NewPerson {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

/** What people are added with, by administrators and the operator alike. */
export interface PeoplePorts {
  readonly people: PeopleRepository;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly settings: PasswordSettings;
}

/** A password that nobody may sign in with is no way to. */
export const shownBy = <T extends Person>({ passwords }: PasswordSettings, person: T): T =>
  passwords === 'off' && person.signIn === 'password' ? { ...person, signIn: 'none' } : person;

interface Dependencies extends PeoplePorts {
  readonly invitations: Pick<AccountService, 'invite'>;
  readonly log: Log;
}

/** Adds a user whom no workspace file names. */
export const addPerson = async (
  { people, ids, clock }: PeoplePorts,
  workspaceId: string,
  person: NewPerson,
  by: Doer,
) => {
  const { email, name, role } = person;
  const user = { id: ids.next(), workspaceId, email: email.toLowerCase(), name, role, createdAt: clock.now() };
  const added = await people.add(user, by);
  if (added) return added;
  throw new DomainError('conflict', `The address ${email} belongs to a user already.`, { code: 'email_taken' });
};

/** Whoever may administer could shut everybody out by mistake, but for themselves. */
const mustBeAnother = ({ userId, role }: Caller, id: string, changes: PersonChanges) => {
  const isOther = userId !== id;
  const keeps = (changes.role ?? role) === role && changes.disabled !== true;
  if (isOther || keeps) return;
  throw new DomainError('conflict', 'Your own role and state are for another administrator to change.', {
    code: 'own_account',
  });
};

/** The users of a workspace, for its administrators. Of those whom the workspace file names, the file says the name and the role. */
export const peopleService = ({ invitations, log, ...ports }: Dependencies) => {
  const { people } = ports;
  const shown = (person: Person) => shownBy(ports.settings, person);
  const note = ({ userId, credential }: Caller, id: string, what: string, more = {}) =>
    log.info({ changed_user_id: id, user_id: userId, credential_id: credential.id, ...more }, what);

  return {
    /** By email. */
    async list(caller: Caller) {
      mustBeAdmin(caller);
      return (await people.list(caller.workspaceId)).map(shown);
    },

    async add(caller: Caller, person: NewPerson): Promise<Person> {
      mustBeAdmin(caller);
      const added = await addPerson(ports, caller.workspaceId, person, callerAsDoer(caller));
      note(caller, added.id, 'a user was added');
      return added;
    },

    /** Nothing of a user who is disabled works any more, on any process, until they are enabled again. */
    async change(caller: Caller, id: string, changes: PersonChanges): Promise<Person> {
      mustBeAdmin(caller);
      mustBeAnother(caller, id, changes);
      const changed = mustExist(await people.change(caller.workspaceId, id, changes, callerAsDoer(caller)), 'user');
      note(caller, id, 'a user was changed', { role: changed.role, disabled: changed.disabled });
      return shown(changed);
    },

    /** A link by which the user sets a password, as the operator makes it. It ends with the key that is used for it. */
    async invite(caller: Caller, userId: string) {
      mustBeAdmin(caller);
      const everyone = await people.list(caller.workspaceId);
      const person = mustExist(
        everyone.find(({ id }) => id === userId),
        'user',
      );
      if (person.disabled) throw new DomainError('conflict', 'The user is disabled: enable the user first.');
      const inviter = { userId: caller.userId, keyId: keyOf(caller) };
      const invitation = await invitations.invite(person.email, inviter, callerAsDoer(caller));
      note(caller, userId, 'a user was invited');
      return invitation;
    },
  };
};

export type PeopleService = ReturnType<typeof peopleService>;
