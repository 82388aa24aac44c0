import { ACCOUNT, scopes as apiScopes, TOOLS } from '../../domain/access.ts';
import { DomainError } from '../../domain/errors.ts';
import type { AgentResources } from './resources.ts';

/** Our own names for what has no resource indicator: the API, and an agent that the user is going to choose. */
export const API = 'urn:portico:api';
export const AGENT_OF_CHOICE = 'urn:portico:agent-of-choice';

export const API_SCOPES: readonly string[] = Object.keys(apiScopes);
/** Those of a token for an agent: all of its tools, or the tools that the others grant. */
export const TOOL_SCOPES: readonly string[] = [...API_SCOPES, TOOLS];

/** The client id of the console, which alone is given the scope `account`, and nothing else. */
export const CONSOLE = 'portico-console';

/** Stands for any resource indicator that is not one of ours. */
const NO_RESOURCE = 'urn:portico:none';

/** The parameters that we keep. All others, those of OpenID Connect too, are ignored (RFC 6749 section 3.1). */
const PARAMETERS = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'resource',
  'prompt',
  'login_hint',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
  'registration',
]);

/** Anyone can send a request, and it is stored for an hour. */
const MAX_PARAMETER_BYTES = 2048;

/** Unknown scopes are left out (RFC 6749 section 3.3). */
const known = (scope: string | null, scopes: readonly string[]): readonly string[] =>
  [...new Set((scope ?? '').split(' '))].filter((name) => scopes.includes(name));

/** All tools are more than the tools of another scope, and what a client wants that names no scope of ours. */
const toolScope = (scope: string | null): string => {
  const named = known(scope, TOOL_SCOPES);
  return named.length === 0 || named.includes(TOOLS) ? TOOLS : named.join(' ');
};

/**
 * What a request asks for, as the rest of the server knows it: scopes of the API without a resource, or tools of an agent. Some clients
 * send neither a resource nor a scope of the API: they want the tools of an agent that the user chooses.
 */
export const normalisedTarget = (scope: string | null, resource: readonly string[], resources: AgentResources) => {
  const named = resource.filter((each) => each !== '');
  const [first] = named;
  if (first === undefined) {
    const ofApi = known(scope, API_SCOPES);
    return ofApi.length > 0 ? { scope: ofApi.join(' '), resource: API } : { scope: TOOLS, resource: AGENT_OF_CHOICE };
  }
  const isOurs = named.length === 1 && resources.agentIdOf(first) !== null;
  return { scope: toolScope(scope), resource: isOurs ? first : NO_RESOURCE };
};

/** Brings the query of an authorization request to its normal form. */
export const normaliseQuery = (query: URLSearchParams, resources: AgentResources): void => {
  for (const name of new Set(query.keys())) if (!PARAMETERS.has(name)) query.delete(name);
  for (const [name, value] of query) {
    if (Buffer.byteLength(value) <= MAX_PARAMETER_BYTES) continue;
    const detail = `The program that sent you here made a mistake: its ${name} is longer than ${MAX_PARAMETER_BYTES} bytes.`;
    throw new DomainError('invalid', detail);
  }
  // Other response modes need a script, or a page that reads the fragment.
  if (query.has('response_mode') && query.get('response_mode') !== 'query') query.set('response_mode', 'unsupported');
  if (query.getAll('scope').length > 1) return;
  const isConsole = query.get('client_id') === CONSOLE;
  const { scope, resource } = isConsole
    ? { scope: ACCOUNT, resource: API }
    : normalisedTarget(query.get('scope'), query.getAll('resource'), resources);
  query.set('scope', scope);
  query.set('resource', resource);
};

/** The parameters as the client sent them, to make the request again after the user has signed in. */
export const originalParameters = (params: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(params).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' &&
        !(entry[0] === 'resource' && (entry[1] === API || entry[1] === AGENT_OF_CHOICE)) &&
        entry[0] !== 'prompt',
    ),
  );
