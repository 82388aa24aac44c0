/** The queue of a workspace in turns: in each of them every user who has something queued has one run. */
export const sql = `
alter table runs add column turn bigint not null default 0;
drop index runs_queued;
create index runs_queued on runs (workspace_id, turn, created_at, id) where status = 'queued';
create index runs_queued_of_user on runs (user_id, turn desc) where status = 'queued';
`;
