/**
 * The total of a run list is the sum of a few counters instead of a count over the runs. A counter has 16 slots, one per
 * group of database sessions, so that runs created at once do not wait for each other; rows are taken in one order, so
 * that no two transactions wait in a circle. Transition tables are added up, never joined: they have no statistics, and a
 * join of them is planned for one row and then run for hundreds.
 *
 * A change of status is told by its own transaction. A new run is told after its commit (run-creation.ts): transactions
 * that notify commit one after another, each waiting for the disk.
 */
export const counters = `
create table run_counts (
  agent_id uuid not null,
  status text not null,
  slot smallint not null,
  runs bigint not null,
  primary key (agent_id, status, slot)
) with (fillfactor = 50);

create function count_runs() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into run_counts (agent_id, status, slot, runs)
    select agent_id, status, pg_backend_pid() % 16, count(*) from new_runs where origin = 'api' group by 1, 2 order by 1, 2
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  elsif tg_op = 'UPDATE' then
    insert into run_counts (agent_id, status, slot, runs)
    select agent_id, status, pg_backend_pid() % 16, sum(delta) from (
      select agent_id, status, 1 as delta from new_runs where origin = 'api'
      union all
      select agent_id, status, -1 from old_runs where origin = 'api'
    ) moves group by 1, 2 having sum(delta) <> 0 order by 1, 2
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  else
    insert into run_counts (agent_id, status, slot, runs)
    select agent_id, status, pg_backend_pid() % 16, -count(*) from old_runs where origin = 'api' group by 1, 2 order by 1, 2
    on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs;
  end if;
  return null;
end $$;
create trigger runs_inserted after insert on runs referencing new table as new_runs for each statement execute function count_runs();
create trigger runs_updated after update on runs referencing old table as old_runs new table as new_runs for each statement execute function count_runs();
create trigger runs_deleted after delete on runs referencing old table as old_runs for each statement execute function count_runs();

create function run_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('portico_runs', new.id || ' ' || new.status);
  return null;
end $$;
create trigger runs_changed after update of status on runs for each row when (old.status is distinct from new.status) execute function run_changed();
`;
