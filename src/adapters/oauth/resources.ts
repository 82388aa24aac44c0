import { TOOLS } from '../../domain/access.ts';

/** RFC 8414. */
export const METADATA_PATH = '/.well-known/oauth-authorization-server';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const AGENT_PATH = new RegExp(`^/api/v1/agents/(${UUID})/mcp/?$`, 'i');

/** The path of an address, without a slash at its end: empty at the root. */
export const pathOf = (address: string): string => new URL(address).pathname.replace(/\/$/, '');

export type AgentResources = ReturnType<typeof agentResources>;

/**
 * The protected resources (RFC 9728): the tool endpoint of every agent. It uses the configured addresses, never the Host header, which the
 * client controls.
 */
export const agentResources = ({ base, issuer }: { base: string; issuer: string }) => {
  const { origin } = new URL(base);
  const prefix = pathOf(base);
  const endpointOf = (agentId: string) => `/api/v1/agents/${agentId.toLowerCase()}/mcp`;
  const urlOf = (agentId: string) => base + endpointOf(agentId);
  const agentIn = (path: string) =>
    path.startsWith(prefix) ? (AGENT_PATH.exec(path.slice(prefix.length))?.[1]?.toLowerCase() ?? null) : null;

  return {
    /** The address of an agent's tool endpoint, which is its resource indicator. */
    urlOf,

    /** The agent that a resource indicator names; null for any other text. */
    agentIdOf(resource: string): string | null {
      const url = URL.parse(resource);
      if (
        url?.origin !== origin ||
        url.search !== '' ||
        url.username !== '' ||
        url.password !== '' ||
        resource.includes('#')
      )
        return null;
      return agentIn(url.pathname);
    },

    /** The metadata of the resource that a well-known path names, whether the agent exists or not; null for another path. */
    metadataAt(path: string): object | null {
      const agentId = path.startsWith(WELL_KNOWN) ? agentIn(path.slice(WELL_KNOWN.length)) : null;
      if (agentId === null) return null;
      return {
        resource: urlOf(agentId),
        authorization_servers: [issuer],
        // Clients ask for all that is named here, and so for the least that opens every tool.
        scopes_supported: [TOOLS],
        bearer_methods_supported: ['header'],
      };
    },

    /** The value of `WWW-Authenticate` on a 401 of the tool endpoint. It names an error only if a credential was refused (RFC 6750 section 3). */
    challenge(agentId: string, refused: boolean): string {
      const metadata = `resource_metadata="${origin}${WELL_KNOWN}${prefix}${endpointOf(agentId)}", scope="${TOOLS}"`;
      if (!refused) return `Bearer ${metadata}`;
      return `Bearer error="invalid_token", error_description="The credential is not valid for this agent.", ${metadata}`;
    },
  };
};
