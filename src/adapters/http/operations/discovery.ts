import { apiIndex } from '../../../wire/api-index.ts';
import { exampleIdentity, identity } from '../../../wire/identity.ts';
import { indexOf } from '../api-index.ts';
import { limitsFor } from '../limits.ts';
import { operation } from '../operation.ts';

const base = 'https://portico.example.com';

const example = {
  ...indexOf(
    [],
    { base, auth: base, egress: null },
    { requests: 100, windowSeconds: 60, runs: 30, tableReads: 5, console: 1000 },
    null,
  ),
  resources: { agents: `${base}/api/v1/agents`, run: `${base}/api/v1/runs/{id}` },
};

export const getIndex = operation({
  id: 'getIndex',
  method: 'get',
  path: '',
  resource: 'index',
  tag: 'Discovery',
  access: 'public',
  summary: 'Describe this API',
  description:
    'The addresses of the documentation, the OpenAPI description and every resource, authentication, limits and versioning. Needs no credential.',
  success: { description: 'The index.', data: apiIndex, envelope: false, example },
  handle: async ({ index }) => index,
});

export const whoAmI = operation({
  id: 'whoAmI',
  method: 'get',
  path: '/whoami',
  resource: 'whoami',
  tag: 'Discovery',
  access: 'credential',
  summary: 'Describe the caller',
  description:
    'Whose credential this is, what it may do, and the limits that count for it. Works with every credential that does not belong to one agent.',
  success: {
    description: 'The user, the workspace, the credential and its limits.',
    data: identity,
    example: exampleIdentity,
  },
  handle: async ({ profiles, limits }, { caller }) => ({
    ...(await profiles.of(caller)),
    limits: limitsFor(caller, limits),
  }),
});
