import { DomainError } from './errors.ts';
import type { Retention } from './retention.ts';
import type { Prices } from './usage.ts';

/** What a user may do: a viewer reads everything visible to them and writes nothing. */
export const roles = ['admin', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

export const scopes = {
  'agents:read': 'List the agents you can see',
  'runs:read': 'Read runs and their documents',
  'runs:write': 'Upload files, create and cancel runs, process and delete documents, continue conversations',
  'documents:review': 'Correct, approve and reject documents',
} as const;
export type Scope = keyof typeof scopes;

/** By which door something is done. The command line is known by what it says of itself; a model uses a tool, in a conversation or a run. */
export const doors = {
  console: 'in the console',
  api_key: 'with an API key',
  oauth: 'by a program with access',
  command: 'on the command line',
  mcp: 'over a tool endpoint',
  model: 'by a model',
} as const;
export type Door = keyof typeof doors;

export const doorNames = Object.keys(doors) as readonly Door[];

/** Of an access token alone: everything that its user may do. Only the console is given it, and no key can have it. */
export const ACCOUNT = 'account';

/** Of an access token for an agent alone: all of its tools, with the rights of the user. */
export const TOOLS = 'agent:tools';

export interface Workspace {
  readonly id: string;
  readonly name: string;
  /** null: what is done costs nothing that anybody counts. */
  readonly prices: Prices | null;
  /** null: everything is kept for ever. */
  readonly retention: Retention | null;
  readonly createdAt: Date;
}

export interface User {
  readonly id: string;
  readonly workspaceId: string;
  /** Lower case; unique on the server. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: Date;
}

export interface ApiKey {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** How the key begins, so that its owner recognises it; null of keys that were made before this was kept. */
  readonly prefix: string;
  /** SHA-256 of the key, hexadecimal: the key itself is shown once and never stored. */
  readonly hash: string;
  /** null: everything its user may do. */
  readonly scopes: readonly Scope[] | null;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  /** The key that it was made with, and ends with; null if it was made by a person who had signed in, or by the operator. */
  readonly madeWith: string | null;
  /** The key that made this one in its own place, with which it ends while both work; null if something else made it. */
  readonly replaces: string | null;
  /** The key in whose window of the rate limit its requests count; null: in one of its own. */
  readonly windowId: string | null;
  /** Whether its user made it, or the key that it comes from, by signing in. */
  readonly selfIssued: boolean;
  readonly createdAt: Date;
}

/** A user has at most so many keys that work, but for those that the operator makes. */
export const MOST_KEYS = 50;

/** The users who may see a thing; null for everyone in its workspace. */
export type VisibleTo = readonly string[] | null;

/** A workspace keeps an administrator who is enabled, if it has one. */
export const lastAdmin = () =>
  new DomainError('conflict', 'The workspace would be left without an administrator who is enabled.', {
    code: 'last_admin',
  });

/** An address as it is kept. In small letters the Kelvin sign is a k, by which one address would be taken for another. */
export const lowerAddress = (email: string): string =>
  email.replaceAll(/[^\u212a]+/g, (letters) => letters.toLowerCase());
