import { scopes as apiScopes } from '../../domain/access.ts';
import type { AgentResources } from './resources.ts';

/** Names of our own for what has no resource indicator: the API, and an agent that the user is going to choose. */
export const API = 'urn:portico:api';
export const AGENT_OF_CHOICE = 'urn:portico:agent-of-choice';

/** What a token for an agent holds: its resource says all there is to say. */
export const TOOLS = 'agent:tools';

export const API_SCOPES: readonly string[] = Object.keys(apiScopes);

/** Never a resource of ours, whatever the client wrote. */
const NO_RESOURCE = 'urn:portico:none';

export interface Asked {
  readonly scope: string | undefined;
  readonly resource: readonly string[];
}

/**
 * What an authorization request asks for, in the one form that is handled further on: scopes of the API without a resource, or an agent.
 * Scopes that we do not have are left out (RFC 6749 section 3.3). Some clients name neither a resource nor a scope of ours:
 * they want the tools of an agent, and the user says of which.
 */
export const normalised = ({ scope, resource }: Asked, resources: AgentResources): { scope: string; resource: string } => {
  const named = resource.filter((each) => each !== '');
  const [first] = named;
  if (first === undefined) {
    const known = [...new Set((scope ?? '').split(' '))].filter((name) => API_SCOPES.includes(name));
    return known.length > 0 ? { scope: known.join(' '), resource: API } : { scope: TOOLS, resource: AGENT_OF_CHOICE };
  }
  const isOurs = named.length === 1 && resources.agentIdOf(first) !== null;
  return { scope: TOOLS, resource: isOurs ? first : NO_RESOURCE };
};

/** The request as the client made it, so that it can be made again after signing in. */
export const asAsked = (params: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(params).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' &&
        !(entry[0] === 'resource' && (entry[1] === API || entry[1] === AGENT_OF_CHOICE)) &&
        !(entry[0] === 'scope' && entry[1] === TOOLS) &&
        entry[0] !== 'prompt',
    ),
  );
