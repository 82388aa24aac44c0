import * as t from 'io-ts';
import { roles } from '../domain/access.ts';
import { exampleId } from './example.ts';
import { about, component, list, nullable, wire } from './kit/structures.ts';
import { integer, oneOf, uuid } from './kit/values.ts';

const count = integer({ min: 0 });

export const identity = component('Identity', {
  user: wire({ id: uuid, email: t.string, name: t.string, role: oneOf(...roles) }),
  workspace: wire({ id: uuid, name: t.string }),
  credential: wire({ id: uuid, kind: oneOf('api_key', 'access_token') }),
  scopes: about('null: everything that the user may do.', nullable(list(t.string))),
  limits: wire({
    windowSeconds: count,
    requests: about('Of one credential in a window.', count),
    runs: about('Of one agent in a window.', count),
    tableReads: about('Of one user in a window.', count),
  }),
});

export const exampleIdentity = {
  user: { id: exampleId(7), email: 'ada@example.com', name: 'Ada Lovelace', role: 'member' },
  workspace: { id: exampleId(8), name: 'acme' },
  credential: { id: exampleId(9), kind: 'api_key' },
  scopes: null,
  limits: { windowSeconds: 60, requests: 100, runs: 30, tableReads: 5 },
} as const;
