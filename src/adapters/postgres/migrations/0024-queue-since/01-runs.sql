-- What has come into the queue of late, of every workspace. The planner may use it only where the condition names the time, as 0007 says.
create index runs_queued_since on runs (created_at) where status = 'queued' and created_at > '-infinity';
