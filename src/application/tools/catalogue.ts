import type { Agent } from '../../domain/agent.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Connection } from '../../domain/connection.ts';
import { DomainError } from '../../domain/errors.ts';
import {
  claimNames,
  labelOfTool,
  type RemoteToolServer,
  type StoredTool,
  slugOf,
  type ToolDeclaration,
} from '../../domain/tool.ts';
import { closed } from '../../wire/kit/structures.ts';
import { webAnswer } from '../../wire/web-search.ts';
import type { AgentService } from '../agents/agents.ts';
import { openTool } from '../agents/declarations.ts';
import type { ConnectionService } from '../connections/connections.ts';
import type { DatabaseService } from '../databases/databases.ts';
import type { DocumentService } from '../documents/documents.ts';
import { type Outbound, OutboundFailure } from '../ports/outbound.ts';
import type { SchemaValidator } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { AgentSummary } from '../ports/storage.ts';
import type { RemoteTools } from '../ports/tools.ts';
import type { RunService } from '../runs/runs.ts';
import type { UploadService } from '../runs/uploads.ts';
import type { WebSearchService } from '../search/web-search.ts';
import { documentTools } from './document-tools.ts';
import { httpTool } from './http-tools.ts';
import { type RemoteLists, remoteTools } from './mcp-tools.ts';
import { outcome } from './run-tools.ts';
import { connectionTools, databaseTools } from './system-tools.ts';
import {
  alone,
  annotated,
  answered,
  described,
  refused,
  type Tool,
  ToolDefect,
  type ToolGroup,
  textInput,
} from './tool.ts';

/** Something about a declaration that its author should know. */
export interface ToolReport {
  /** Which declaration, as `connection erp`. */
  readonly tool: string;
  readonly message: string;
  /** `out of reach`: its server could not be asked, and the message may name that. `hidden`: it is there, but not for this caller. */
  readonly severity: 'left out' | 'out of reach' | 'renamed' | 'hidden';
}

export interface Catalogue {
  readonly tools: readonly Tool[];
  readonly reports: readonly ToolReport[];
}

export interface ToolSources {
  readonly agents: AgentService;
  readonly connections: ConnectionService;
  readonly databases: DatabaseService;
  readonly documents: DocumentService;
  readonly runs: RunService;
  readonly uploads: UploadService;
  readonly outbound: Outbound;
  readonly webSearch: WebSearchService;
  readonly remote: RemoteTools;
  readonly schemas: SchemaValidator;
  readonly sealer: Sealer;
}

const PAGE = 200;

/** Finds one of a kind by its name, among those that are loaded when a declaration first asks. */
const finder = <K extends string, T extends Readonly<Record<K, string>>>(
  kind: string,
  key: K,
  load: () => Promise<readonly T[]>,
) => {
  let loaded: Promise<readonly T[]> | undefined;
  return async (name: string): Promise<T> => {
    loaded ??= load();
    const match = (await loaded).find((item) => item[key] === name);
    if (match === undefined)
      throw new ToolDefect(`names ${name}, which is not among the ${kind} that are to be seen`, true);
    return match;
  };
};

/** What the caller can see. */
const visibleTo = ({ agents, connections, databases }: ToolSources, caller: Caller) => {
  const everyConnection = async () => {
    const all: Connection[] = [];
    for (;;) {
      const page = await connections.list(caller, { limit: PAGE, offset: all.length });
      all.push(...page);
      if (page.length < PAGE) return all;
    }
  };
  return {
    agent: finder('agents', 'name', () => agents.list(caller)),
    connection: finder('connections', 'name', everyConnection),
    database: finder('databases', 'id', () => databases.list(caller)),
  };
};

const searchTool = (webSearch: WebSearchService) =>
  alone(
    'search_web',
    described({
      description: 'Searches the web. Answers a summary whose [n] refer to the sources.',
      input: closed({ query: textInput('What to look for.', 2000) }),
      output: webAnswer,
      annotations: annotated('Search the web', 'reads', { openWorld: true }),
      run: async ({ query }, { caller, signal }) => answered(webAnswer, await webSearch.search(caller, query, signal)),
    }),
  );

interface Dependencies extends ToolSources {
  readonly remoteLists: RemoteLists;
  readonly timeoutSeconds: number;
}

/** Of one agent, for one caller. */
interface Sources extends Dependencies {
  readonly agent: Pick<Agent, 'id' | 'visibleTo'>;
  readonly visible: ReturnType<typeof visibleTo>;
}

type LeaveOut = (name: string, why: string) => void;

const remoteGroups = async (
  { schemas, remote, remoteLists, timeoutSeconds }: Dependencies,
  server: RemoteToolServer,
  leaveOut: LeaveOut,
) => remoteTools(remote, server, await remoteLists(server), { schemas, timeoutSeconds, leaveOut });

/** The tools of one declaration, each group by a name of its own. */
const groupsOf = async (
  sources: Sources,
  declaration: ToolDeclaration,
  leaveOut: LeaveOut,
): Promise<readonly ToolGroup[]> => {
  const { schemas, outbound, visible, timeoutSeconds } = sources;
  switch (declaration.kind) {
    case 'search_web':
      return [searchTool(sources.webSearch)];
    case 'documents':
      return documentTools(sources.documents, sources.agent.id);
    case 'connection':
      return [
        connectionTools(
          sources.connections,
          await visible.connection(declaration.connection),
          declaration.write,
          sources.agent,
        ),
      ];
    case 'database':
      return [databaseTools(sources.databases, await visible.database(declaration.database))];
    case 'agent':
      return [agentTool(sources.runs, await visible.agent(declaration.agent))];
    case 'unknown':
      throw new ToolDefect(declaration.defect);
    case 'http':
      return [httpTool(declaration.http, { outbound, schemas, timeoutSeconds })];
    case 'mcp':
      return remoteGroups(sources, declaration.mcp, leaveOut);
  }
};

const opened = (tool: StoredTool, sealer: Sealer): ToolDeclaration => {
  try {
    return openTool(tool, sealer);
  } catch {
    throw new ToolDefect('cannot be read: was it stored under another ENCRYPTION_KEY?');
  }
};

/** Errors of the declaration, or of the server that it names; an outage of our own is none of them. */
const errorOf = (tool: string, error: unknown): ToolReport => {
  if (error instanceof ToolDefect)
    return { tool, message: error.message, severity: error.hidden ? 'hidden' : 'left out' };
  const isOurs = error instanceof DomainError && error.kind === 'busy';
  if (isOurs || !(error instanceof DomainError || error instanceof OutboundFailure)) throw error;
  return { tool, message: error.message, severity: 'out of reach' };
};

const reporter =
  (label: string, reports: ToolReport[]): LeaveOut =>
  (name, why) =>
    void reports.push({
      tool: `${label} ${name.slice(0, 100)}`.trim(),
      message: `cannot be offered: ${why}`,
      severity: 'left out',
    });

/** What is wrong with the tools of another server, whoever uses them. */
export const remoteReports = async (
  dependencies: Dependencies,
  entry: ToolDeclaration,
): Promise<readonly ToolReport[]> => {
  const reports: ToolReport[] = [];
  const label = labelOfTool(entry);
  try {
    if (entry.kind === 'mcp') await remoteGroups(dependencies, entry.mcp, reporter(label, reports));
  } catch (error) {
    reports.push(errorOf(label, error));
  }
  return reports;
};

/** What an entry yields; its error stays with it. */
const readEntry = async (sources: Sources, entry: StoredTool, reports: ToolReport[]) => {
  const label = labelOfTool(entry);
  const leaveOut = reporter(label, reports);
  try {
    const declaration = opened(entry, sources.sealer);
    const groups = await groupsOf(sources, declaration, leaveOut);
    const { requiresApproval, untrusted, kind } = declaration;
    const isRemote = kind === 'mcp';
    return { label, groups, hasOwnSchemas: !isRemote && kind !== 'http', requiresApproval, untrusted, isRemote };
  } catch (error) {
    reports.push(errorOf(label, error));
    return null;
  }
};

type Read = NonNullable<Awaited<ReturnType<typeof readEntry>>>;

const namedTools = (
  { label, groups, hasOwnSchemas, requiresApproval, untrusted }: Read,
  taken: Set<string>,
  reports: ToolReport[],
): readonly Tool[] =>
  groups.flatMap(({ base, tools, system = null }) => {
    const suffixes = tools.map(({ suffix }) => suffix);
    const [plain] = claimNames(new Set(), base, suffixes);
    const names = claimNames(taken, base, suffixes);
    if (names[0] !== plain) {
      reports.push({
        tool: label,
        message: `is offered as ${names.join(', ')}: another tool has its name`,
        severity: 'renamed',
      });
    }
    return tools.map(({ suffix: _, ...tool }, index) => ({
      ...tool,
      name: names[index] ?? base,
      hasOwnSchemas,
      requiresApproval,
      untrusted,
      system,
    }));
  });

/** What is offered beside what an agent declares. */
const undeclared = (groups: readonly ToolGroup[]): Read => ({
  label: 'runs',
  groups,
  hasOwnSchemas: true,
  requiresApproval: false,
  untrusted: null,
  isRemote: false,
});

/**
 * The tools that an agent's declarations yield for this caller, and what is wrong with those that yield none. `more`: tools that the
 * agent does not declare, whose names give way to all others.
 */
export const catalogueOf = async (
  dependencies: Dependencies,
  agent: Pick<Agent, 'id' | 'tools' | 'visibleTo'>,
  caller: Caller,
  more: readonly ToolGroup[] = [],
): Promise<Catalogue> => {
  const sources = { ...dependencies, agent, visible: visibleTo(dependencies, caller) };
  const reports: ToolReport[] = [];
  const all = (await Promise.all(agent.tools.map((entry) => readEntry(sources, entry, reports)))).filter(
    (each) => each !== null,
  );
  // Names that come from other servers give way, so that what such a server adds renames nothing of ours.
  const inOrder = [
    ...all.filter(({ isRemote }) => !isRemote),
    ...all.filter(({ isRemote }) => isRemote),
    undeclared(more),
  ];
  const taken = new Set<string>();
  return { tools: inOrder.flatMap((read) => namedTools(read, taken, reports)), reports };
};

/** Starts a background run of another agent and answers at once: its outcome is looked up later. */
const agentTool = (runs: RunService, { id, name, description }: AgentSummary) =>
  alone(`run_${slugOf(name, 'agent')}`, {
    ...described({
      description: `Starts a background run of the agent ${name}${description === '' ? '' : ` (${description.slice(0, 500)})`}. Answers the run's id at once; the run ends later.`,
      input: closed({ message: textInput('The message to the agent.', 100_000) }),
      output: outcome,
      annotations: annotated(`Run ${name}`, 'adds'),
      async run({ message }, { caller, mayStartRuns, untrusted, traceId = null, showLimit }) {
        if (!mayStartRuns) return refused('A run that a tool started cannot start another one.');
        const { run } = await runs.start(caller, {
          agentId: id,
          files: [],
          processTogether: false,
          userMessage: message,
          traceId,
          idempotency: null,
          origin: untrusted ? 'untrusted_tool' : 'tool',
          showLimit,
        });
        return {
          ...answered(outcome, { runId: run.id, status: run.status }),
          own: true,
          started: { id: run.id, createdAt: run.createdAt },
        };
      },
    }),
    runs: id,
  });
