import type { Connector } from '../../application/ports/connectors.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Sealer } from '../../application/ports/secrets.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Turn } from './fair-gate.ts';

export interface ConnectorSettings {
  readonly sealer: Sealer;
  readonly log: Log;
  /** How long a connect, a read of records, a write or a delivery may take; a query has a limit of its own. */
  readonly timeoutSeconds: number;
  /** That of queries, where it is known before they are asked: then their sessions begin with it. */
  readonly queryTimeoutSeconds?: number;
  /** Sessions per connected system for everything but queries. */
  readonly poolSize: number;
  /** Sessions per connected system for queries, so that long ones never keep records waiting. */
  readonly queryPoolSize: number;
}

/** Queries have sessions of their own, so that long ones keep nothing else waiting. */
export type Purpose = 'work' | 'query';

/** A credential's turns at the sessions of one connection. */
export interface Turns {
  /** Rejects with `rate_limited` when no turn comes in time, and as a time-out when no session has answered by then. */
  take(purpose: Purpose, signal: AbortSignal): Promise<Turn>;
}

/** Connectors of one type of connection, and the end of all their sessions. */
export interface ConnectorFamily {
  (connection: Connection, turns: Turns): Connector;
  close(): Promise<void>;
}
