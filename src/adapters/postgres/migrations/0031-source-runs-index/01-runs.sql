-- In the order of the names of sources, and with a condition that allows this index and no other: that of all runs that have not ended would be
-- read to its end.
drop index runs_of_sources;
create index runs_of_sources on runs (workspace_id, (source ->> 'name') collate "C") where source is not null and (completed_at is null) is true;
