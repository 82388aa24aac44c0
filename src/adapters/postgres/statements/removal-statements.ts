import { prepared } from '../connection/database.ts';
import { withoutWords } from './source-statements.ts';

/** Parts of transactions that remove conversations and runs for good, with all that hangs on them. `$1`: ids. */

/** No run takes them any more; `uploads.expired` finds them again in case the objects are still there. */
const expired = (keys: string) => `
update uploads u set expired_at = now(), due_at = null from ${keys} where u.key = k.key and u.expired_at is null returning u.key`;

export const expireFiles = prepared('removal_files')`${expired('unnest($1::text[]) as k (key)')}`;

export const conversationContents = [
  prepared('removal_messages')`delete from messages where conversation_id = any ($1::uuid[])`,
  prepared('removal_approvals')`delete from approvals where conversation_id = any ($1::uuid[])`,
] as const;

/** The keys of the snapshots, which no address serves any more. */
export const conversationSnapshots = prepared('removal_snapshots')`
with gone as (
  delete from sandbox_snapshots where conversation_id = any ($1::uuid[])
  returning 'snapshots/' || workspace_id || '/' || conversation_id || '/' || id as key
), marked as (${expired('gone k')})
select key from gone`;

/** The rows of conversations that no document needs. */
export const conversationRows = prepared('removal_conversations')`
delete from conversations c where c.id = any ($1::uuid[]) and not exists (select from documents d where d.conversation_id = c.id)`;

/** What is left of a conversation for its document. */
export const conversationShells = prepared('removal_shells')`
update conversations set removed_at = clock_timestamp(), summary = null, summary_seq = -1, begun = '{}', asked_by = null, goes_on_after = null
where id = any ($1::uuid[])`;

/** With the runs that only read parts of them again. */
export const withPartRuns = prepared('removal_part_runs')`
select id from runs where id = any ($1::uuid[]) or part_of = any ($1::uuid[])`;

export const conversationsOfRuns = prepared('removal_conversations_of_runs')`
select id from conversations where run_id = any ($1::uuid[])`;

/** Files that none but these runs have read, and no others. */
export const filesOfRuns = prepared('removal_files_of_runs')`
select distinct f.key from run_files f where f.run_id = any ($1::uuid[])
  and not exists (select from run_files o where o.key = f.key and o.run_id <> all ($1::uuid[]))`;

export const forgetSources = prepared('removal_source_files')`delete from source_files where key = any ($1::text[])`;

export const runRows = [
  prepared('removal_approvals_of_runs')`delete from approvals where run_id = any ($1::uuid[])`,
  prepared('removal_keys_of_runs')`delete from idempotency_keys where run_id = any ($1::uuid[])`,
  // The row of an item stays, by digests alone, so that its source does not take it again; the item itself stays in the source as it is.
  prepared('removal_source_items')`
update source_items set ref = ${withoutWords('ref')}, key = '', name = 'erased', unsettled = false where run_id = any ($1::uuid[]) and key <> ''`,
  prepared('removal_units')`delete from run_units where run_id = any ($1::uuid[])`,
  prepared('removal_runs')`delete from runs where id = any ($1::uuid[])`,
] as const;
