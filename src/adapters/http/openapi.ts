import { scopes } from '../../domain/access.ts';
import type { JsonSchema } from '../../domain/json.ts';
import { DESCRIPTION, SUNSET_NOTICE_DAYS, VERSION } from './api-index.ts';
import type { LimitSettings } from './limits.ts';
import { errorBody, responseHeaders } from './openapi-components.ts';
import { toolEndpointPath } from './openapi-mcp.ts';
import { operationObject } from './openapi-operation.ts';
import { webhookObjects, webhookParameters } from './openapi-webhooks.ts';
import { API, MCP_PATH, type Operation, type Urls } from './operation.ts';

const TAGS: Readonly<Record<string, string>> = {
  Discovery: 'What the API says of itself.',
  Agents: 'The agents you can see, and uploads for them.',
  Runs: 'Work that agents do in the background.',
  Documents: 'What runs produce, and its way into a system of record.',
  Search: 'The web, summed up with its sources.',
  Threads: 'Conversations with agents: what was said in them, and saying more.',
  'Sandbox snapshots': 'States of sandboxes that clients keep beside conversations.',
  Tools: 'The tools of an agent, for programs that speak the Model Context Protocol.',
  Webhooks: 'What the server tells the webhooks of a workspace, each signed by the Standard Webhooks specification.',
};

const description = (limits: LimitSettings) => `${DESCRIPTION}

Every answer carries \`X-Request-Id\` (yours, where you send one) and the state of the tightest rate limit it passed through. Times are RFC 3339 in
UTC with milliseconds; an absent value is \`null\`. Unknown query parameters and unknown body properties are ignored unless said otherwise; new
fields may appear in answers at any time. \`HEAD\` works wherever \`GET\` does.

**Limits.** ${limits.requests} requests per ${limits.windowSeconds} seconds and credential; without a valid credential, per client address.

**Scopes.** An API key may be limited to a list of scopes: it then does what they name and nothing else, and operations that name no scope answer 403
(\`missing_scope\`). A key without a list does everything its user may do.

**Tools.** Each agent offers its tools over the Model Context Protocol at its \`mcp_url\`, \`${API}${MCP_PATH}\`.

**Deprecation** is announced by \`Deprecation\` and \`Sunset\` headers, at least ${SUNSET_NOTICE_DAYS} days before the sunset.`;

const securitySchemes = ({ auth }: Urls) => ({
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key, beginning with `svc-`.' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, or an OAuth access token (`svcpt_…`) where the operation names a scope.',
  },
  oauth2: {
    type: 'oauth2',
    description: 'Access tokens are granted the scopes that were asked for.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${auth}/oauth/authorize`,
        tokenUrl: `${auth}/oauth/token`,
        refreshUrl: `${auth}/oauth/token`,
        scopes,
      },
    },
  },
});

const inOrder = (components: ReadonlyMap<string, object>) =>
  Object.fromEntries([...components].toSorted(([one], [other]) => (one < other ? -1 : 1)));

export type OpenApi = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 description, a fold over the list of operations: what is not declared there is not in it. */
export const openapi = (operations: readonly Operation[], urls: Urls, limits: LimitSettings): OpenApi => {
  const components = new Map<string, JsonSchema>([['Error', errorBody]]);
  const responses = new Map<string, object>();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const op of operations) {
    const path = `${API}${op.path}`;
    paths[path] ??= {};
    paths[path][op.method] = operationObject(op, { components, responses, limits, urls });
  }
  const { requests: limit, windowSeconds } = limits;
  const perCredential = [{ name: 'credential', limit, per: 'credential', window_seconds: windowSeconds }];
  paths[API + MCP_PATH] = toolEndpointPath(components, perCredential);
  const webhooks = webhookObjects(components);
  const tags = [...new Set([...operations.map(({ tag }) => tag), 'Tools', 'Webhooks'])];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Portico',
      version: VERSION,
      summary: 'Agents, and the data behind them, for programs.',
      description: description(limits),
    },
    servers: [{ url: urls.base }],
    externalDocs: { url: `${urls.base}/developers`, description: 'Guide' },
    tags: tags.map((name) => ({ name, ...(TAGS[name] && { description: TAGS[name] }) })),
    paths,
    webhooks,
    components: {
      schemas: inOrder(components),
      responses: inOrder(responses),
      parameters: webhookParameters,
      headers: responseHeaders,
      securitySchemes: securitySchemes(urls),
    },
  };
};
