import type { Connector } from '../../application/ports/connectors.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Sealer } from '../../application/ports/secrets.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Slot } from './fair-gate.ts';

export interface ConnectorSettings {
  readonly sealer: Sealer;
  readonly log: Log;
  /** How long a connect, a read of records, a write or a delivery may take; a query has a limit of its own. */
  readonly timeoutSeconds: number;
  /** The limit of queries, if it is known before they run: their sessions begin with it. */
  readonly queryTimeoutSeconds?: number;
  /** Sessions per connected system for each purpose. */
  readonly poolSize: number;
}

/** Queries have sessions of their own, so that long ones keep nothing else waiting. */
export type Purpose = 'work' | 'query';

/** The slots of a user at the sessions of one connection. */
export interface Slots {
  /** Rejects with `rate_limited` when no slot is free in time, and as a time-out when no session has answered by then. */
  take(purpose: Purpose, signal: AbortSignal): Promise<Slot>;
}

/** Connectors of one type of connection, and the end of all their sessions. */
export interface ConnectorFamily {
  (connection: Connection, slots: Slots): Connector;
  close(): Promise<void>;
}
