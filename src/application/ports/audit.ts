import type { Act, AuditAction } from '../../domain/audit.ts';
import type { AuditEntry, ChainPoint } from '../../domain/audit-chain.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { CursorPage } from './storage.ts';

/** null: whatever it is. */
export interface AuditFilter {
  /** The email of a user, also of one who was removed. */
  readonly actor: string | null;
  readonly actions: readonly AuditAction[] | null;
  readonly subjectId: string | null;
  /** Both inclusive. */
  readonly from: Date | null;
  readonly to: Date | null;
}

/** Which page: what follows the entry with the sequence `after`, in an order that begins with the oldest entry or the newest. */
export interface AuditWindow extends CursorPage<number> {
  readonly order: 'oldest' | 'newest';
}

/** The stored end of a chain, and what the log of events has been told of it last. */
export interface ChainState {
  readonly head: ChainPoint;
  /** The sequence of the last entry that is there, which is that of the head unless somebody has changed the tables. */
  readonly last: number;
  readonly checkpoint: ChainPoint | null;
}

/** An act that waits for what comes of it. */
export interface HeldAct {
  readonly number: number;
}

/**
 * What people and programs did, a chain for each workspace. An act is written by the transaction that does it, and chained in a step of its
 * own right after: docs/decisions/the-audit-log.md.
 */
export interface AuditLog {
  /** Writes an act that no other transaction writes. */
  record(act: Act): Promise<void>;
  /**
   * Writes an act whose effect is outside of the database, before it is begun, with what is known of it until then. `settle` says what came
   * of it, and `drop` takes it back; if neither is called, it stands as it was written.
   */
  hold(act: Act): Promise<HeldAct>;
  settle(held: HeldAct, details: JsonObject): Promise<void>;
  drop(held: HeldAct): Promise<void>;
  /** Chains what the workspace has done so far: who reads afterwards finds it. */
  chain(workspaceId: string): Promise<void>;
  /** Chains what waits in any workspace, and tells the log of events where chains end that it was not told of for a day; how many entries there are more. */
  chainAll(): Promise<number>;
  list(workspaceId: string, filter: AuditFilter, window: AuditWindow): Promise<readonly AuditEntry[]>;
  /** The whole chain as it is stored, some entries at a time. */
  readAll(workspaceId: string): AsyncIterable<readonly AuditEntry[]>;
  state(workspaceId: string): Promise<ChainState>;
  /** Every workspace, by name. */
  workspaces(): Promise<readonly { readonly id: string; readonly name: string }[]>;
}
