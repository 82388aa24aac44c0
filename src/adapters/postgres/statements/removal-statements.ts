/** Parts of transactions that remove conversations and runs for good, with all that hangs on them. `$1`: ids. */

/** No run takes them any more; `uploads.expired` finds them again in case the objects are still there. */
const expired = (keys: string) => `
update uploads u set expired_at = now(), due_at = null from ${keys} where u.key = k.key and u.expired_at is null returning u.key`;

export const expireFiles = expired('unnest($1::text[]) as k (key)');

export const conversationContents = [
  'delete from messages where conversation_id = any ($1::uuid[])',
  'delete from approvals where conversation_id = any ($1::uuid[])',
] as const;

/** The keys of the snapshots, which no address serves any more. */
export const conversationSnapshots = `
with gone as (
  delete from sandbox_snapshots where conversation_id = any ($1::uuid[])
  returning 'snapshots/' || workspace_id || '/' || conversation_id || '/' || id as key
), marked as (${expired('gone k')})
select key from gone`;

/** The rows of conversations that no document needs. */
export const conversationRows = `
delete from conversations c where c.id = any ($1::uuid[]) and not exists (select from documents d where d.conversation_id = c.id)`;

/** What is left of a conversation for its document. */
export const conversationShells = `
update conversations set removed_at = clock_timestamp(), summary = null, summary_seq = -1, begun = '{}', asked_by = null, goes_on_after = null
where id = any ($1::uuid[])`;

/** With the runs that only read parts of them again. */
export const withPartRuns = 'select id from runs where id = any ($1::uuid[]) or part_of = any ($1::uuid[])';

export const conversationsOfRuns = 'select id from conversations where run_id = any ($1::uuid[])';

/** Files that none but these runs have read, and no others. */
export const filesOfRuns = `
select distinct f.key from run_files f where f.run_id = any ($1::uuid[])
  and not exists (select from run_files o where o.key = f.key and o.run_id <> all ($1::uuid[]))`;

export const forgetSources = 'delete from source_files where key = any ($1::text[])';

export const runRows = [
  'delete from approvals where run_id = any ($1::uuid[])',
  'delete from idempotency_keys where run_id = any ($1::uuid[])',
  // What came from a source is not taken again, and is known by its digest alone.
  `update source_items set ref = 'erased ' || place, key = '', name = 'erased', unsettled = false where run_id = any ($1::uuid[])`,
  'delete from run_units where run_id = any ($1::uuid[])',
  'delete from runs where id = any ($1::uuid[])',
] as const;
