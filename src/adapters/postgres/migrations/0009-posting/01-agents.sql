-- A part of an agent's definition: whether its documents are delivered by the workers as soon as they may be.
alter table agents add column process text not null default 'manual' check (process in ('manual', 'automatic'));
alter table agent_versions add column process text not null default 'manual' check (process in ('manual', 'automatic'));

create or replace function number_agent_version() returns trigger language plpgsql as $$
begin
  if (new.workflow_type, new.model, new.instructions, new.document_schema::text, new.system_of_record::text, new.tools::text,
      new.review::text, new.checks::text, new.duplicate_key::text, new.required_values::text, new.einvoice::text,
      new.list_columns::text, new.process)
    is distinct from (old.workflow_type, old.model, old.instructions, old.document_schema::text, old.system_of_record::text, old.tools::text,
      old.review::text, old.checks::text, old.duplicate_key::text, old.required_values::text, old.einvoice::text,
      old.list_columns::text, old.process)
  then
    new.version := old.version + 1;
  else
    new.version := old.version;
  end if;
  return new;
end $$;

create or replace function keep_agent_version() returns trigger language plpgsql as $$
begin
  insert into agent_versions (
    agent_id, version, workflow_type, model, instructions, document_schema, system_of_record, tools, review, checks, duplicate_key, required_values, einvoice,
    list_columns, process)
  values (
    new.id, new.version, new.workflow_type, new.model, new.instructions, new.document_schema, new.system_of_record, new.tools,
    new.review, new.checks, new.duplicate_key, new.required_values, new.einvoice,
    new.list_columns, new.process);
  return null;
end $$;

drop trigger agent_versions_kept on agent_versions;
create trigger agent_versions_kept before update on agent_versions for each row
  when ((old.agent_id, old.version) <> (new.agent_id, new.version)
    or (old.workflow_type, old.model, old.instructions, old.document_schema::text, old.system_of_record::text, old.tools::text,
      old.review::text, old.checks::text, old.duplicate_key::text, old.required_values::text, old.einvoice::text,
      old.list_columns::text, old.process)
    is distinct from (new.workflow_type, new.model, new.instructions, new.document_schema::text, new.system_of_record::text, new.tools::text,
      new.review::text, new.checks::text, new.duplicate_key::text, new.required_values::text, new.einvoice::text,
      new.list_columns::text, new.process))
  execute function refuse_agent_version_change();
