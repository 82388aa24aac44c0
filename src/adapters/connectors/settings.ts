import type { Connector } from '../../application/ports/connectors.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Sealer } from '../../application/ports/secrets.ts';
import type { Connection } from '../../domain/connection.ts';

export interface ConnectorSettings {
  readonly sealer: Sealer;
  readonly log: Log;
  /** How long a connect, a read of records, a write or a delivery may take; a query has a limit of its own. */
  readonly timeoutSeconds: number;
  /** Sessions per connected system for everything but queries. */
  readonly poolSize: number;
  /** Sessions per connected system for queries, so that long ones never keep records waiting. */
  readonly queryPoolSize: number;
}

/** Connectors of one type of connection, and the end of all their sessions. */
export interface ConnectorFamily {
  (connection: Connection): Connector;
  close(): Promise<void>;
}
