import { DomainError } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json.ts';
import { type RemoteToolServer, slugOf } from '../../domain/tool.ts';
import type { Clock, SchemaValidator } from '../ports/runtime.ts';
import type { RemoteTerms, RemoteTool, RemoteTools } from '../ports/tools.ts';
import { inTime } from '../shared/async.ts';
import { alone, type LoneTool, type ToolGroup } from './tool.ts';

const LIST_SECONDS = 10;
const MAX_BYTES = 1024 * 1024;
const MAX_TOOLS = 100;
const MAX_DESCRIPTION = 4000;
/** How long a list is believed, and how long a server that gave none is left alone. */
const KEPT_MS = 300_000;
const FAILURE_KEPT_MS = 15_000;
const MAX_KEPT = 200;

/** The fault of that server alone: the other tools stay. */
const late = () =>
  new DomainError('unavailable', `The tool server did not list its tools within ${LIST_SECONDS} seconds.`);

/** The lists of tool servers, remembered: a turn must not wait for each of them again. */
export const remoteLists = (remote: RemoteTools, clock: Clock) => {
  const lists = new Map<string, { readonly until: number; readonly tools: Promise<readonly RemoteTool[]> }>();
  const ask = async (key: string, server: RemoteToolServer): Promise<readonly RemoteTool[]> => {
    try {
      const terms = { timeoutSeconds: LIST_SECONDS, maxBytes: MAX_BYTES };
      return await inTime((signal) => remote.list(server, terms, signal), { seconds: LIST_SECONDS, late });
    } catch (error) {
      const kept = lists.get(key);
      if (kept) lists.set(key, { ...kept, until: clock.now().getTime() + FAILURE_KEPT_MS });
      throw error;
    }
  };
  return (server: RemoteToolServer): Promise<readonly RemoteTool[]> => {
    const key = JSON.stringify(server);
    const now = clock.now().getTime();
    const kept = lists.get(key);
    if (kept && kept.until > now) return kept.tools;
    lists.delete(key);
    const [oldest] = lists.size >= MAX_KEPT ? lists.keys() : [];
    if (oldest !== undefined) lists.delete(oldest);
    const tools = ask(key, server);
    tools.catch(() => {});
    lists.set(key, { until: now + KEPT_MS, tools });
    return tools;
  };
};

export type RemoteLists = ReturnType<typeof remoteLists>;

/** A tool that can be offered. */
type Usable = RemoteTool & { readonly inputSchema: JsonSchema };

const isDescribed = (tool: RemoteTool): tool is Usable => tool.name !== '' && tool.inputSchema?.type === 'object';

const defectOf = (tool: RemoteTool, schemas: SchemaValidator): string | null => {
  if (isDescribed(tool)) return schemas.foreignDefect(tool.inputSchema);
  if (tool.name === '') return 'it has no name';
  return tool.inputSchema === null ? 'it does not say what its input is' : 'its input is not an object';
};

/**
 * Clients refuse a whole list for one schema of a result that they cannot compile, and every result for one that they read otherwise: without
 * it, the tool is as good. By the name of a schema they would take that of another tool for it.
 */
const outputOf = (tool: RemoteTool, schemas: SchemaValidator) => {
  if (tool.outputSchema?.type !== 'object') return {};
  const { $id: _, ...outputSchema } = tool.outputSchema;
  return schemas.clientDefect(outputSchema) === null ? { outputSchema } : {};
};

/** The tools of another MCP server, each a group of its own; those whose input cannot be checked are reported to `leaveOut`. */
export const remoteTools = (
  remote: RemoteTools,
  server: RemoteToolServer,
  offered: readonly RemoteTool[],
  {
    schemas,
    timeoutSeconds,
    leaveOut,
  }: { schemas: SchemaValidator; timeoutSeconds: number; leaveOut(name: string, why: string): void },
): readonly ToolGroup[] => {
  const terms: RemoteTerms = { timeoutSeconds, maxBytes: MAX_BYTES };
  const prefix = server.name === null ? '' : `${slugOf(server.name, 'tool')}_`;
  if (offered.length > MAX_TOOLS)
    leaveOut(`(${offered.length - MAX_TOOLS} more)`, `a server may have ${MAX_TOOLS} tools`);
  return offered.slice(0, MAX_TOOLS).flatMap((tool): readonly ToolGroup[] => {
    const defect = defectOf(tool, schemas);
    if (defect !== null) leaveOut(tool.name, defect);
    if (defect !== null || !isDescribed(tool)) return [];
    const { name, description, inputSchema, annotations } = tool;
    const about = {
      description: description.slice(0, MAX_DESCRIPTION),
      inputSchema,
      annotations,
      ...outputOf(tool, schemas),
    };
    const run: LoneTool['run'] = (input, { signal, report }) =>
      remote.call(server, { name, input, report }, terms, signal);
    return [alone(prefix + slugOf(name, 'tool'), { ...about, run })];
  });
};
