import type { ValidationError } from '../../domain/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import { labelOfTool, readTool } from '../../domain/tool.ts';
import type { SchemaValidator } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { WorkspaceSpec } from '../workspace/spec.ts';
import { isReadMethod, schemaDefect, templateDefect } from './http-tools.ts';
import { writableTypes } from './system-tools.ts';

/** What a file's tools may name. */
export interface Nameable {
  readonly connections: Pick<ReadonlySet<string>, 'has'>;
  readonly databases: Pick<ReadonlySet<string>, 'has'>;
  readonly agents: Pick<ReadonlySet<string>, 'has'>;
}

const unknown = (path: string, kind: keyof Nameable, name: string, { [kind]: names }: Nameable): ValidationError[] =>
  names.has(name) ? [] : [{ path: `${path}.${kind.slice(0, -1)}`, message: `names ${name}, which is not among the ${kind}` }];

const errorsOf = (path: string, declared: JsonValue, names: Nameable, schemas: SchemaValidator): ValidationError[] => {
  const tool = readTool(declared);
  if (typeof tool === 'string') return [{ path, message: tool }];
  switch (tool.kind) {
    case 'connection':
      return unknown(path, 'connections', tool.connection, names);
    case 'database':
      return unknown(path, 'databases', tool.database, names);
    case 'agent':
      return unknown(path, 'agents', tool.agent, names);
    case 'http': {
      const schema = schemaDefect(tool.http, schemas);
      if (schema !== null) return [{ path: `${path}.http.input_schema`, message: schema }];
      const template = templateDefect(tool.http);
      return template === null ? [] : [{ path: `${path}.http`, message: template }];
    }
    default:
      return [];
  }
};

/** What is wrong with an agent's tools: names of nothing, and calls that could never be made. */
export const toolErrors = (
  path: string,
  tools: readonly JsonValue[],
  names: Nameable,
  schemas: SchemaValidator,
): readonly ValidationError[] => tools.flatMap((tool, index) => errorsOf(`${path}.tools[${index}]`, tool, names, schemas));

/** Where a declaration may hold a token: the rest of it stays readable. */
const kinds = ['http', 'mcp'] as const;

const entryOf = (tool: JsonValue): { readonly kind: string; readonly entry: JsonObject } | null => {
  if (!isObject(tool)) return null;
  const kind = kinds.find((each) => isObject((tool as JsonObject)[each]));
  return kind === undefined ? null : { kind, entry: (tool as JsonObject)[kind] as JsonObject };
};

const opened = (entry: JsonObject, sealer: Sealer): string | null => {
  if (typeof entry.sealed !== 'string') return null;
  try {
    return sealer.open(entry.sealed);
  } catch {
    return null;
  }
};

/** Tools as they are stored: address, headers and body sealed; what has not changed since keeps its sealed text. */
export const sealTools = (tools: readonly JsonValue[], stored: readonly JsonValue[], sealer: Sealer): readonly JsonValue[] => {
  const known = new Map(
    stored.flatMap((tool) => {
      const found = entryOf(tool);
      const plain = found && opened(found.entry, sealer);
      return plain === null || found === null ? [] : [[plain, found.entry.sealed as string]];
    }),
  );
  return tools.map((tool) => {
    const found = entryOf(tool);
    if (!found) return tool;
    const { url, headers, body, ...shown } = found.entry;
    const plain = JSON.stringify({ url, headers, body });
    return { ...(tool as JsonObject), [found.kind]: { ...shown, sealed: known.get(plain) ?? sealer.seal(plain) } };
  });
};

/** A stored tool as it was declared. Throws if it was sealed with another key. */
export const openTool = (tool: JsonValue, sealer: Sealer): JsonValue => {
  const found = entryOf(tool);
  if (!found || typeof found.entry.sealed !== 'string') return tool;
  const { sealed, ...shown } = found.entry;
  return { ...(tool as JsonObject), [found.kind]: { ...shown, ...(parseJson(sealer.open(sealed as string)) as JsonObject) } };
};

/** An agent whose workspace file does not decide yet whether its tools may write after it has read untrusted content. */
export interface OpenDecision {
  readonly agent: string;
  /** Where content comes from that its users did not write. */
  readonly sources: readonly string[];
  /** What may write, send or start something. */
  readonly tools: readonly string[];
}

/** Files can be given to the runs of every agent. */
export const sourcesOf = (tools: readonly JsonValue[]): readonly string[] => [
  'files',
  ...tools.map(labelOfTool).filter((label) => /^(search_web|connection|database|mcp)\b/.test(label)),
];

/** Which tools a server has is not known here: any of them may write. */
const isUndecided = (declared: JsonValue, writable: ReadonlySet<string>): boolean => {
  const tool = readTool(declared);
  if (typeof tool === 'string' || tool.untrusted !== null || tool.requiresApproval) return false;
  if (tool.kind === 'connection') return tool.write && writable.has(tool.connection);
  return tool.kind === 'mcp' || tool.kind === 'agent' || (tool.kind === 'http' && !isReadMethod(tool.http.method));
};

export const openDecisions = ({ agents, connections }: WorkspaceSpec): readonly OpenDecision[] => {
  const writable = new Set(connections.filter(({ type }) => writableTypes.includes(type)).map(({ name }) => name));
  return agents.flatMap(({ name: agent, tools: declared }) => {
    const tools = declared.filter((tool) => isUndecided(tool, writable)).map(labelOfTool);
    return tools.length === 0 ? [] : [{ agent, sources: sourcesOf(declared), tools }];
  });
};

const listed = (words: readonly string[]) => (words.length > 10 ? [...words.slice(0, 10), `${words.length - 10} more`] : words).join(', ');

/** What is to be decided, and how that is written. */
export const decisionText = ({ sources, tools }: Omit<OpenDecision, 'agent'>): string =>
  `it reads what its users did not write (${listed(sources)}), and could then write, send or start something by ${listed(tools)}. ` +
  'That is refused until you decide: write `untrusted: refuse` at the tool to leave it so, or `untrusted: allow` to permit it; docs/security.md says what that risks.';
