const plain = ['workflow_type', 'model', 'instructions'];
const json = ['document_schema', 'system_of_record', 'tools', 'review', 'checks', 'duplicate_key'];
const comparable = (row: string) =>
  `(${[...plain, ...json.map((column) => `${column}::text`)].map((column) => `${row}.${column}`).join(', ')})`;

/** The text is that of the program, by which it knows that a definition has not changed. */
const review = (table: string) => `
alter table ${table} alter column review drop default;
alter table ${table} alter column review type json using ('{"when":"' || review || '","by":"client"}')::json;
alter table ${table} alter column review set default '{"when":"never","by":"client"}';
`;

/** The review of an agent says who may approve, beside when. */
const definition = `
drop trigger agent_versions_kept on agent_versions;
alter table agents drop constraint agents_review_check;
${review('agents')}${review('agent_versions')}
create or replace function number_agent_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + case when ${comparable('new')} is distinct from ${comparable('old')} then 1 else 0 end;
  return new;
end $$;

create trigger agent_versions_kept before update on agent_versions for each row
  when ((old.agent_id, old.version) <> (new.agent_id, new.version) or ${comparable('old')} is distinct from ${comparable('new')})
  execute function refuse_agent_version_change();
`;

/** Which revision was approved last, and which rule of who may approve an approval keeps; when the user of a token of the console signed in. */
const approvals = `
alter table documents add column approved_revision integer, add column approved_as text;
alter table oauth_records add column signed_in_at timestamptz(3);
`;

export const sql = definition + approvals;
