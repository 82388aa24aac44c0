-- Places that are looked at for documents.
create table sources (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text collate "C" not null,
  agent_id uuid not null references agents,
  type text not null check (type in ('imap', 'folder', 'bucket')),
  -- What people are shown of the place; all of it is sealed.
  address text not null,
  sealed_place text not null,
  after json not null,
  "from" text[],
  every_seconds integer not null check (every_seconds >= 5),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  removed_at timestamptz(3),
  -- How far it was seen; what that is, the source knows.
  cursor json,
  last_checked_at timestamptz(3),
  error text,
  failures integer not null default 0,
  due_at timestamptz(3) not null default now(),
  -- Whether someone asked for a look since the last one began.
  asked boolean not null default false,
  -- Counts the leases: what a worker whose lease is over would write is refused by it.
  fence integer not null default 0,
  leased_until timestamptz(3)
);
create unique index sources_name on sources (workspace_id, name) where removed_at is null;
create index sources_due on sources (due_at) where removed_at is null;

-- Another place is seen from its beginning.
create function source_moves() returns trigger language plpgsql as $$
begin
  new.cursor = null;
  return new;
end $$;
create trigger sources_move before update of address on sources for each row
  when (old.address <> new.address) execute function source_moves();

-- What came, once each: what became a run, and what did not and why.
create table source_items (
  place bigint generated always as identity primary key,
  source_id uuid not null references sources,
  -- By what the source knows it, with its state.
  ref text collate "C" not null,
  key text not null,
  name text not null,
  received_at timestamptz(3) not null default now(),
  size_bytes bigint,
  digest text,
  run_id uuid references runs on delete set null,
  why_not text,
  -- Whether what is done to it after its run is stored is still to be done.
  unsettled boolean not null,
  check (why_not is not null or digest is not null),
  check (not unsettled or why_not is null)
);
create unique index source_items_once on source_items (source_id, ref);
create unique index source_items_taken on source_items (source_id, digest) where why_not is null;
create index source_items_listed on source_items (source_id, place desc);
create index source_items_unsettled on source_items (source_id, place) where unsettled;
create index source_items_of_run on source_items (run_id) where run_id is not null;

-- Which source a run came from, and what it was there; null if someone asked for it.
alter table runs add column source json;
