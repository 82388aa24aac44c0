import { hosts, integer, setting } from './setting.ts';

/** Connected systems, and what may be reached outside. */
export const systems = {
  connectionTimeoutSeconds: setting(
    'CONNECTION_TIMEOUT_SECONDS',
    integer(1, 60),
    30,
    'How long a connected system may take for a connect, a read of records, a write or a delivery.',
  ),
  connectionPoolSize: setting(
    'CONNECTION_POOL_SIZE',
    integer(1, 100),
    4,
    'Sessions per connected system and process; as many again for queries.',
  ),
  queryTimeoutSeconds: setting('QUERY_TIMEOUT_SECONDS', integer(1, 3600), 300, 'How long a query or a read of a table may take.'),
  queryMaxRows: setting('QUERY_MAX_ROWS', integer(1, 10_000_000), 10_000, 'The most rows that a query answers.'),
  queryMaxBytes: setting('QUERY_MAX_BYTES', integer(1024, 4_294_967_296), 67_108_864, 'The most that the rows of a query may come to.'),
  outboundAllowedHosts: setting<readonly string[]>(
    'OUTBOUND_ALLOWED_HOSTS',
    hosts,
    [],
    'Hosts (`host` or `host:port`), separated by commas, that webhooks and tools may reach at private addresses. Unset: none.',
  ),
} as const;
