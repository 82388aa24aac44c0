import type { Check } from '../adapters/cli/operator.ts';
import type { Caller } from '../application/access/caller.ts';
import { isGuarded } from '../application/tools/tool.ts';
import { decisionText, sourcesOf } from '../application/tools/untrusted-decisions.ts';
import type { Composition } from './container.ts';
import { port, service } from './tokens.ts';

interface Equipped {
  readonly id: string;
  readonly name: string;
  readonly workspace: string;
  readonly userId: string | null;
  readonly email: string;
  readonly role: Caller['role'];
  readonly workspaceId: string;
}

/** Agents with tools, each with somebody who sees it: an administrator where there is one. */
const equipped = `
select a.id, a.name, w.name as workspace, a.workspace_id as "workspaceId", u.id as "userId", u.email, u.role
from agents a join workspaces w on w.id = a.workspace_id
left join lateral (
  select id, email, role from users
  where workspace_id = a.workspace_id and removed_at is null and (a.visible_to is null or id = any (a.visible_to))
  order by role = 'admin' desc, email limit 1
) u on true
where a.removed_at is null and json_array_length(a.tools) > 0 order by w.name, a.name`;

const checkOf = async (found: Equipped, { container }: Composition): Promise<readonly Check[]> => {
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
  const { rows } = await composition.database.pool.query<Equipped>(equipped);
  const checks: Check[] = [];
  for (const found of rows) checks.push(...(await checkOf(found, composition)));
  return checks;
};
