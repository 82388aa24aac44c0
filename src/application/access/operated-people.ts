import { operator } from '../../domain/audit.ts';
import { DomainError } from '../../domain/errors.ts';
import type { WorkspaceRepository } from '../ports/storage.ts';
import { addPerson, type NewPerson, type PeoplePorts, shownBy } from './people.ts';

/** Addresses that sign a user in once, for half an hour. */
interface SignInLinks {
  create(userId: string): Promise<{ readonly url: string; readonly expiresAt: Date }>;
}

interface Dependencies extends PeoplePorts {
  readonly links: SignInLinks;
  readonly workspaces: Pick<WorkspaceRepository, 'findByName'>;
}

/** The users of every workspace, for the operator. */
export const operatedPeople = ({ workspaces, links, ...ports }: Dependencies) => {
  const { people } = ports;

  const userOf = async (email: string) => {
    const user = (await people.listAll()).find((each) => each.email === email.toLowerCase());
    if (user) return user;
    throw new DomainError('not_found', `There is no user ${email}.`);
  };

  /** The one that is meant where the server has one alone. */
  const workspaceIdOf = async (name: string | null) => {
    if (name !== null) {
      const state = await workspaces.findByName(name);
      if (state) return state.workspace.id;
      throw new DomainError('not_found', `There is no workspace ${name}.`);
    }
    const ids = [...new Set((await people.listAll()).map(({ workspaceId }) => workspaceId))];
    const [only] = ids;
    if (only !== undefined && ids.length === 1) return only;
    throw new DomainError('invalid', 'Say which workspace the user is for: the server does not have exactly one.');
  };

  return {
    list: async () => (await people.listAll()).map((person) => shownBy(ports.settings, person)),

    add: async (person: NewPerson, workspace: string | null) =>
      addPerson(ports, await workspaceIdOf(workspace), person, operator),

    /** A way in where the organisation's sign-in is away, and for nobody who is disabled. */
    async link(email: string) {
      const { id, disabled } = await userOf(email);
      if (disabled) throw new DomainError('conflict', `The user ${email} is disabled: enable the user first.`);
      return links.create(id);
    },

    /** A person whom the organisation lets go, or lets in again. */
    async setDisabled(email: string, disabled: boolean) {
      const { id, workspaceId } = await userOf(email);
      return people.change(workspaceId, id, { disabled }, operator);
    },
  };
};

export type OperatedPeople = ReturnType<typeof operatedPeople>;
