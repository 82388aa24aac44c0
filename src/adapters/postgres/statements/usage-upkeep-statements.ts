import { prepared } from '../connection/database.ts';
import { WARNED_AT } from './budget-statements.ts';
import { DECISIONS } from './conversation-statements.ts';
import { keys, sums, withCost } from './usage-statements.ts';

/**
 * The part of a statement that logs what is spent of budgets, each event once in a period. `touched (workspace_id, day)`: where more may be
 * spent than before.
 */
const noted = `
reached as materialized (
  select distinct on (b.id, u.period_start, e.type) b.*, e.type, u.period_start, u.spent
  from (select distinct workspace_id, day from touched) t join budgets b on b.workspace_id = t.workspace_id
    cross join lateral budget_use(b, t.day) u
    cross join (values ('budget.warning', ${WARNED_AT}), ('budget.exhausted', 1)) as e (type, share)
  where u.spent >= e.share * b."limit"
), marked as (
  insert into budget_events (workspace_id, budget, period_start, type)
  select workspace_id, name, period_start, type from reached order by workspace_id, name, period_start, type
  on conflict do nothing returning *
), logged as (
  insert into events (workspace_id, agent_id, type, data)
  select r.workspace_id, r.agent_id, r.type, json_build_object('budget', r.name,
    'agent', (select json_build_object('id', a.id, 'name', a.name) from agents a where a.id = r.agent_id),
    'periodStart', r.period_start, 'limit', r."limit"::text, 'spent', trim_scale(r.spent)::text,
    'currency', (select w.prices ->> 'currency' from workspaces w where w.id = r.workspace_id))
  from reached r join marked m on m.workspace_id = r.workspace_id and m.budget = r.name and m.period_start = r.period_start and m.type = r.type
  order by r.period_start, r.name, r.type desc
  returning workspace_id
)`;

const notify = `select pg_notify('${DECISIONS}', l.workspace_id::text) from (select distinct workspace_id from logged) l`;

/** In the transaction that changes the budgets of workspace `$1`. */
export const noteBudgets = `
with touched as (select $1::uuid as workspace_id, usage_now()::date as day), ${noted}
${notify}`;

/** The longest that a lost reservation, or a mark, is of a period that has not ended. */
const KEPT_DAYS = 62;

/**
 * Adds entries up by day, in one order, so that two processes cannot deadlock, and looks at the budgets that these are of. A statement sees
 * each entry as such or in its day. What a lost worker has reserved has no entry.
 */
export const rollUp = prepared('usage_roll_up')`
with rolled as (
  delete from usage_entries where number in (select number from usage_entries order by number limit 10000 for update skip locked) returning *
), days as (
  insert into usage_days as d (${keys}, ${sums.join(', ')}, cost)
  select ${keys}, ${sums.map((column) => `sum(${column})`).join(', ')}, sum(cost) from rolled group by ${keys} order by ${keys}
  on conflict (${keys}) do update set ${sums.map((column) => `${column} = d.${column} + excluded.${column}`).join(', ')},
    cost = ${withCost('d.cost', 'excluded.cost')}
), touched as (
  select workspace_id, day from rolled union select workspace_id, day from budget_reservations
), ${noted}, forgotten as (
  delete from budget_reservations where day < usage_now()::date - ${KEPT_DAYS}
), unmarked as (
  delete from budget_events where period_start < usage_now()::date - ${KEPT_DAYS}
)
${notify}`;
