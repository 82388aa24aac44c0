const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const AGENT_PATH = new RegExp(`^/api/v1/agents/(${UUID})/mcp/?$`, 'i');

/** The protected resources there are (RFC 9728): the tool endpoint of every agent. */
export interface AgentResources {
  /** The address of an agent's tool endpoint, which is its resource indicator. */
  urlOf(agentId: string): string;
  /** The agent that a resource indicator names; null for anything else. */
  agentIdOf(resource: string): string | null;
  /** The metadata of the resource that a well-known path names, whether there is such an agent or not; null for another path. */
  metadataAt(path: string): object | null;
  /** The value of `WWW-Authenticate` on a 401 of the tool endpoint; an error is named only where a credential was sent (RFC 6750 section 3). */
  challenge(agentId: string, refused: boolean): string;
}

/** Built from the configured addresses: what the Host header says is the client's. */
export const agentResources = ({ base, issuer }: { base: string; issuer: string }): AgentResources => {
  const { origin, pathname } = new URL(base);
  const prefix = pathname.replace(/\/$/, '');
  const urlOf = (agentId: string) => `${base}/api/v1/agents/${agentId.toLowerCase()}/mcp`;
  const agentIn = (path: string) => (path.startsWith(prefix) ? (AGENT_PATH.exec(path.slice(prefix.length))?.[1] ?? null) : null);

  return {
    urlOf,

    agentIdOf(resource) {
      const url = URL.parse(resource);
      if (!url || url.origin !== origin || url.search !== '' || url.username !== '' || url.password !== '' || resource.includes('#'))
        return null;
      return agentIn(url.pathname)?.toLowerCase() ?? null;
    },

    metadataAt(path) {
      const agentId = path.startsWith(WELL_KNOWN) ? agentIn(path.slice(WELL_KNOWN.length)) : null;
      return agentId === null ? null : { resource: urlOf(agentId), authorization_servers: [issuer], bearer_methods_supported: ['header'] };
    },

    challenge(agentId, refused) {
      const metadata = `resource_metadata="${origin}${WELL_KNOWN}${prefix}/api/v1/agents/${agentId.toLowerCase()}/mcp"`;
      if (!refused) return `Bearer ${metadata}`;
      return `Bearer error="invalid_token", error_description="The credential is not valid for this agent.", ${metadata}`;
    },
  };
};
