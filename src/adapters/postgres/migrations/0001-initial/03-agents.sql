-- Agents and the versions of their definitions.

-- The row of an agent holds its live definition.
create table agents (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text collate "C" not null,
  description text not null,
  version integer not null default 1,
  workflow_type text not null check (workflow_type in ('document_extraction', 'assistant')),
  model text not null,
  instructions text not null,
  document_schema json,
  system_of_record json,
  tools json not null default '[]',
  -- The text is that of the program, by which it knows that a definition has not changed.
  review json not null default '{"when":"never","by":"client"}',
  checks json not null default '[]',
  duplicate_key json not null default '[]',
  required_values json,
  visible_to uuid[],
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  removed_at timestamptz(3)
);
create unique index agents_name on agents (workspace_id, name) where removed_at is null;
-- The agents that not every user of a workspace sees: mostly few.
create index agents_restricted on agents (workspace_id) where removed_at is not null or visible_to is not null;

create table agent_versions (
  agent_id uuid not null references agents,
  version integer not null,
  workflow_type text not null,
  model text not null,
  instructions text not null,
  document_schema json,
  system_of_record json,
  tools json not null,
  review json not null default '{"when":"never","by":"client"}',
  checks json not null default '[]',
  duplicate_key json not null default '[]',
  required_values json,
  created_by uuid references users,
  created_at timestamptz(3) not null default now(),
  primary key (agent_id, version)
);

-- The database numbers each definition and keeps it, whichever statement writes it.
create function number_agent_version() returns trigger language plpgsql as $$
begin
  if (new.workflow_type, new.model, new.instructions, new.document_schema::text, new.system_of_record::text, new.tools::text,
      new.review::text, new.checks::text, new.duplicate_key::text, new.required_values::text)
    is distinct from (old.workflow_type, old.model, old.instructions, old.document_schema::text, old.system_of_record::text, old.tools::text,
      old.review::text, old.checks::text, old.duplicate_key::text, old.required_values::text)
  then
    new.version := old.version + 1;
  else
    new.version := old.version;
  end if;
  return new;
end $$;
create trigger agents_numbered before update on agents for each row execute function number_agent_version();

create function keep_agent_version() returns trigger language plpgsql as $$
begin
  insert into agent_versions (
    agent_id, version, workflow_type, model, instructions, document_schema, system_of_record, tools, review, checks, duplicate_key, required_values)
  values (
    new.id, new.version, new.workflow_type, new.model, new.instructions, new.document_schema, new.system_of_record, new.tools,
    new.review, new.checks, new.duplicate_key, new.required_values);
  return null;
end $$;
create trigger agents_version_first after insert on agents for each row execute function keep_agent_version();
create trigger agents_version_next after update on agents for each row when (old.version <> new.version) execute function keep_agent_version();

create function refuse_agent_version_change() returns trigger language plpgsql as $$
begin
  raise exception 'The definition of a version never changes.';
end $$;
create trigger agent_versions_kept before update on agent_versions for each row
  when ((old.agent_id, old.version) <> (new.agent_id, new.version)
    or (old.workflow_type, old.model, old.instructions, old.document_schema::text, old.system_of_record::text, old.tools::text,
      old.review::text, old.checks::text, old.duplicate_key::text, old.required_values::text)
    is distinct from (new.workflow_type, new.model, new.instructions, new.document_schema::text, new.system_of_record::text, new.tools::text,
      new.review::text, new.checks::text, new.duplicate_key::text, new.required_values::text))
  execute function refuse_agent_version_change();

-- What processes remember of agents is dropped the moment any of them changes.
create function agents_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('portico_agents', '');
  return null;
end $$;
create trigger agents_changed after insert or update or delete on agents for each statement execute function agents_changed();
