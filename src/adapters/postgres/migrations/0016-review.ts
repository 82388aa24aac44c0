/** Messages and notes may hold what `jsonb` refuses: `json` keeps it. A default that is constant is stored once, not in each of the documents. */
const columns = `
alter table documents
  add column revision integer not null default 1,
  add column attempted_revision integer,
  add column review_status text not null default 'not_required' check (review_status in ('not_required', 'pending', 'approved', 'rejected')),
  add column review_reasons json not null default '[]',
  add column reviewer json,
  add column review_note text,
  add column decided_at timestamptz(3),
  add column checks json not null default '[]',
  add column contradictions json not null default '[]';
alter table documents alter column revision set default 0;
update documents set revision = 0 where document_data is null;
update documents set attempted_revision = revision where status = 'processing';
create index documents_of_agent_by_review on documents (agent_id, review_status, created_at desc, id desc) where status <> 'trashed';

-- Who changed what: \`user_id\` is null for the agent, whose revision is the first.
create table document_revisions (
  document_id uuid not null references documents on delete cascade,
  revision integer not null,
  user_id uuid references users,
  changes json not null default '[]',
  created_at timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (document_id, revision)
);
insert into document_revisions (document_id, revision, created_at) select id, revision, created_at from documents where document_data is not null;
`;

/** The database numbers the first revision, so that what a process of the release before extracts is numbered too. */
const numbering = `
create function number_first_revision() returns trigger language plpgsql as $$
begin
  new.revision := 1;
  insert into document_revisions (document_id, revision) values (new.id, 1);
  return new;
end $$;
create trigger documents_numbered before update of status on documents for each row
  when (old.status = 'extracting' and new.status <> 'extracting' and new.document_data is not null and old.revision = 0)
  execute function number_first_revision();
`;

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`;

const documentData = `json_build_object(
  'id', new.id, 'runId', new.run_id, 'agentId', new.agent_id, 'conversationId', new.conversation_id, 'name', new.name,
  'status', new.status, 'revision', new.revision, 'reviewStatus', new.review_status, 'reviewReasons', new.review_reasons,
  'reviewer', new.reviewer, 'reviewNote', new.review_note, 'decidedAt', ${millis('new.decided_at')},
  'checks', new.checks, 'coverage', new.coverage, 'evidence', new.evidence, 'error', new.error, 'externalReference', new.external_reference,
  'createdAt', ${millis('new.created_at')}, 'updatedAt', ${millis('new.updated_at')}, 'processedAt', ${millis('new.processed_at')})`;

/** One change may be several events: a document that becomes ready may need a review, a correction takes an approval back. */
const recording = `
create or replace function document_changed() returns trigger language plpgsql as $$
declare
  happened text[] := '{}';
begin
  if old.status <> new.status and new.status in ('ready', 'processed', 'error', 'trashed') then
    happened := happened || ('document.' || new.status);
  end if;
  if old.revision <> new.revision and old.status = new.status then
    happened := happened || 'document.changed'::text;
  end if;
  if old.review_status <> new.review_status and new.review_status <> 'not_required' then
    happened := happened || case new.review_status when 'pending' then 'document.review_required' else 'document.' || new.review_status end;
  end if;
  insert into events (workspace_id, agent_id, run_id, document_id, type, data)
  select new.workspace_id, new.agent_id, new.run_id, new.id, h.type, ${documentData}
  from unnest(happened) with ordinality h (type, number) order by h.number;
  perform pg_notify('portico_documents', new.id || ' ' || new.status || ' ' || new.run_id || ' ' || new.workspace_id);
  return null;
end $$;
drop trigger documents_changed on documents;
create trigger documents_changed after update of status, revision, review_status on documents for each row
  when ((old.status, old.revision, old.review_status) is distinct from (new.status, new.revision, new.review_status))
  execute function document_changed();
`;

const definition = 'workflow_type, model, instructions, document_schema, system_of_record, tools, review';
const definitionOf = (row: string) =>
  `(${row}.workflow_type, ${row}.model, ${row}.instructions, ${row}.document_schema::text, ${row}.system_of_record::text, ${row}.tools::text, ${row}.review)`;

/** Which documents are reviewed is a part of an agent's definition. */
const policy = `
alter table agents add column review text not null default 'never' check (review in ('never', 'when_flagged', 'always'));
alter table agent_versions add column review text not null default 'never';

create or replace function number_agent_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + case when ${definitionOf('new')} is distinct from ${definitionOf('old')} then 1 else 0 end;
  return new;
end $$;

create or replace function keep_agent_version() returns trigger language plpgsql as $$
begin
  insert into agent_versions (agent_id, version, ${definition})
  values (new.id, new.version, ${definition.replaceAll(/\w+/g, 'new.$&')});
  return null;
end $$;

drop trigger agent_versions_kept on agent_versions;
create trigger agent_versions_kept before update on agent_versions for each row
  when ((old.agent_id, old.version) <> (new.agent_id, new.version) or ${definitionOf('old')} is distinct from ${definitionOf('new')})
  execute function refuse_agent_version_change();
`;

export const sql = columns + numbering + recording + policy;
