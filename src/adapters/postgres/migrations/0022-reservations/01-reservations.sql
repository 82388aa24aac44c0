-- What was spent is what the entries of usage say, so that a budget that is new, or that changes, counts what was spent before as well, and
-- never says anything else than they do.

-- What the steps under way may cost at most, one for each conversation and lease. The statement that stores what a step has cost takes its
-- reservation away. One that is left when its lease is over is that of a step whose worker died: it counts as spent.
create table budget_reservations (
  conversation_id uuid not null,
  -- The attempt of the run, or the fence of a conversation that no run works on.
  lease bigint not null,
  run_id uuid,
  workspace_id uuid not null,
  agent_id uuid not null,
  day date not null,
  amount numeric not null,
  primary key (conversation_id, lease)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index budget_reservations_of_workspace on budget_reservations (workspace_id);

-- Which events of a budget there were in a period, so that each is there once.
create table budget_events (
  workspace_id uuid not null,
  budget text collate "C" not null,
  period_start date not null,
  type text collate "C" not null,
  primary key (workspace_id, budget, period_start, type)
);

-- The time by which everything is counted, in UTC.
create function usage_now() returns timestamp language sql volatile return clock_timestamp() at time zone 'utc';
alter table usage_entries alter day set default usage_now()::date;

create function is_under_way(reservation budget_reservations) returns boolean language sql stable
return case when reservation.run_id is null
  then exists (select from conversations c where c.id = reservation.conversation_id and c.fence = reservation.lease
    and c.lease_expires_at > clock_timestamp())
  else exists (select from run_leases l where l.run_id = reservation.run_id and l.attempt = reservation.lease and l.expires_at > clock_timestamp())
end;

-- The period of the budget that a day belongs to, and what of it is spent and reserved.
create function budget_use(budget budgets, of_day date, out period_start date, out period_end date, out spent numeric, out reserved numeric)
language sql stable as $$
  select p.first, p.past,
    coalesce((select sum(d.cost) from usage_days d where d.workspace_id = budget.workspace_id and d.day >= p.first and d.day < p.past
      and (budget.agent_id is null or d.agent_id = budget.agent_id)), 0)
    + coalesce((select sum(e.cost) from usage_entries e where e.workspace_id = budget.workspace_id and e.day >= p.first and e.day < p.past
      and (budget.agent_id is null or e.agent_id = budget.agent_id)), 0)
    + coalesce(r.lost, 0), coalesce(r.under_way, 0)
  from (
    select date_trunc(budget.period, of_day::timestamp)::date as first,
      (date_trunc(budget.period, of_day::timestamp) + ('1 ' || budget.period)::interval)::date as past
  ) p cross join lateral (
    select sum(r.amount) filter (where not is_under_way(r)) as lost, sum(r.amount) filter (where is_under_way(r)) as under_way
    from budget_reservations r where r.workspace_id = budget.workspace_id and r.day >= p.first and r.day < p.past
      and (budget.agent_id is null or r.agent_id = budget.agent_id)
  ) r
$$;

create function stops(budget budgets, workspace uuid, agent uuid) returns boolean language sql immutable
return budget.workspace_id = workspace and budget.action = 'stop' and (budget.agent_id is null or budget.agent_id = agent);

-- The budget that stops the agent, because nothing of it is left: of several, the one that does so longest.
create function spent_budget(workspace uuid, agent uuid) returns json language sql stable as $$
  select json_build_object('name', b.name, 'agent', (select a.name from agents a where a.id = b.agent_id), 'period', b.period, 'limit', b."limit"::text,
    'currency', w.prices ->> 'currency', 'seconds', ceil(extract(epoch from u.period_end - usage_now()))::int)
  from budgets b join workspaces w on w.id = b.workspace_id cross join lateral budget_use(b, usage_now()::date) u
  where stops(b, workspace, agent) and u.spent >= b."limit"
  order by u.period_end desc, b.name limit 1
$$;

-- Reserves what a step may cost at most, as long as anything is left. It waits for others that reserve of the same budgets: each statement in
-- it sees what they have reserved. 'full': all that is left is reserved for steps under way.
create function reserve_step(workspace uuid, agent uuid, run uuid, conversation uuid, of_lease bigint, most numeric, out outcome text, out budget json)
language plpgsql as $$
begin
  perform from budgets b where stops(b, workspace, agent) order by b.name for no key update;
  delete from budget_reservations r where r.conversation_id = conversation and r.lease = of_lease;
  budget := spent_budget(workspace, agent);
  if budget is not null then
    outcome := 'spent';
  elsif exists (
    select from budgets b cross join lateral budget_use(b, usage_now()::date) u where stops(b, workspace, agent) and u.spent + u.reserved >= b."limit"
  ) then
    outcome := 'full';
  else
    insert into budget_reservations (conversation_id, lease, run_id, workspace_id, agent_id, day, amount)
    values (conversation, of_lease, run, workspace, agent, usage_now()::date, coalesce(most, 0));
    outcome := 'reserved';
  end if;
end $$;
