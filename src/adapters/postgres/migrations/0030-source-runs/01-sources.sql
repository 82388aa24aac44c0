-- Whether the source has as many runs under way as it may.
alter table sources add column waiting boolean not null default false;
-- Whether nobody looks at it until the workspace file says otherwise.
alter table sources add column paused boolean not null default false;
-- The runs of each source that have not ended, in the order of the names of sources. The condition allows this index and no other: that of all
-- runs that have not ended would be read to its end.
create index runs_of_sources on runs (workspace_id, (source ->> 'name') collate "C") where source is not null and (completed_at is null) is true;
