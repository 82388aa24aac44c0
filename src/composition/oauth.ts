import { type AgentResources, agentResources } from '../adapters/oauth/resources.ts';
import { type AuthorizationServer, authorizationServer } from '../adapters/oauth/server.ts';
import type { Config } from './config.ts';
import type { Composition } from './container.ts';
import { bounds, port, service } from './tokens.ts';

/** The tool endpoints of agents, as OAuth knows them: for the authorization server, and for the endpoint's own challenge. */
export const resourcesOf = ({ baseUrl, authUrl }: Config): AgentResources => agentResources({ base: baseUrl, issuer: authUrl });

export const oauthServer = (config: Config, { container }: Composition): AuthorizationServer =>
  authorizationServer({
    issuer: config.authUrl,
    documentation: `${config.baseUrl}/developers`,
    registration: config.oauthRegistration,
    resources: resourcesOf(config),
    ...container.get(bounds.oauth),
    accounts: container.get(service.accounts),
    agents: container.get(port.agents),
    store: container.get(port.oauth),
    outbound: container.get(port.outbound),
    limiter: container.get(port.limiter),
    ids: container.get(port.ids),
    clock: container.get(port.clock),
    log: container.get(port.log),
  });
