import * as t from 'io-ts';
import { roles, type Scope, scopes } from '../domain/access.ts';
import { exampleIdentity } from './identity.ts';
import { about, component, list, nullable } from './kit/structures.ts';
import { dateTime, notBlank, oneOf, text, uuid } from './kit/values.ts';

const scope = oneOf(...(Object.keys(scopes) as Scope[]));
export const scopeList = about(
  'null: everything that the user may do.',
  nullable(list(scope, { max: Object.keys(scopes).length })),
);

const key = {
  id: uuid,
  name: t.string,
  prefix: about('How the key begins.', t.string),
  scopes: scopeList,
  madeWith: about(
    'The key that it was made with, and ends with; null if you were signed in, or the operator made it.',
    nullable(uuid),
  ),
  createdAt: dateTime,
  lastUsedAt: about('To the minute.', nullable(dateTime)),
  expiresAt: about('null: it does not.', nullable(dateTime)),
};

export const ownKey = component('Key', key);
export const issuedKey = component('IssuedKey', {
  ...key,
  key: about(
    'The key itself. It is shown this once and not stored: null where an `Idempotency-Key` repeats the request.',
    nullable(t.string),
  ),
});

/** What a user says of a key. */
export const keyFields = { name: about('What it is for.', notBlank(100)) };

/** What is given of a person, as in a workspace file. */
export const personFields = {
  email: text({ max: 254, pattern: /^[^\s@]+@[^\s@]+$/, expected: 'an e-mail address of at most 254 characters' }),
  name: notBlank(200),
  role: oneOf(...roles),
};

export const person = component('Person', {
  id: uuid,
  email: t.string,
  name: t.string,
  role: oneOf(...roles),
  createdAt: dateTime,
  disabled: about('Nothing of a user who is disabled works.', t.boolean),
  signIn: about('How they sign in; `none`: they have no way to yet.', oneOf('password', 'oidc', 'none')),
  lastSeenAt: about('When one of their credentials was used last, to the minute; null: never.', nullable(dateTime)),
  status: about(
    '`active`: they have chosen a password, or signed in at the organisation; `invited`: there is a link by which they can. Keys work in every status.',
    oneOf('active', 'invited', 'not_invited'),
  ),
});

export const grant = component('Grant', {
  id: uuid,
  clientHost: about('Where the program is, or the user was sent back to.', t.string),
  clientName: about('What the program calls itself, which is not verified.', nullable(t.string)),
  agentId: about('The agent whose tools it may use; null if it may use the API.', nullable(uuid)),
  agentName: nullable(t.string),
  scopes: list(t.string),
  createdAt: dateTime,
  usedAt: about('When its access was last renewed.', nullable(dateTime)),
  expiresAt: dateTime,
});

const times = { createdAt: new Date('2026-11-20T09:30:00.000Z'), expiresAt: new Date('2027-02-18T09:30:00.000Z') };

export const exampleKey = {
  id: '01989c0e-65f2-7a1b-8c3d-bbbbbbbbbbb1',
  name: 'Laptop',
  prefix: 'svc-7Qm2',
  scopes: ['agents:read', 'runs:read'],
  ...times,
  lastUsedAt: null,
  madeWith: null,
  key: 'svc-7Qm2EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE1',
} as const;

export const examplePerson = {
  id: exampleIdentity.user.id,
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  role: 'admin',
  status: 'active',
  createdAt: times.createdAt,
  disabled: false,
  signIn: 'password',
  lastSeenAt: new Date('2026-11-27T09:30:00.000Z'),
} as const;

export const exampleGrant = {
  id: '01989c0e-65f2-7a1b-8c3d-bbbbbbbbbbb2',
  userId: examplePerson.id,
  clientId: 'https://app.example.com/client.json',
  clientName: 'Example app',
  clientHost: 'app.example.com',
  resource: 'https://portico.example.com',
  agentId: null,
  agentName: null,
  scopes: ['runs:read'],
  usedAt: null,
  ...times,
} as const;
