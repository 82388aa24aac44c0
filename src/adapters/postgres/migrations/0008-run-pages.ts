/** The lists of runs hold all that chooses a page, so that the runs before it are passed over without being read. */
export const sql = `
drop index runs_of_workspace;
create index runs_of_workspace on runs (workspace_id, created_at desc, id desc) include (agent_id) where origin = 'api';
drop index runs_of_workspace_by_status;
create index runs_of_workspace_by_status on runs (workspace_id, status, created_at desc, id desc) include (agent_id) where origin = 'api';
drop index runs_of_agent;
create index runs_of_agent on runs (agent_id, created_at desc, id desc) include (status) where origin = 'api';
`;
