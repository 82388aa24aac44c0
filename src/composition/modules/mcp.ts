import { ContainerModule } from 'inversify';
import { toolEndpoint } from '../../adapters/mcp/endpoint.ts';
import type { Config } from '../config.ts';
import { provider } from '../provide.ts';
import { endpoint, port, service } from '../tokens.ts';
import { version } from '../version.ts';

/** The tools of agents for other programs. */
export const mcpModule = ({ mcpGetStream: getStream }: Config) =>
  new ContainerModule((options) => {
    const { schemas, log } = port;
    const make = (use: Omit<Parameters<typeof toolEndpoint>[0], 'version' | 'getStream'>) => toolEndpoint({ ...use, version, getStream });
    provider(options)(endpoint.tools, make, { agents: service.agents, tools: service.tools, schemas, log });
  });
