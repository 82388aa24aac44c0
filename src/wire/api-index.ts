import * as t from 'io-ts';
import { named } from './kit/codec.ts';
import { closed, list, map, optional } from './kit/structures.ts';
import { boolean, integer, oneOf, uri } from './kit/values.ts';

const authenticationMethod = closed({
  type: oneOf('api_key', 'oauth2'),
  documentationUrl: uri,
  headers: optional(list(t.string)),
  selfServe: optional(boolean),
  credentialCreation: optional(oneOf('available_after_account_access')),
  accountAccess: optional(oneOf('invite_required')),
  flow: optional(t.string),
  metadataUrl: optional(uri),
  scopesSupported: optional(list(t.string)),
});

/** The index of section 2 of the specification: only `resources` may have other properties. */
export const apiIndex = named(
  'ApiIndex',
  closed({
    name: t.string,
    description: optional(t.string),
    version: t.string,
    baseUrl: uri,
    documentationUrl: uri,
    developersUrl: uri,
    openapiUrl: uri,
    llmsTxtUrl: optional(uri),
    authentication: closed({ methods: list(authenticationMethod) }),
    onboarding: closed({
      accountAccess: oneOf('invite_required'),
      accessRequestUrl: uri,
      trial: closed({ available: boolean, durationDays: integer({ min: 1 }), inviteRequired: boolean }),
      publicSandboxAvailable: boolean,
    }),
    rateLimits: closed({
      requests: integer({ min: 1 }),
      windowSeconds: integer({ min: 1 }),
      responseHeaders: list(t.string),
      scope: optional(t.string),
      documentationUrl: optional(uri),
    }),
    versioning: closed({
      strategy: oneOf('url_path'),
      currentVersion: t.string,
      deprecationHeaders: optional(list(t.string)),
      minimumSunsetNoticeDays: optional(integer({ min: 0 })),
      documentationUrl: optional(uri),
    }),
    resources: map(t.string),
    clients: optional(closed({ cli: optional(uri), cliDocumentationUrl: optional(uri) })),
    webhooksDocumentationUrl: optional(uri),
  }),
);

export type ApiIndex = t.TypeOf<typeof apiIndex>;
export type AuthenticationMethod = t.TypeOf<typeof authenticationMethod>;
