import { conversationStates, documentStates, runStates } from './states.ts';

/**
 * The part of a statement that ends what is unfinished in the runs of its `ended (id, status, reason, code)`: their units
 * the same way, their documents under extraction with the reason, their conversations are idle.
 */
export const endUnfinished = `
units_ended as (
  update run_units u set status = e.status, error = e.reason, error_code = e.code from ended e
  where u.run_id = e.id and ${runStates.leads('u.status', 'e.status')} returning u.conversation_id, u.document_id, e.reason
), documents_ended as (
  update documents d set status = ${documentStates.after('fail')}, error = u.reason, updated_at = clock_timestamp() from units_ended u
  where d.id = u.document_id and d.status ${documentStates.before('fail')}
), conversations_ended as (
  update conversations c set status = ${conversationStates.after('end')}, updated_at = clock_timestamp() from units_ended u
  where c.id = u.conversation_id and c.status ${conversationStates.before('end')}
)`;
