import { prepared } from '../connection/database.ts';
import { visible } from './visibility.ts';

/** Whether a budget stops the agent of the row, once it is spent. */
export const isLimited = (row: string) =>
  `exists (select from budgets b where stops(b, ${row}.workspace_id, ${row}.agent_id))`;

/** Part of a statement that stores what became of a step, under the lease `$2`: what was reserved for it is free. */
export const unreserved = (conversation: string) =>
  `delete from budget_reservations b where b.conversation_id = ${conversation} and b.lease = $2`;

export const spent = prepared('budgets_spent')`select spent_budget($1, $2) as budget`;

/** `$1` workspace, `$2` user. Without any budget there is one row that has nothing but the currency. */
export const report = prepared('budgets_report')`
select b.name, b.period, b."limit"::text, b.action, case when a.id is not null then json_build_object('id', a.id, 'name', a.name) end as agent,
  u.period_start::text as "periodStart", u.period_end::text as "periodEnd", trim_scale(u.spent)::text as spent, trim_scale(u.reserved)::text as reserved,
  trim_scale(greatest(b."limit" - u.spent - u.reserved, 0))::text as left, w.prices ->> 'currency' as currency
from workspaces w
  left join (budgets b left join agents a on a.id = b.agent_id cross join lateral budget_use(b, usage_now()::date) u)
    on b.workspace_id = w.id and (b.agent_id is null or ${visible('a')})
where w.id = $1 order by b.name`;

/** Once this share of a budget is spent, an event tells the workspace. */
export const WARNED_AT = 0.8;

/** How every budget stands in the period that it is in; `nearly`: once it was warned of. */
const standing = `
select b.*, u.spent, u.period_end,
  case when u.spent >= b."limit" then 'spent' when u.spent >= b."limit" * ${WARNED_AT} then 'nearly' else 'within' end as state
from budgets b cross join lateral budget_use(b, usage_now()::date) u`;

export const states = prepared(
  'budgets_states',
)`select s.action, s.state, count(*)::int as count from (${standing}) s group by 1, 2`;

export const all = prepared('budgets_all')`
select w.name as workspace, s.name, a.name as agent, s.period, s."limit"::text, s.action, trim_scale(s.spent)::text as spent, s.state,
  s.period_end::text as "periodEnd", w.prices ->> 'currency' as currency
from (${standing}) s join workspaces w on w.id = s.workspace_id left join agents a on a.id = s.agent_id order by w.name, s.name`;
