import type { JsonValue } from '../../domain/json.ts';
import { labelOfTool, readTool } from '../../domain/tool.ts';
import type { WorkspaceSpec } from '../workspace/spec.ts';
import { writableTypes } from './connection-tools.ts';
import { isReadMethod } from './http-tools.ts';

/** An agent of which nobody has said yet whether its tools may write on the word of what it reads. */
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

/** Which tools a server has is not known here: those of its tools that do not say that they only read are meant. */
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
