import { writableTypes } from '../../domain/connection.ts';
import { errorAt, type ValidationError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';
import {
  labelOfTool,
  type SealedTarget,
  type StoredTool,
  type Target,
  type ToolAt,
  type ToolDeclaration,
} from '../../domain/tool.ts';
import { readTarget } from '../../domain/tool-json.ts';
import type { WorkspaceSpec } from '../../domain/workspace-spec.ts';
import type { SchemaValidator } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import { isReadMethod, schemaDefect, templateDefect } from './http-templates.ts';

/** What a file's tools may name. */
type Nameable = Readonly<Record<'connections' | 'databases' | 'agents', Pick<ReadonlySet<string>, 'has'>>>;

export const unknownName = <K extends keyof Nameable>(
  path: string,
  kind: K,
  name: string,
  { [kind]: names }: Pick<Nameable, K>,
) => errorAt(`${path}.${kind.slice(0, -1)}`, names.has(name) ? null : `names ${name}, which is not among the ${kind}`);

const errorsOf = (
  path: string,
  tool: ToolDeclaration,
  names: Nameable,
  schemas: SchemaValidator,
): readonly ValidationError[] => {
  switch (tool.kind) {
    case 'connection':
      return unknownName(path, 'connections', tool.connection, names);
    case 'database':
      return unknownName(path, 'databases', tool.database, names);
    case 'agent':
      return unknownName(path, 'agents', tool.agent, names);
    case 'http': {
      const schema = errorAt(`${path}.http.input_schema`, schemaDefect(tool.http, schemas));
      return schema.length > 0 ? schema : errorAt(`${path}.http`, templateDefect(tool.http));
    }
    default:
      return [];
  }
};

/** What is wrong with an agent's tools, which stand at the path: names of nothing, and calls that could never be made. */
export const toolErrors = (
  path: string,
  tools: readonly ToolDeclaration[],
  names: Nameable,
  schemas: SchemaValidator,
): readonly ValidationError[] => tools.flatMap((tool, index) => errorsOf(`${path}[${index}]`, tool, names, schemas));

export const openTarget = ({ sealed }: SealedTarget, sealer: Sealer): Target => {
  const target = readTarget(parseJson(sealer.open(sealed)) as JsonObject);
  if (!target) throw new Error('The sealed text is no target.');
  return target;
};

/** A tool with another target, if it has one. */
export const withTarget = <A extends Target | SealedTarget, B extends Target | SealedTarget>(
  tool: ToolAt<A>,
  targetOf: (target: A) => B,
): ToolAt<B> => {
  const replaced = <T extends object>(entry: T & A): T & B => {
    const {
      sealed: _sealed,
      url: _url,
      headers: _headers,
      body: _body,
      ...shown
    } = entry as T & Partial<Target & SealedTarget>;
    return { ...(shown as unknown as T), ...targetOf(entry) };
  };
  if (tool.kind === 'http') return { ...tool, http: replaced(tool.http) };
  return tool.kind === 'mcp' ? { ...tool, mcp: replaced(tool.mcp) } : tool;
};

/** A stored tool as it was declared. Throws if it was sealed with another key. */
export const openTool = (tool: StoredTool, sealer: Sealer): ToolDeclaration =>
  withTarget(tool, (stored) => ('sealed' in stored ? openTarget(stored, sealer) : stored));

const targetOf = (tool: StoredTool): Target | SealedTarget | null => {
  if (tool.kind === 'http') return tool.http;
  return tool.kind === 'mcp' ? tool.mcp : null;
};

const textOf = ({ url, headers, body }: Target) => JSON.stringify({ url, headers, body });

/** Tools as they are stored: address, headers and body sealed; what has not changed keeps its sealed text. */
export const sealTools = (
  tools: readonly ToolDeclaration[],
  stored: readonly StoredTool[],
  sealer: Sealer,
): readonly StoredTool[] => {
  const known = new Map<string, string>();
  for (const tool of stored) {
    const target = targetOf(tool);
    if (target === null || !('sealed' in target)) continue;
    try {
      known.set(textOf(openTarget(target, sealer)), target.sealed);
    } catch {
      // It was sealed with another key: it is sealed anew.
    }
  }
  const sealed = (target: Target): SealedTarget => {
    const text = textOf(target);
    return { sealed: known.get(text) ?? sealer.seal(text) };
  };
  return tools.map((tool) => withTarget(tool, sealed));
};

/** An agent whose workspace file does not decide yet whether its tools may write after it has read untrusted content. */
interface OpenDecision {
  readonly agent: string;
  /** Where content comes from that its users did not write. */
  readonly sources: readonly string[];
  /** What may write, send or start something. */
  readonly tools: readonly string[];
}

/** Files can be given to the runs of every agent. */
export const sourcesOf = (tools: readonly StoredTool[]): readonly string[] => [
  'files',
  ...tools
    .filter(({ kind }) => ['search_web', 'documents', 'connection', 'database', 'mcp'].includes(kind))
    .map(labelOfTool),
];

/** Which tools a server has is not known here: any of them may write. */
const isUndecided = (tool: ToolDeclaration, writable: ReadonlySet<string>): boolean => {
  if (tool.untrusted !== null || tool.requiresApproval) return false;
  if (tool.kind === 'connection') return tool.write && writable.has(tool.connection);
  return (
    tool.kind === 'mcp' ||
    tool.kind === 'agent' ||
    tool.kind === 'documents' ||
    (tool.kind === 'http' && !isReadMethod(tool.http.method))
  );
};

export const openDecisions = ({ agents, connections }: WorkspaceSpec): readonly OpenDecision[] => {
  const writable = new Set(connections.filter(({ type }) => writableTypes.includes(type)).map(({ name }) => name));
  return agents.flatMap(({ name: agent, tools: declared }) => {
    const tools = declared.filter((tool) => isUndecided(tool, writable)).map(labelOfTool);
    return tools.length === 0 ? [] : [{ agent, sources: sourcesOf(declared), tools }];
  });
};

const listed = (words: readonly string[]) =>
  (words.length > 10 ? [...words.slice(0, 10), `${words.length - 10} more`] : words).join(', ');

/** What is to be decided, and how that is written. */
export const decisionText = ({ sources, tools }: Omit<OpenDecision, 'agent'>): string =>
  `it reads what its users did not write (${listed(sources)}), and could then write, send or start something by ${listed(tools)}. ` +
  'That is refused until you decide: write `untrusted: refuse` at the tool to leave it so, or `untrusted: allow` to permit it; docs/security.md says what that risks.';
