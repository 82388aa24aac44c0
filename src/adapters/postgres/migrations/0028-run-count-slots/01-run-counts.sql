-- A counter has new slots every ten seconds, so that a change of it finds few former versions of its row, which stay as long as a snapshot
-- is older than they: 16 slots in each of 2,000 times, after which they begin again. The roll-up has emptied them long before.
create function run_count_slot() returns smallint language sql volatile as $$
  select ((floor(extract(epoch from clock_timestamp()) / 10)::bigint % 2000) * 16 + pg_backend_pid() % 16)::smallint
$$;

-- As before, with the other slots: rows are taken in one order, so that no two transactions wait in a circle.
create or replace function count_runs() returns trigger language plpgsql as $$
declare
  own_slot constant smallint := run_count_slot();
begin
  if tg_op = 'INSERT' then
    insert into run_counts (workspace_id, agent_id, status, slot, runs)
    select workspace_id, agent_id, status, own_slot, count(*) from new_runs where origin = 'api' group by 1, 2, 3 order by 2, 3
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  elsif tg_op = 'UPDATE' then
    insert into run_counts (workspace_id, agent_id, status, slot, runs)
    select workspace_id, agent_id, status, own_slot, sum(delta) from (
      select workspace_id, agent_id, status, 1 as delta from new_runs where origin = 'api'
      union all
      select workspace_id, agent_id, status, -1 from old_runs where origin = 'api'
    ) moves group by 1, 2, 3 having sum(delta) <> 0 order by 2, 3
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  else
    insert into run_counts (workspace_id, agent_id, status, slot, runs)
    select workspace_id, agent_id, status, own_slot, -count(*) from old_runs where origin = 'api' group by 1, 2, 3 order by 2, 3
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  end if;
  return null;
end $$;
