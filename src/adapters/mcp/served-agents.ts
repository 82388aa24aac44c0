import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../application/access/caller.ts';
import type { AgentService } from '../../application/agents/agents.ts';
import type { ToolService } from '../../application/tools/tools.ts';
import type { Agent } from '../../domain/agent.ts';
import { type ServedAgent, servedAgent } from './served-agent.ts';

interface Dependencies {
  readonly agents: AgentService;
  readonly tools: Pick<ToolService, 'toolsOf'>;
  /** Of this program. */
  readonly version: string;
}

interface Kept {
  readonly version: number;
  readonly until: number;
  readonly served: Promise<ServedAgent>;
}

const MOST_KEPT = 1000;
/** Which connections and databases somebody sees may change at any moment. */
const KEPT_MS = 1000;
/** How long a list is waited for where there is one from before: another server whose tools it names may be out of reach. */
const PATIENCE_MS = 500;

/** The agent for this caller, prepared; a caller who does not see it is told that there is none. */
export type ServedAgents = (caller: Caller, agentId: string) => Promise<ServedAgent>;

const patiently = async (fresh: Promise<ServedAgent>, before: Promise<ServedAgent>): Promise<ServedAgent> => {
  const over = new AbortController();
  const late = sleep(PATIENCE_MS, before, { signal: over.signal }).catch(() => fresh);
  return Promise.race([fresh, late]).finally(() => over.abort());
};

export const servedAgents = ({ agents, tools, version }: Dependencies): ServedAgents => {
  const known = new LRUCache<string, Kept>({ max: MOST_KEPT });
  const prepare = async (agent: Agent, caller: Caller) => servedAgent(agent, (await tools.toolsOf(agent, caller)).tools, version);

  return async (caller, agentId) => {
    const agent = await agents.get(caller, agentId);
    const key = `${caller.userId}/${agent.id}`;
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
