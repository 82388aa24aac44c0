const plain = ['workflow_type', 'model', 'instructions'];
const json = ['document_schema', 'system_of_record', 'tools', 'review', 'checks', 'duplicate_key', 'required_values'];
const columns = [...plain, ...json];
const comparable = (row: string) =>
  `(${[...plain, ...json.map((column) => `${column}::text`)].map((column) => `${row}.${column}`).join(', ')})`;

/** Which values a document must have is a part of its agent's definition. */
export const sql = `
alter table agents add column required_values json;
alter table agent_versions add column required_values json;

create or replace function number_agent_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + case when ${comparable('new')} is distinct from ${comparable('old')} then 1 else 0 end;
  return new;
end $$;

create or replace function keep_agent_version() returns trigger language plpgsql as $$
begin
  insert into agent_versions (agent_id, version, ${columns.join(', ')}) values (new.id, new.version, ${columns.map((column) => `new.${column}`).join(', ')});
  return null;
end $$;

drop trigger agent_versions_kept on agent_versions;
create trigger agent_versions_kept before update on agent_versions for each row
  when ((old.agent_id, old.version) <> (new.agent_id, new.version) or ${comparable('old')} is distinct from ${comparable('new')})
  execute function refuse_agent_version_change();
`;
