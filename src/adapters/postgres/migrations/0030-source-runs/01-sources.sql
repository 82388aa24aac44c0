-- Whether the source has as many runs under way as it may.
alter table sources add column waiting boolean not null default false;
-- Whether nobody looks at it until the workspace file says otherwise.
alter table sources add column paused boolean not null default false;
-- The runs of each source that have not ended.
create index runs_of_sources on runs (workspace_id, (source ->> 'name')) where source is not null and completed_at is null;
