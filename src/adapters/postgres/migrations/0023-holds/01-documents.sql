-- While a document is held, nothing deletes it, its run, its conversation or its files.
alter table documents
  add column hold_reason text,
  add column held_by json,
  add column held_at timestamptz(3),
  add check ((held_at is null) = (hold_reason is null) and (held_at is null) = (held_by is null));
create index documents_held on documents (run_id) where held_at is not null;
