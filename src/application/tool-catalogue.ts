import type { Agent } from '../domain/agent.ts';
import { DomainError } from '../domain/errors.ts';
import type { JsonValue } from '../domain/json.ts';
import { claimNames, labelOfTool, readTool, type ToolDeclaration } from '../domain/tool.ts';
import type { AgentService } from './agents.ts';
import type { Caller } from './caller.ts';
import type { ConnectionService } from './connections.ts';
import type { DatabaseService } from './databases.ts';
import { type Outbound, OutboundFailure } from './ports/outbound.ts';
import type { SchemaValidator } from './ports/schemas.ts';
import type { Sealer } from './ports/secrets.ts';
import type { RemoteTools } from './ports/tools.ts';
import type { RunService } from './runs.ts';
import { annotated, answered, inputOf, type Tool, ToolDefect, type ToolGroup, textInput } from './tool.ts';
import { agentTools } from './tool-agent.ts';
import { connectionTools } from './tool-connection.ts';
import { databaseTools } from './tool-database.ts';
import { httpTools } from './tool-http.ts';
import { type RemoteLists, remoteTools } from './tool-remote.ts';
import { openTool } from './tool-secrets.ts';
import type { WebSearchService } from './web-search.ts';

/** Something about a declaration that its author should know. */
export interface ToolReport {
  /** Which declaration, as `connection erp`. */
  readonly tool: string;
  readonly message: string;
  /** `hidden`: it is there, but not for this caller. */
  readonly severity: 'left out' | 'renamed' | 'hidden';
}

export interface Catalogue {
  readonly tools: readonly Tool[];
  readonly reports: readonly ToolReport[];
}

export interface ToolSources {
  readonly agents: AgentService;
  readonly connections: ConnectionService;
  readonly databases: DatabaseService;
  readonly runs: RunService;
  readonly outbound: Outbound;
  readonly webSearch: WebSearchService;
  /** null where tools of other servers cannot be used. */
  readonly remote: RemoteTools | null;
  readonly schemas: SchemaValidator;
  readonly sealer: Sealer;
}

const PAGE = 200;

const unseen = (what: string, name: string) => new ToolDefect(`names ${name}, which is not among the ${what} that are to be seen`, true);

/** What the caller can see, looked up when a declaration first asks. */
const sightOf = ({ agents, connections, databases }: ToolSources, caller: Caller) => {
  const once = <T>(load: () => Promise<T>) => {
    let loaded: Promise<T> | undefined;
    return () => {
      loaded ??= load();
      return loaded;
    };
  };
  const everyConnection = async () => {
    const all: Awaited<ReturnType<ConnectionService['list']>>[number][] = [];
    for (;;) {
      const page = await connections.list(caller, { limit: PAGE, offset: all.length });
      all.push(...page);
      if (page.length < PAGE) return all;
    }
  };
  return { agents: once(() => agents.list(caller)), connections: once(everyConnection), databases: once(() => databases.list(caller)) };
};

const searchTools = (webSearch: WebSearchService): ToolGroup => ({
  base: 'search_web',
  tools: [
    {
      suffix: '',
      description: 'Searches the web. Answers a summary whose [n] refer to the sources.',
      inputSchema: inputOf({ query: textInput('What to look for.', 2000) }, ['query']),
      annotations: annotated('Search the web', 'reads', { openWorld: true }),
      run: async ({ query }, { caller, signal }) => answered(await webSearch.search(caller, String(query), signal)),
    },
  ],
});

/** Lists the servers that are asked over the network, and reads every declaration; each fault stays with its own. */
export const catalogueOf = async (
  sources: ToolSources & { readonly remoteLists: RemoteLists; readonly timeoutSeconds: number },
  { tools: declared }: Pick<Agent, 'tools'>,
  caller: Caller,
): Promise<Catalogue> => {
  const { schemas, sealer, outbound, remote, timeoutSeconds } = sources;
  const sight = sightOf(sources, caller);
  const reports: ToolReport[] = [];

  const groupsOf = async (declaration: ToolDeclaration, label: string): Promise<readonly ToolGroup[]> => {
    switch (declaration.kind) {
      case 'search_web':
        return [searchTools(sources.webSearch)];
      case 'connection': {
        const found = (await sight.connections()).find(({ name }) => name === declaration.connection);
        if (!found) throw unseen('connections', declaration.connection);
        return [connectionTools(sources.connections, found, declaration.write)];
      }
      case 'database': {
        const found = (await sight.databases()).find(({ id }) => id === declaration.database);
        if (!found) throw unseen('databases', declaration.database);
        return [databaseTools(sources.databases, found)];
      }
      case 'agent': {
        const found = (await sight.agents()).find(({ name }) => name === declaration.agent);
        if (!found) throw unseen('agents', declaration.agent);
        return [agentTools(sources.runs, found)];
      }
      case 'http':
        return [httpTools(declaration.http, { outbound, schemas, timeoutSeconds })];
      case 'mcp': {
        if (!remote) throw new ToolDefect('cannot be used here: tools of other servers are not available');
        const offered = await sources.remoteLists(declaration.mcp);
        const leaveOut = (name: string, why: string) =>
          void reports.push({ tool: `${label} ${name.slice(0, 100)}`, message: `cannot be offered: ${why}`, severity: 'left out' });
        return remoteTools(remote, declaration.mcp, offered, { schemas, timeoutSeconds, leaveOut });
      }
    }
  };

  const read = async (entry: JsonValue) => {
    const label = labelOfTool(entry);
    try {
      const declaration = readTool(openTool(entry, sealer));
      if (typeof declaration === 'string') throw new ToolDefect(declaration);
      const groups = await groupsOf(declaration, label);
      return { label, groups, requiresApproval: declaration.requiresApproval, isRemote: declaration.kind === 'mcp' };
    } catch (error) {
      const known = error instanceof ToolDefect || error instanceof DomainError || error instanceof OutboundFailure;
      const message = known ? error.message : 'cannot be read: was it stored under another ENCRYPTION_KEY?';
      reports.push({ tool: label, message, severity: error instanceof ToolDefect && error.hidden ? 'hidden' : 'left out' });
      return null;
    }
  };

  const all = (await Promise.all(declared.map(read))).filter((each) => each !== null);
  // Names that come from other servers give way, so that what such a server adds renames nothing of ours.
  const inOrder = [...all.filter(({ isRemote }) => !isRemote), ...all.filter(({ isRemote }) => isRemote)];
  const taken = new Set<string>();
  const tools = inOrder.flatMap(({ label, groups, requiresApproval }) =>
    groups.flatMap(({ base, tools: group }): readonly Tool[] => {
      const plain = claimNames(
        new Set(),
        base,
        group.map(({ suffix }) => suffix),
      );
      const names = claimNames(
        taken,
        base,
        group.map(({ suffix }) => suffix),
      );
      if (names[0] !== plain[0]) {
        reports.push({ tool: label, message: `is offered as ${names.join(', ')}: another tool has its name`, severity: 'renamed' });
      }
      return group.map(({ suffix, ...tool }, index) => ({ ...tool, name: names[index] ?? base, requiresApproval }));
    }),
  );
  return { tools, reports };
};
