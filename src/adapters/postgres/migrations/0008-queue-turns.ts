/** The queue by workspace: a claim steps from one workspace with queued runs to the next and reads none of the runs between. */
export const sql = `
create index runs_queued on runs (workspace_id, created_at, id) where status = 'queued';
drop index runs_claimable;
`;
