import { examplePerson, person } from '../../../wire/account.ts';
import { about, list, wire } from '../../../wire/kit/structures.ts';
import { dateTime, uri, uuid } from '../../../wire/kit/values.ts';
import { operation } from '../operation.ts';

const forAdmins = { tag: 'People', access: 'api-key', adminOnly: true } as const;

export const listUsers = operation({
  id: 'listUsers',
  method: 'get',
  path: '/users',
  resource: 'users',
  ...forAdmins,
  summary: 'List the users of the workspace',
  description:
    'Who may use the workspace, by email. The workspace file adds and removes users and says what their roles are.',
  success: { description: 'The users.', data: wire({ users: list(person) }), example: { users: [examplePerson] } },
  handle: async ({ people }, { caller }) => ({ users: await people.list(caller) }),
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
  params: wire({ id: about('The user.', uuid) }),
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
  refuses: ['not_found'],
  handle: ({ people }, { caller, params: { id } }) => people.invite(caller, id),
});
