import { MOST_KEYS } from '../../../domain/access.ts';
import { exampleGrant, exampleKey, grant, issuedKey, keyFields, ownKey, scopeList } from '../../../wire/account.ts';
import { about, list, nullable, optional, wire, withDefault } from '../../../wire/kit/structures.ts';
import { integer, integerParameter, positionCursor, text, uuid } from '../../../wire/kit/values.ts';
import { operation } from '../operation.ts';
import { cursorPaging } from '../parameters.ts';

const DAY_SECONDS = 86_400;
const { key: _, ...exampleListed } = exampleKey;

const keys = { tag: 'Account', access: 'api-key' } as const;
const ofKey = { params: wire({ id: about('The key.', uuid) }), refuses: ['not_found'] } as const;
const rights =
  'A key may do what its user may do, or what its scopes name. One that is made with a key ends with that key, if not before, and its requests ' +
  `count as those of that key. A user has at most ${MOST_KEYS} keys that work. `;

export const listKeys = operation({
  id: 'listKeys',
  method: 'get',
  path: '/keys',
  resource: 'keys',
  ...keys,
  summary: 'List your keys',
  description:
    'Your keys, newest first, without those that were revoked, or, for administrators, those of another user of the workspace. The keys ' +
    'themselves are never shown again.',
  query: wire({
    user: about(
      'Whose keys: the id or the email of a user. Without it: yours.',
      optional(text({ min: 1, max: 254 })),
      'ada@example.com',
    ),
    ...cursorPaging(positionCursor, 100),
  }),
  example: { query: { limit: 100 } },
  success: {
    description: 'A page of keys; `next` is null on the last one.',
    data: wire({ keys: list(ownKey), next: nullable(positionCursor) }),
    example: { keys: [exampleListed], next: null },
  },
  refuses: ['not_found'],
  handle: ({ ownKeys }, { caller, query: { user = null, limit, after = null } }) =>
    ownKeys.list(caller, user, { limit, after }),
});

/** Where the request was interrupted, no client knows the key that it made. */
const SHOWN_ONCE = { again: true, shownOnce: 'key' } as const;

export const createKey = operation({
  id: 'createKey',
  method: 'post',
  path: '/keys',
  resource: 'keys',
  ...keys,
  idempotent: SHOWN_ONCE,
  summary: 'Make a key',
  description: `A key of the user who asks. ${rights}The answer shows the key, once.`,
  body: wire({
    ...keyFields,
    scopes: optional(scopeList),
    expiresInDays: about('null: it does not expire.', optional(nullable(integer({ min: 1, max: 3650 })))),
  }),
  example: { body: { name: 'Laptop', scopes: ['agents:read', 'runs:read'], expiresInDays: 90 } },
  success: { status: 201, description: 'The key.', data: issuedKey, example: exampleKey },
  refuses: ['too_many_keys'],
  handle: ({ ownKeys }, { caller, body: { name, scopes = null, expiresInDays = null } }) =>
    ownKeys.create(caller, { name, scopes, lifetimeDays: expiresInDays }),
});

export const revokeKey = operation({
  id: 'revokeKey',
  method: 'delete',
  path: '/keys/{id}',
  resource: 'key',
  ...keys,
  ...ofKey,
  summary: 'Revoke a key',
  description:
    'Ends one of your keys at once, also the one that asks, or, for administrators, a key of another user of the workspace. What was made with ' +
    'the key, keys and invitations, ends with it, and so on; so does a key that it made in its own place, while both work, unless one of them ' +
    'asks. Revoking it again is 200 too.',
  example: { params: { id: exampleKey.id } },
  success: { description: 'The key is revoked.', data: wire({ id: uuid }), example: { id: exampleKey.id } },
  async handle({ ownKeys }, { caller, params: { id } }) {
    await ownKeys.revoke(caller, id);
    return { id };
  },
});

export const rotateKey = operation({
  id: 'rotateKey',
  method: 'post',
  path: '/keys/{id}/rotate',
  resource: 'key_rotate',
  ...keys,
  ...ofKey,
  idempotent: SHOWN_ONCE,
  summary: 'Rotate a key',
  description: `Makes a key with the name, the scopes and the lifetime of one of yours, which goes on working for a while and then ends with what was made with it. ${rights}The answer shows the new key, once.`,
  query: wire({
    overlapSeconds: about(
      'How long the old key goes on working, if it does not end before.',
      withDefault(integerParameter({ min: 0, max: 30 * DAY_SECONDS }), DAY_SECONDS),
    ),
  }),
  example: { params: { id: exampleKey.id }, query: { overlapSeconds: DAY_SECONDS } },
  success: { status: 201, description: 'The new key.', data: issuedKey, example: exampleKey },
  refuses: ['not_found', 'too_many_keys', 'conflict'],
  handle: ({ ownKeys }, { caller, params: { id }, query: { overlapSeconds } }) =>
    ownKeys.rotate(caller, id, overlapSeconds),
});

export const listGrants = operation({
  id: 'listGrants',
  method: 'get',
  path: '/grants',
  resource: 'grants',
  ...keys,
  summary: 'List programs with access',
  description: 'The programs that you have allowed to use Portico on your behalf, newest first; 200 at most.',
  success: { description: 'Your grants.', data: wire({ grants: list(grant) }), example: { grants: [exampleGrant] } },
  handle: async ({ grants }, { caller }) => ({ grants: await grants.list(caller) }),
});

export const revokeGrant = operation({
  id: 'revokeGrant',
  method: 'delete',
  path: '/grants/{id}',
  resource: 'grant',
  ...keys,
  refuses: ['not_found'],
  summary: 'Take the access of a program away',
  description: 'Ends the access of the program at once: its tokens stop working.',
  params: wire({ id: about('The grant.', uuid) }),
  example: { params: { id: exampleGrant.id } },
  success: { description: 'The access has ended.', data: wire({ id: uuid }), example: { id: exampleGrant.id } },
  async handle({ grants }, { caller, params: { id } }) {
    await grants.revoke(caller, id);
    return { id };
  },
});
