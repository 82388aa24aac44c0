const definition = 'workflow_type, model, instructions, document_schema, system_of_record, tools';
const definitionOf = (row: string) =>
  `(${row}.workflow_type, ${row}.model, ${row}.instructions, ${row}.document_schema::text, ${row}.system_of_record::text, ${row}.tools::text)`;

/** What an agent does so far is its first version. */
const versions = `
create table agent_versions (
  agent_id uuid not null references agents,
  version integer not null,
  workflow_type text not null,
  model text not null,
  instructions text not null,
  document_schema json,
  system_of_record json,
  tools json not null,
  created_by uuid references users,
  created_at timestamptz(3) not null default now(),
  primary key (agent_id, version)
);

alter table agents add column version integer not null default 1;
insert into agent_versions (agent_id, version, ${definition}, created_at) select id, version, ${definition}, updated_at from agents;
`;

/**
 * The row of an agent holds its live definition. The database numbers each definition and keeps it, so that those
 * which a process of the release before writes, which knows no versions, are numbered and kept too.
 */
const numbering = `
create function number_agent_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + case when ${definitionOf('new')} is distinct from ${definitionOf('old')} then 1 else 0 end;
  return new;
end $$;
create trigger agents_numbered before update on agents for each row execute function number_agent_version();

create function keep_agent_version() returns trigger language plpgsql as $$
begin
  insert into agent_versions (agent_id, version, ${definition})
  values (new.id, new.version, ${definition.replaceAll(/\w+/g, 'new.$&')});
  return null;
end $$;
create trigger agents_version_first after insert on agents for each row execute function keep_agent_version();
create trigger agents_version_next after update on agents for each row when (old.version <> new.version) execute function keep_agent_version();

create function refuse_agent_version_change() returns trigger language plpgsql as $$
begin
  raise exception 'The definition of a version never changes.';
end $$;
create trigger agent_versions_kept before update on agent_versions for each row
  when ((old.agent_id, old.version) <> (new.agent_id, new.version) or ${definitionOf('old')} is distinct from ${definitionOf('new')})
  execute function refuse_agent_version_change();
`;

/** A constant default is stored once, not in each of the runs. Afterwards it goes, so that a run without a version gets the live one. */
const binding = `
alter table runs add column agent_version integer not null default 1;
alter table runs alter column agent_version drop default;
alter table runs add foreign key (agent_id, agent_version) references agent_versions, drop constraint runs_agent_id_fkey;

create function bind_run_to_version() returns trigger language plpgsql as $$
begin
  select version into new.agent_version from agents where id = new.agent_id;
  return new;
end $$;
create trigger runs_bound before insert on runs for each row when (new.agent_version is null) execute function bind_run_to_version();
`;

export const sql = versions + numbering + binding;
