import { flag, setting } from './setting.ts';

/** The tool endpoint of agents. */
export const mcp = {
  mcpGetStream: setting(
    'MCP_GET_STREAM',
    flag,
    true,
    'Whether the tool endpoint answers a client that listens with a stream, which stays open for some minutes; else with 405.',
  ),
} as const;
