-- How long a workspace keeps what it has, by kind, such as {"files":"90d"}; what is not named is kept for ever.
alter table workspaces add retention json;

-- When work that one process does for all was begun last.
create table upkeep_turns (
  name text collate "C" primary key,
  begun_at timestamptz(3) not null
);
