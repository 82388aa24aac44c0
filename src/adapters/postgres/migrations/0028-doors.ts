/** By which door a decision and each revision came: null of what the agent extracted. */
const columns = `
alter table documents add column decided_via text;
alter table document_revisions add column via text;
`;

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`;

const documentData = `json_build_object(
  'id', new.id, 'runId', new.run_id, 'agentId', new.agent_id, 'conversationId', new.conversation_id, 'name', new.name,
  'status', new.status, 'revision', new.revision, 'reviewStatus', new.review_status, 'reviewReasons', new.review_reasons,
  'reviewer', new.reviewer, 'reviewNote', new.review_note, 'decidedAt', ${millis('new.decided_at')}, 'decidedVia', new.decided_via,
  'checks', new.checks, 'coverage', new.coverage, 'evidence', new.evidence, 'error', new.error, 'externalReference', new.external_reference,
  'createdAt', ${millis('new.created_at')}, 'updatedAt', ${millis('new.updated_at')}, 'processedAt', ${millis('new.processed_at')})`;

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
`;

export const sql = columns + recording;
