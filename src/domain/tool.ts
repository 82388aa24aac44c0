import type { JsonSchema, JsonValue } from './json.ts';
import { withoutAccents } from './text.ts';

/** What a tool may do to the world, so that a client can decide what to ask a person about. */
export interface ToolAnnotations {
  readonly title: string;
  readonly readOnly: boolean;
  /** Whether it may change or remove what is there, rather than only add. */
  readonly destructive: boolean;
  /** Whether doing it twice is doing it once. */
  readonly idempotent: boolean;
  /** Whether it reaches beyond the systems that the workspace names. */
  readonly openWorld: boolean;
}

export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type HttpMethod = (typeof httpMethods)[number];

/** Where the calls of a tool go. It may hold tokens. */
export interface Target {
  /** Of an HTTP tool: with `{placeholders}` after the host, each a property of the input. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of an HTTP tool: JSON whose `{placeholders}` are filled in; undefined: the input that the address does not use. */
  readonly body?: JsonValue | undefined;
}

/** A target as it is stored. */
export interface SealedTarget {
  readonly sealed: string;
}

type HttpToolAt<T> = T & {
  readonly name: string;
  readonly description: string;
  readonly method: HttpMethod;
  readonly inputSchema: JsonSchema;
  /** Hosts that may be at private addresses. */
  readonly allowedHosts: readonly string[];
};

type RemoteToolServerAt<T> = T & {
  /** Begins the names of its tools; null: they have the names that it gives them. */
  readonly name: string | null;
  readonly allowedHosts: readonly string[];
};

export type HttpTool = HttpToolAt<Target>;
export type RemoteToolServer = RemoteToolServerAt<Target>;

/** Whether a tool may write, send or start something once content that its caller did not write stands in the conversation. */
export const untrustedPolicies = ['allow', 'refuse'] as const;
export type Untrusted = (typeof untrustedPolicies)[number];

/** Whether a person approves each call: any, or with `other_person` none who asked for it. Each is stricter than those before it. */
export const approvalTerms = [false, true, 'other_person'] as const;
export type ApprovalTerm = (typeof approvalTerms)[number];

interface Terms {
  readonly requiresApproval: ApprovalTerm;
  readonly untrusted: Untrusted | null;
}

export type ToolAt<T> = Terms &
  (
    | { readonly kind: 'search_web' }
    /** The documents of the agent itself. */
    | { readonly kind: 'documents' }
    | { readonly kind: 'connection'; readonly connection: string; readonly write: boolean }
    | { readonly kind: 'database'; readonly database: string }
    | { readonly kind: 'http'; readonly http: HttpToolAt<T> }
    | { readonly kind: 'mcp'; readonly mcp: RemoteToolServerAt<T> }
    | { readonly kind: 'agent'; readonly agent: string }
    /** An entry that this version cannot read: it yields no tool. */
    | { readonly kind: 'unknown'; readonly defect: string; readonly declared: unknown }
  );

/** One entry of an agent's `tools`. */
export type ToolDeclaration = ToolAt<Target>;
/** The same in an agent that is stored. */
export type StoredTool = ToolAt<Target | SealedTarget>;

/** How reports name an entry: never by an address, which may hold a secret. */
export const labelOfTool = (tool: StoredTool): string => {
  switch (tool.kind) {
    case 'connection':
      return `connection ${tool.connection}`;
    case 'database':
      return `database ${tool.database}`;
    case 'agent':
      return `agent ${tool.agent}`;
    case 'http':
      return `http ${tool.http.name}`;
    case 'mcp':
      return tool.mcp.name === null ? 'mcp' : `mcp ${tool.mcp.name}`;
    case 'search_web':
    case 'documents':
      return tool.kind;
    case 'unknown':
      return 'a tool';
  }
};

const MAX_NAME = 48;

/** Lower-case snake case that begins with a letter, for models that take no other names. */
export const slugOf = (text: string, fallback: string): string => {
  const snake = withoutAccents(text)
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  if (snake === '') return fallback;
  return /^[a-z]/.test(snake) ? snake : `${fallback}_${snake}`;
};

const named = (base: string, copy: number, suffixes: readonly string[]): readonly string[] => {
  const number = copy === 1 ? '' : `_${copy}`;
  const room = MAX_NAME - number.length - Math.max(0, ...suffixes.map(({ length }) => length));
  const stem = base.slice(0, room).replace(/_+$/, '') + number;
  return suffixes.map((suffix) => stem + suffix);
};

/** The names of tools that share a base, one for each suffix; a number is put between the two if one of them is taken. */
export const claimNames = (taken: Set<string>, base: string, suffixes: readonly string[]): readonly string[] => {
  for (let copy = 1; ; copy++) {
    const names = named(base, copy, suffixes);
    if (names.some((name) => taken.has(name))) continue;
    for (const name of names) taken.add(name);
    return names;
  }
};
