-- Agents that divide files into parts: how they do it, and which agent reads which part.
alter table agents add column split json, add column parts json not null default '[]',
  drop constraint agents_workflow_type_check,
  add constraint agents_workflow_type_check check (workflow_type in ('document_extraction', 'document_routing', 'assistant'));
alter table agent_versions add column split json, add column parts json not null default '[]';

create or replace function number_agent_version() returns trigger language plpgsql as $$
begin
  if (new.workflow_type, new.model, new.instructions, new.document_schema::text, new.system_of_record::text, new.tools::text,
      new.review::text, new.checks::text, new.duplicate_key::text, new.required_values::text, new.einvoice::text,
      new.list_columns::text, new.process, new.split::text, new.parts::text)
    is distinct from (old.workflow_type, old.model, old.instructions, old.document_schema::text, old.system_of_record::text, old.tools::text,
      old.review::text, old.checks::text, old.duplicate_key::text, old.required_values::text, old.einvoice::text,
      old.list_columns::text, old.process, old.split::text, old.parts::text)
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
    list_columns, process, split, parts)
  values (
    new.id, new.version, new.workflow_type, new.model, new.instructions, new.document_schema, new.system_of_record, new.tools,
    new.review, new.checks, new.duplicate_key, new.required_values, new.einvoice,
    new.list_columns, new.process, new.split, new.parts);
  return null;
end $$;

drop trigger agent_versions_kept on agent_versions;
create trigger agent_versions_kept before update on agent_versions for each row
  when ((old.agent_id, old.version) <> (new.agent_id, new.version)
    or (old.workflow_type, old.model, old.instructions, old.document_schema::text, old.system_of_record::text, old.tools::text,
      old.review::text, old.checks::text, old.duplicate_key::text, old.required_values::text, old.einvoice::text,
      old.list_columns::text, old.process, old.split::text, old.parts::text)
    is distinct from (new.workflow_type, new.model, new.instructions, new.document_schema::text, new.system_of_record::text, new.tools::text,
      new.review::text, new.checks::text, new.duplicate_key::text, new.required_values::text, new.einvoice::text,
      new.list_columns::text, new.process, new.split::text, new.parts::text))
  execute function refuse_agent_version_change();
