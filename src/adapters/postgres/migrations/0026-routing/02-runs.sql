-- A run of a routing agent: the files that it has divided, the parts, and who reads them.

-- Set of a run that only reads parts of another one again, after a person has changed them: it is listed and logged nowhere.
-- `parts_revision` counts these changes.
alter table runs add column part_of uuid references runs on delete cascade, add column parts_revision integer not null default 0;
create index runs_part_of on runs (part_of) where part_of is not null;

-- A unit that reads a part of a file: which file within the one of the run, and which of its pages. The agent and its version are those of the
-- part; null for the agent of the run.
alter table run_units add column agent_id uuid, add column agent_version integer, add column part json;
-- The version of the agent, of what was read for a part; null for that of the run.
alter table conversations add column agent_version integer;
alter table documents add column agent_version integer;

-- What was read of the files of the run. `blank`: pages with nothing on them, separator sheets among them.
create table run_sheets (
  run_id uuid not null references runs on delete cascade,
  file_name text not null,
  file_index integer not null,
  place integer not null,
  pages integer not null,
  blank integer[] not null,
  primary key (run_id, file_name)
);

-- `unit_run_id`: the run whose unit reads the part; null for a part that is ignored.
create table run_parts (
  run_id uuid not null references runs on delete cascade,
  index integer not null,
  name text not null,
  file_name text not null,
  pages integer[] not null,
  evidence json not null default '[]',
  confidence float8,
  unit_run_id uuid,
  unit_index integer,
  primary key (run_id, index)
);
