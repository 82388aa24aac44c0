import { isObject, type JsonObject, type JsonSchema, type JsonValue } from './json.ts';

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
export type HttpMethod = (typeof httpMethods)[number];

export interface HttpTool {
  readonly name: string;
  readonly description: string;
  readonly method: HttpMethod;
  /** With `{placeholders}` after the host, each a property of the input. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON whose `{placeholders}` are filled in; undefined: the input that the address does not use. */
  readonly body: JsonValue | undefined;
  readonly inputSchema: JsonSchema;
  /** Hosts that may be at private addresses. */
  readonly allowedHosts: readonly string[];
}

export interface RemoteToolServer {
  /** Begins the names of its tools; null: they have the names that it gives them. */
  readonly name: string | null;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowedHosts: readonly string[];
}

/** Whether a tool may write, send or start something once content that its caller did not write stands in the conversation. */
export const untrustedWords = ['allow', 'refuse'] as const;
export type Untrusted = (typeof untrustedWords)[number];

type Kind =
  | { readonly kind: 'search_web' }
  | { readonly kind: 'connection'; readonly connection: string; readonly write: boolean }
  | { readonly kind: 'database'; readonly database: string }
  | { readonly kind: 'http'; readonly http: HttpTool }
  | { readonly kind: 'mcp'; readonly mcp: RemoteToolServer }
  | { readonly kind: 'agent'; readonly agent: string };

/** One entry of an agent's `tools`. */
export type ToolDeclaration = Kind & { readonly requiresApproval: boolean; readonly untrusted: Untrusted | null };

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const textOr = (value: unknown, fallback: string) => (typeof value === 'string' ? value : fallback);
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter(isText) : []);
const pairs = (value: unknown): Record<string, string> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string')) : {};

/** A root that names no type takes objects, because arguments are always one. */
const rootOf = (schema: JsonObject): JsonSchema =>
  schema.type === undefined ? { type: 'object', ...('properties' in schema ? {} : { properties: {} }), ...schema } : schema;

const httpOf = (entry: Record<string, unknown>): Kind | string => {
  const method = httpMethods.find((each) => each === (entry.method ?? 'GET'));
  if (!isText(entry.name) || !isText(entry.url) || !method) return 'needs a name, a url and a known method';
  const schema = isObject(entry.input_schema) ? (entry.input_schema as JsonObject) : {};
  const { name, url } = entry;
  const description = textOr(entry.description, '');
  const body = (entry.body ?? undefined) as JsonValue | undefined;
  const common = { headers: pairs(entry.headers), allowedHosts: texts(entry.allow_hosts) };
  return { kind: 'http', http: { name, description, method, url, body, inputSchema: rootOf(schema), ...common } };
};

const kindOf = (entry: Record<string, unknown>): Kind | string => {
  if (isText(entry.connection)) return { kind: 'connection', connection: entry.connection, write: entry.write === true };
  if (isText(entry.database)) return { kind: 'database', database: entry.database };
  if (isText(entry.agent)) return { kind: 'agent', agent: entry.agent };
  if (isObject(entry.http)) return httpOf(entry.http);
  if (!isObject(entry.mcp)) return 'is none of the kinds of tool there are';
  const { name, url, headers, allow_hosts: hosts } = entry.mcp;
  if (!isText(url)) return 'needs a url';
  return { kind: 'mcp', mcp: { name: isText(name) ? name : null, url, headers: pairs(headers), allowedHosts: texts(hosts) } };
};

/** What an entry declares, or what is wrong with it. */
export const readTool = (declared: JsonValue): ToolDeclaration | string => {
  if (declared === 'search_web') return { kind: 'search_web', requiresApproval: false, untrusted: null };
  if (!isObject(declared)) return 'is none of the kinds of tool there are';
  const kind = kindOf(declared);
  if (typeof kind === 'string') return kind;
  const untrusted = untrustedWords.find((word) => word === declared.untrusted) ?? null;
  return { ...kind, requiresApproval: declared.requires_approval === true, untrusted };
};

/** How reports name an entry: never by an address, which may hold a secret. */
export const labelOfTool = (declared: JsonValue): string => {
  if (typeof declared === 'string') return declared;
  if (!isObject(declared)) return 'a tool';
  const kind = ['connection', 'database', 'http', 'mcp', 'agent'].find((each) => Object.hasOwn(declared, each));
  const entry = kind === undefined ? undefined : declared[kind];
  const name = isObject(entry) ? entry.name : entry;
  return [kind ?? 'a tool', ...(isText(name) ? [name] : [])].join(' ');
};

const MAX_NAME = 48;

/** Lower-case snake case that begins with a letter, for models that take no other names. */
export const snakeCase = (text: string, fallback: string): string => {
  const snake = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
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
