-- A condition that a run is queued now allows one index for each question. While the statistics know an empty queue the planner takes the
-- smallest index that it may use, and with another one it would read the whole queue for each run that is created.
drop index runs_unfinished;
create index runs_unfinished on runs (deadline_at) where completed_at is null;
drop index runs_queued_of_user;
create index runs_queued_of_user on runs (user_id, turn desc) where status = 'queued' and turn >= 0;
