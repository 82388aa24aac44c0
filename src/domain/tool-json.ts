import { isObject, type JsonObject, type JsonSchema, type JsonValue } from './json.ts';
import {
  approvalTerms,
  httpMethods,
  type SealedTarget,
  type StoredTool,
  type Target,
  untrustedPolicies,
} from './tool.ts';

type WithoutTerms<T> = T extends unknown ? Omit<T, 'requiresApproval' | 'untrusted'> : never;
type Kind = WithoutTerms<StoredTool>;
type Entry = Readonly<Record<string, unknown>>;

/** Whose documents an entry offers, where it says more than `documents`. */
export const OWN = 'own';

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter(isText) : []);
const pairs = (value: unknown): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
    : {};

/** A root that names no type takes objects, because arguments are always one. */
const rootOf = (schema: JsonObject): JsonSchema =>
  schema.type === undefined
    ? { type: 'object', ...('properties' in schema ? {} : { properties: {} }), ...schema }
    : schema;

/** null if there is no address. */
export const readTarget = ({ url, headers, body }: Entry): Target | null =>
  isText(url) ? { url, headers: pairs(headers), ...(body == null ? {} : { body: body as JsonValue }) } : null;

const targetOf = (entry: Entry): Target | SealedTarget | null =>
  isText(entry.sealed) ? { sealed: entry.sealed } : readTarget(entry);

const kindOf = (entry: Entry): Kind | string => {
  const { connection, database, documents, agent, http, mcp } = entry;
  if (isText(connection)) return { kind: 'connection', connection, write: entry.write === true };
  if (isText(database)) return { kind: 'database', database };
  if (documents === OWN) return { kind: 'documents' };
  if (isText(agent)) return { kind: 'agent', agent };
  if (isObject(http)) {
    const target = targetOf(http);
    const method = httpMethods.find((each) => each === (http.method ?? 'GET'));
    if (!isText(http.name) || !target || !method) return 'needs a name, a url and a known method';
    const description = typeof http.description === 'string' ? http.description : '';
    const inputSchema = rootOf(isObject(http.input_schema) ? (http.input_schema as JsonObject) : {});
    return {
      kind: 'http',
      http: { name: http.name, description, method, inputSchema, allowedHosts: texts(http.allow_hosts), ...target },
    };
  }
  if (!isObject(mcp)) return 'is none of the kinds of tool there are';
  const target = targetOf(mcp);
  if (!target) return 'needs a url';
  return {
    kind: 'mcp',
    mcp: { name: isText(mcp.name) ? mcp.name : null, allowedHosts: texts(mcp.allow_hosts), ...target },
  };
};

/** The tool that an entry of an agent's `tools` declares, as the workspace file and the database have it. */
export const readTool = (declared: unknown): StoredTool => {
  if (declared === 'search_web' || declared === 'documents')
    return { kind: declared, requiresApproval: false, untrusted: null };
  const entry: Entry = isObject(declared) ? declared : {};
  const kind = kindOf(entry);
  const untrusted = untrustedPolicies.find((policy) => policy === entry.untrusted) ?? null;
  const requiresApproval = approvalTerms.find((term) => term === entry.requires_approval) ?? false;
  const terms = { requiresApproval, untrusted };
  return typeof kind === 'string' ? { kind: 'unknown', defect: kind, declared, ...terms } : { ...kind, ...terms };
};

/** The entry again that `readTool` reads. */
export const toolJson = ({ requiresApproval, untrusted, ...tool }: StoredTool): unknown => {
  const terms = {
    ...(requiresApproval !== false && { requires_approval: requiresApproval }),
    ...(untrusted !== null && { untrusted }),
  };
  switch (tool.kind) {
    case 'search_web':
      return tool.kind;
    case 'documents':
      return Object.keys(terms).length === 0 ? tool.kind : { documents: OWN, ...terms };
    case 'unknown':
      return tool.declared;
    case 'http': {
      const { inputSchema, allowedHosts, ...http } = tool.http;
      return { http: { ...http, input_schema: inputSchema, allow_hosts: allowedHosts }, ...terms };
    }
    case 'mcp': {
      const { allowedHosts, ...mcp } = tool.mcp;
      return { mcp: { ...mcp, allow_hosts: allowedHosts }, ...terms };
    }
    default: {
      const { kind: _, ...named } = tool;
      return { ...named, ...terms };
    }
  }
};
