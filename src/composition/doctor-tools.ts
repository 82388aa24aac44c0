import type { Check } from '../adapters/cli/operator.ts';
import { agentsWithTools, type EquippedAgent } from '../adapters/postgres/agents.ts';
import { isGuarded } from '../application/tools/tool.ts';
import { decisionText, sourcesOf } from '../application/tools/untrusted-decisions.ts';
import type { Composition } from './container.ts';
import { port, service } from './tokens.ts';

const checkOf = async (found: EquippedAgent, { container }: Composition): Promise<readonly Check[]> => {
  const name = `tools of ${found.workspace}/${found.name}`;
  const agent = await container.get(port.agents).find(found.id);
  const { userId, email, role, workspaceId } = found;
  if (!agent || userId === null) return [{ name, status: 'warn', detail: 'nobody sees this agent, so nobody can use its tools' }];
  const credential = { id: 'doctor', kind: 'operator' as const };
  const caller = { userId, email, role, workspaceId, credential, scopes: null, boundToAgent: null };
  const { tools, reports } = await container.get(service.tools).toolsOf(agent, caller);
  const errors = reports.map(
    ({ tool, message, severity }): Check => ({ name, status: severity === 'left out' ? 'fail' : 'warn', detail: `${tool} ${message}` }),
  );
  const undecided = tools.filter((tool) => isGuarded(tool) && tool.untrusted === null && !tool.requiresApproval).map((tool) => tool.name);
  const decision = decisionText({ sources: sourcesOf(agent.tools), tools: undecided });
  const open: readonly Check[] = undecided.length === 0 ? [] : [{ name, status: 'warn', detail: `a decision is open: ${decision}` }];
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  return [...(errors.length > 0 ? errors : [{ name, status: 'ok' as const, detail: `${count}, as ${email} sees them` }]), ...open];
};

/** The tools of each agent as somebody who sees it is offered them; servers of tools are asked for theirs. */
export const examineTools = async (composition: Composition): Promise<readonly Check[]> => {
  const checks: Check[] = [];
  for (const found of await agentsWithTools(composition.database)) checks.push(...(await checkOf(found, composition)));
  return checks;
};
