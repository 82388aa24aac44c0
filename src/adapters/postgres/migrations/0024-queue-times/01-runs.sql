-- In this form of its condition no statement that names the status alone may use the index, and one that asks in this form may use no other:
-- the planner would read all of `runs_queued`, which has the time as well.
drop index runs_queued_since;
create index runs_queued_since on runs (created_at) where (status = 'queued') is true;
