import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';

/** Revisions that begin with a handshake, newest first. */
export const legacyVersions: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS;
export const newestLegacy: string = LATEST_PROTOCOL_VERSION;

/** Revisions without one: each request says what it is, and nothing is kept between two of them. */
export const modernVersions: readonly string[] = ['2026-07-28'];

export const allVersions: readonly string[] = [...modernVersions, ...legacyVersions];

/** The only revision with batches; what clients of its time do not say, they mean. */
export const batchVersion = '2025-03-26';

/** What the protocol's own fields of `_meta` begin with. */
export const meta = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
} as const;
