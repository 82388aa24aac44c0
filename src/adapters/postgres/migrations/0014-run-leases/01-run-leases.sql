-- The leases that workers hold on runs, apart from the runs: a renewal rewrites a narrow row, and no row or index of `runs`. A lease ends by its
-- time; `runs.lease_expires_at` is set only where no worker of this version holds the run: it was handed back, or a worker of the
-- version before leases it.
create table run_leases (
  run_id uuid primary key references runs on delete cascade,
  attempt integer not null,
  expires_at timestamptz(3) not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index run_leases_by_end on run_leases (expires_at);

-- A run that is no longer running has no lease, whichever statement, of whichever version, has ended it.
create function end_run_lease() returns trigger language plpgsql as $$
begin
  delete from run_leases where run_id = new.id;
  return null;
end $$;
create trigger runs_end_lease after update of status on runs for each row
  when (old.status = 'running' and new.status <> 'running') execute function end_run_lease();

-- Room in each page for the tokens and approvals of its runs, so that these updates touch no index.
alter table runs set (fillfactor = 85);
