/**
 * Counters of a workspace beside those of its agents, so that the total of a run list reads a few rows however many agents there are: the
 * roll-up adds what it rolls up to `run_totals` too, and what it has not rolled up yet is in the slots from 0 on.
 */
const totals = `
create table run_totals (
  workspace_id uuid not null,
  status text not null,
  runs bigint not null,
  primary key (workspace_id, status)
) with (fillfactor = 50);

alter table run_counts add column workspace_id uuid;
update run_counts c set workspace_id = a.workspace_id from agents a where a.id = c.agent_id;
delete from run_counts where workspace_id is null;
alter table run_counts alter column workspace_id set not null;
insert into run_totals (workspace_id, status, runs) select workspace_id, status, sum(runs) from run_counts where slot < 0 group by 1, 2;
create index run_counts_of_workspace on run_counts (workspace_id) where slot >= 0;

create or replace function count_runs() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into run_counts (workspace_id, agent_id, status, slot, runs)
    select workspace_id, agent_id, status, pg_backend_pid() % 16, count(*) from new_runs where origin = 'api' group by 1, 2, 3 order by 2, 3
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  elsif tg_op = 'UPDATE' then
    insert into run_counts (workspace_id, agent_id, status, slot, runs)
    select workspace_id, agent_id, status, pg_backend_pid() % 16, sum(delta) from (
      select workspace_id, agent_id, status, 1 as delta from new_runs where origin = 'api'
      union all
      select workspace_id, agent_id, status, -1 from old_runs where origin = 'api'
    ) moves group by 1, 2, 3 having sum(delta) <> 0 order by 2, 3
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  else
    insert into run_counts (workspace_id, agent_id, status, slot, runs)
    select workspace_id, agent_id, status, pg_backend_pid() % 16, -count(*) from old_runs where origin = 'api' group by 1, 2, 3 order by 2, 3
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  end if;
  return null;
end $$;
`;

/** The agents that not every user of a workspace sees: mostly few. */
const restricted = `
create index agents_restricted on agents (workspace_id) where removed_at is not null or visible_to is not null;
`;

export const sql = totals + restricted;
