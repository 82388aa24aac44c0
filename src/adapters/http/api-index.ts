import type { ApiIndex, AuthenticationMethod } from '../../wire/api-index.ts';
import { type LimitSettings, RATE_LIMIT_HEADERS } from './limits.ts';
import { API, MCP_PATH, type Operation, type Urls } from './operation.ts';

/** The metadata of the authorization server (RFC 8414); null if there is none. */
export type OAuth = { readonly metadataUrl: string; readonly scopesSupported: readonly string[] } | null;

export const VERSION = 'v1';
export const SUNSET_NOTICE_DAYS = 180;
export const DEPRECATION_HEADERS = ['Deprecation', 'Sunset'] as const;
export const DESCRIPTION =
  'Run AI agents on files and messages, read the documents they produce, and deliver them to a system of record.';

const methodsOf = (documentationUrl: string, oauth: OAuth): AuthenticationMethod[] => {
  const apiKey: AuthenticationMethod = {
    type: 'api_key',
    documentationUrl,
    headers: ['X-API-Key', 'Authorization'],
    selfServe: false,
    credentialCreation: 'available_after_account_access',
    accountAccess: 'invite_required',
  };
  return oauth ? [apiKey, { type: 'oauth2', documentationUrl, flow: 'authorization_code', ...oauth }] : [apiKey];
};

/** The index of the API. It stays the same while the server runs. */
export const indexOf = (
  operations: readonly Operation[],
  urls: Urls,
  limits: LimitSettings,
  oauth: OAuth,
): ApiIndex => {
  const developersUrl = `${urls.base}/developers`;
  return {
    name: 'Portico',
    description: DESCRIPTION,
    version: VERSION,
    baseUrl: urls.base,
    documentationUrl: `${urls.base}/docs`,
    developersUrl,
    openapiUrl: `${urls.base}/openapi.yaml`,
    llmsTxtUrl: `${urls.base}/llms.txt`,
    authentication: { methods: methodsOf(`${developersUrl}#authentication`, oauth) },
    onboarding: {
      accountAccess: 'invite_required',
      accessRequestUrl: `${developersUrl}#access`,
      trial: { available: false, durationDays: 1, inviteRequired: true },
      publicSandboxAvailable: false,
    },
    rateLimits: {
      requests: limits.requests,
      windowSeconds: limits.windowSeconds,
      responseHeaders: [...RATE_LIMIT_HEADERS],
      scope: 'credential',
      documentationUrl: `${developersUrl}#limits`,
    },
    versioning: {
      strategy: 'url_path',
      currentVersion: VERSION,
      deprecationHeaders: [...DEPRECATION_HEADERS],
      minimumSunsetNoticeDays: SUNSET_NOTICE_DAYS,
      documentationUrl: `${developersUrl}#versioning`,
    },
    resources: {
      ...Object.fromEntries(operations.map(({ resource, path }) => [resource, `${urls.base}${API}${path}`])),
      agent_mcp: urls.base + API + MCP_PATH,
    },
    clients: { cli: `${developersUrl}#command-line`, cliDocumentationUrl: `${developersUrl}#command-line` },
  };
};
