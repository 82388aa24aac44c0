import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { AgentService } from '../../application/agents/agents.ts';
import { missingScope, type Tool } from '../../application/tools/tool.ts';
import type { ToolService } from '../../application/tools/tools.ts';
import type { Agent } from '../../domain/agent.ts';
import type { Caller } from '../../domain/caller.ts';
import { isObject, type JsonSchema } from '../../domain/json.ts';
import { slugOf } from '../../domain/tool.ts';
import { type Mirrored, mirroredIn } from './header-values.ts';
import { allVersions, meta } from './revisions.ts';
import { TASKS } from './tasks.ts';

export interface Offer {
  readonly tool: Tool;
  readonly mirrored: readonly Mirrored[];
}

export type ServedAgent = ReturnType<typeof servedAgent>;

/** How long clients may keep a list. */
const TTL_MS = 60_000;

/** `true` and `false` as objects that say the same. */
const asObject = (schema: unknown) => {
  if (schema === true) return {};
  return schema === false ? { not: {} } : schema;
};

/** A schema whose properties are objects: some clients drop all tools if one has `true` or `false`. */
const portable = (schema: JsonSchema): JsonSchema => {
  const { properties } = schema;
  if (!isObject(properties) || Object.values(properties).every(isObject)) return schema;
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, asObject(property)])),
  };
};

const described = ({ name, description, inputSchema, outputSchema, annotations }: Tool) => ({
  name,
  title: annotations.title,
  description,
  inputSchema: portable(inputSchema),
  ...(outputSchema && { outputSchema: portable(outputSchema) }),
  annotations: {
    title: annotations.title,
    readOnlyHint: annotations.readOnly,
    destructiveHint: annotations.destructive,
    idempotentHint: annotations.idempotent,
    openWorldHint: annotations.openWorld,
  },
});

/** Always in one order, so that model providers can cache the list. */
const inOrder = (tools: readonly Tool[]) => tools.toSorted((one, other) => (one.name < other.name ? -1 : 1));

/**
 * An agent at the tool endpoint. What stays the same between two calls is JSON text already. Tools that the scopes of a token do not grant
 * are not listed, and a call says which scope is missing.
 */
export const servedAgent = (
  { id, name, description, version: agentVersion }: Agent,
  tools: readonly Tool[],
  caller: Caller,
  version: string,
) => {
  const offered = inOrder(tools);
  const serverInfo = { name: slugOf(name, 'agent'), title: name, version };
  const self = { [meta.server]: serverInfo };
  const instructions = description === '' ? {} : { instructions: description };
  const capabilities = { tools: {} };
  const discovered = { ...capabilities, extensions: { [TASKS]: {} } };
  const isGranted = (tool: Tool) => caller.scopes === null || missingScope(tool, caller) === null;
  const listed = offered.filter(isGranted).map(described);
  const kept = { ttlMs: TTL_MS, cacheScope: 'private', _meta: self };
  return {
    id,
    name,
    agentVersion,
    offers: new Map(
      offered.map((tool): [string, Offer] => [tool.name, { tool, mirrored: mirroredIn(tool.inputSchema) }]),
    ),
    /** The agents of which its tools start runs. */
    started: new Set(offered.flatMap(({ runs }) => runs ?? [])) as ReadonlySet<string>,
    legacyList: JSON.stringify({ tools: listed }),
    /** For revisions that know no structured results. */
    plainList: JSON.stringify({ tools: listed.map(({ outputSchema: _, ...tool }) => tool) }),
    modernList: JSON.stringify({ resultType: 'complete', tools: listed, ...kept }),
    discovery: JSON.stringify({
      resultType: 'complete',
      supportedVersions: allVersions,
      capabilities: discovered,
      ...instructions,
      ...kept,
    }),
    /** The result of `initialize`, without the revision. */
    handshake: { capabilities, serverInfo, ...instructions },
    /** `_meta` of results in revisions without a handshake. */
    self,
  };
};

interface Dependencies {
  readonly agents: AgentService;
  readonly tools: Pick<ToolService, 'servedTools'>;
  /** The version of this program. */
  readonly version: string;
}

interface Kept {
  readonly version: number;
  readonly until: number;
  readonly served: Promise<ServedAgent>;
}

const MOST_KEPT = 1000;
/** Short, because the connections and databases that a user sees may change. */
const KEPT_MS = 1000;
/** How long a caller with an older list waits for a new one: a server of remote tools may be out of reach. */
const PATIENCE_MS = 500;

const patiently = async (fresh: Promise<ServedAgent>, before: Promise<ServedAgent>): Promise<ServedAgent> => {
  const over = new AbortController();
  const late = sleep(PATIENCE_MS, before, { signal: over.signal }).catch(() => fresh);
  return Promise.race([fresh, late]).finally(() => over.abort());
};

/** Finds the agent for a caller; rejects with `not_found` if the caller does not see it. */
export const servedAgents = ({ agents, tools, version }: Dependencies) => {
  const known = new LRUCache<string, Kept>({ max: MOST_KEPT });
  const prepare = async (agent: Agent, caller: Caller) =>
    servedAgent(agent, (await tools.servedTools(agent, caller)).tools, caller, version);

  return async (caller: Caller, agentId: string): Promise<ServedAgent> => {
    const agent = await agents.get(caller, agentId);
    const granted = caller.scopes === null ? 'all' : [...caller.scopes].toSorted().join(' ');
    const key = `${caller.userId}/${agent.id}/${granted}`;
    const now = performance.now();
    const kept = known.get(key);
    const before = kept?.version === agent.updatedAt.getTime() ? kept : null;
    if (before && before.until > now) return before.served;
    const fresh = prepare(agent, caller);
    const served = before ? patiently(fresh, before.served) : fresh;
    known.set(key, { version: agent.updatedAt.getTime(), until: now + KEPT_MS, served });
    served.catch(() => known.delete(key));
    return served;
  };
};
