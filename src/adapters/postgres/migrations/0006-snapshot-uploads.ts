/** Since when a newer upload was there: what it replaced is removed once no address of it works any more. */
export const sql = `
alter table sandbox_snapshots add column superseded_at timestamptz(3);
update sandbox_snapshots s set superseded_at = now()
where uploaded and exists (
  select from sandbox_snapshots n where n.conversation_id = s.conversation_id and n.uploaded and (n.created_at, n.id) > (s.created_at, s.id)
);
create index sandbox_snapshots_awaited on sandbox_snapshots (created_at, id) where not uploaded;
create index sandbox_snapshots_superseded on sandbox_snapshots (superseded_at, id) where superseded_at is not null;
`;
