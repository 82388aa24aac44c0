/** The newest documents of a workspace, so that a page of them does not ask each of its agents. */
export const sql = `
create index documents_of_workspace on documents (workspace_id, created_at desc, id desc) include (agent_id) where status <> 'trashed';
create index documents_of_workspace_by_status on documents (workspace_id, status, created_at desc, id desc) include (agent_id) where status <> 'trashed';
create index documents_of_workspace_by_review on documents (workspace_id, review_status, created_at desc, id desc) include (agent_id) where status <> 'trashed';
`;
