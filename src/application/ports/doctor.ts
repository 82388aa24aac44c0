import type { Role } from '../../domain/access.ts';

/** What was found out about one part of the program. */
export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
}

/** A part that this configuration needs, tried for real. */
export interface Examination {
  readonly name: string;
  /** How the part is if it can be used, several checks where it is more than one; throws why it cannot be used. */
  examine(): Promise<string | readonly Check[]>;
}

/** An agent that has tools, and a user who may use them. */
export interface EquippedAgent {
  readonly id: string;
  readonly name: string;
  readonly workspace: string;
  readonly workspaceId: string;
  /** A user who sees the agent, an administrator if possible; null if no user does. */
  readonly userId: string | null;
  readonly email: string;
  readonly role: Role;
}

/** The server that reads connections in another network. */
export interface Gateway {
  /** The status that it answers to a request for one record; throws if it cannot be reached. */
  readRecord(connectionId: string, entity: string, apiKey: string, signal: AbortSignal): Promise<number>;
}
