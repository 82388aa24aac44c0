/**
 * The part of a statement that ends what is unfinished in the runs of its `ended (id, status, reason, code)`: their units
 * the same way, their documents under extraction with the reason, their conversations are idle.
 */
export const endUnfinished = `
units_ended as (
  update run_units u set status = e.status, error = e.reason, error_code = e.code from ended e
  where u.run_id = e.id and u.status in ('queued', 'running') returning u.conversation_id, u.document_id, e.reason
), documents_ended as (
  update documents d set status = 'error', error = u.reason, updated_at = clock_timestamp() from units_ended u
  where d.id = u.document_id and d.status = 'extracting'
), conversations_ended as (
  update conversations c set status = 'idle', updated_at = clock_timestamp() from units_ended u
  where c.id = u.conversation_id and c.status = 'responding'
)`;
