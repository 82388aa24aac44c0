const plain = ['workflow_type', 'model', 'instructions', 'review'];
const json = ['document_schema', 'system_of_record', 'tools', 'checks', 'duplicate_key'];
const columns = [...plain, ...json];
const of = (row: string) => columns.map((column) => `${row}.${column}`).join(', ');
const comparable = (row: string) =>
  `(${[...plain, ...json.map((column) => `${column}::text`)].map((column) => `${row}.${column}`).join(', ')})`;

/** What the documents of an agent are held to, and by what they are known again, is a part of its definition. */
const definition = `
alter table agents add column checks json not null default '[]', add column duplicate_key json not null default '[]';
alter table agent_versions add column checks json not null default '[]', add column duplicate_key json not null default '[]';

create or replace function number_agent_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + case when ${comparable('new')} is distinct from ${comparable('old')} then 1 else 0 end;
  return new;
end $$;

create or replace function keep_agent_version() returns trigger language plpgsql as $$
begin
  insert into agent_versions (agent_id, version, ${columns.join(', ')}) values (new.id, new.version, ${of('new')});
  return null;
end $$;

drop trigger agent_versions_kept on agent_versions;
create trigger agent_versions_kept before update on agent_versions for each row
  when ((old.agent_id, old.version) <> (new.agent_id, new.version) or ${comparable('old')} is distinct from ${comparable('new')})
  execute function refuse_agent_version_change();
`;

/**
 * The key is null of a document that does not have all of its values, and of those from before. Ids sort by the time they were made, so
 * that the newest duplicates come first from an index, however many there are.
 */
const keys = `
alter table documents add column duplicate_key text;
create index documents_by_duplicate_key on documents (agent_id, duplicate_key, id desc) where duplicate_key is not null and status <> 'trashed';

create table document_files (
  document_id uuid not null references documents on delete cascade,
  sha256 text not null,
  agent_id uuid not null,
  primary key (document_id, sha256)
);
create index document_files_by_content on document_files (agent_id, sha256, document_id desc);
`;

export const sql = definition + keys;
