import * as t from 'io-ts';
import { examplePerson, person, personFields } from '../../../wire/account.ts';
import { about, list, optional, wire } from '../../../wire/kit/structures.ts';
import { dateTime, uri, uuid } from '../../../wire/kit/values.ts';
import { operation } from '../operation.ts';

const forAdmins = { tag: 'People', access: 'api-key', adminOnly: true } as const;
const ofUser = { params: wire({ id: about('The user.', uuid) }) };

export const listUsers = operation({
  id: 'listUsers',
  method: 'get',
  path: '/users',
  resource: 'users',
  ...forAdmins,
  summary: 'List the users of the workspace',
  description:
    'Who may use the workspace, by email. Of those whom the workspace file names, the file says the name and the role; others are added here.',
  success: { description: 'The users.', data: wire({ users: list(person) }), example: { users: [examplePerson] } },
  handle: async ({ people }, { caller }) => ({ users: await people.list(caller) }),
});

export const addUser = operation({
  id: 'addUser',
  method: 'post',
  path: '/users',
  resource: 'users',
  writes: true,
  ...forAdmins,
  summary: 'Add a user',
  description:
    'Adds a user to the workspace, besides those whom the workspace file names: applying the file keeps them. An address that a user of this server has is 409 `email_taken`.',
  body: wire(personFields),
  example: { body: { email: 'grace@example.com', name: 'Grace Hopper', role: 'member' as const } },
  success: { status: 201, description: 'The user.', data: person, example: examplePerson },
  refuses: ['email_taken'],
  handle: ({ people }, { caller, body }) => people.add(caller, body),
});

export const changeUser = operation({
  id: 'changeUser',
  method: 'patch',
  path: '/users/{id}',
  resource: 'user',
  writes: true,
  ...forAdmins,
  ...ofUser,
  summary: 'Change a user',
  description:
    'Changes the name or the role of a user, or disables or enables the user. Disabling ends the sessions of the user and the access of their programs; their keys, streams and waiting requests are refused within 5 seconds on every process, and keys work again once the user is enabled. ' +
    'Your own role and state are 409 `own_account`, the last administrator is 409 `last_admin`. Of a user whom the workspace file names, the next `apply` sets name and role as the file says, and enables nobody.',
  body: wire({
    name: optional(personFields.name),
    role: optional(personFields.role),
    disabled: optional(t.boolean),
  }),
  example: { params: { id: examplePerson.id }, body: { disabled: true } },
  success: { description: 'The user.', data: person, example: { ...examplePerson, disabled: true } },
  refuses: ['not_found', 'own_account', 'last_admin'],
  handle: ({ people }, { caller, params: { id }, body }) => people.change(caller, id, body),
});

export const inviteUser = operation({
  id: 'inviteUser',
  method: 'post',
  path: '/users/{id}/invite',
  resource: 'user_invite',
  writes: true,
  ...forAdmins,
  summary: 'Invite a user',
  description:
    'Makes an address by which the user sets a password: give it to the user alone. It works once, for seven days, and replaces an earlier one; it is shown this once. ' +
    'A new password ends the sessions of the user and the access of their programs. Takes no body.',
  ...ofUser,
  example: { params: { id: examplePerson.id } },
  success: {
    status: 201,
    description: 'The invitation.',
    data: wire({ url: about('It works once.', uri), expiresAt: dateTime }),
    example: {
      url: 'https://portico.example.com/oauth/invitation/EXAMPLE',
      expiresAt: new Date('2026-11-27T09:30:00.000Z'),
    },
  },
  refuses: ['not_found', 'conflict'],
  handle: ({ people }, { caller, params: { id } }) => people.invite(caller, id),
});
