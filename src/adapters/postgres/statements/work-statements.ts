import { MOST_COUNTED } from '../../../application/ports/work.ts';
import { prepared } from '../connection/database.ts';
import { columnsOf } from '../tables/columns.ts';
import { RunTable } from '../tables/entities.ts';
import { approvalStates, documentStates, reviewStates, runStates } from '../tables/states.ts';
import { joinVersion, posts } from './agent-statements.ts';
import { visible } from './visibility.ts';

/** Whether no review holds the document `d` back. */
const isFree = `d.review_status in (${reviewStates.initial}, ${reviewStates.after('approve')})`;

/** Whether the document `d` can be posted, if its agent has a system of record, and no worker is about to. The first two are the condition of an index. */
export const isReadyToPost = `d.status = ${documentStates.after('extract')} and ${isFree} and d.post_at is null`;

const count = (rows: string, name: string) =>
  `(select count(*)::int from (${rows} limit ${MOST_COUNTED}) counted) as "${name}"`;

/** Of each agent no more are looked at than are counted, from an index of its own. */
const documents = (of: string, agents = 'true') => `
  select from visible s cross join lateral (
    select from documents d where d.agent_id = s.id and ${of} and d.status <> ${documentStates.after('trash')} limit ${MOST_COUNTED}
  ) d where ${agents}`;

/** So many of the newest failed runs are looked through for those that left no document. */
const LOOKED_THROUGH = 1000;

/** A run that was to read a document again leaves that document, and does not wait itself. It is the condition of an index. */
const isOpen = `r.status = ${runStates.after('fail')} and r.origin = 'api' and r.dismissed_at is null and r.reread_of is null`;
const failed = `
  select r.id, r.created_at from (
    select r.id, r.agent_id, r.created_at from runs r where r.workspace_id = $1 and ${isOpen} order by r.created_at desc, r.id desc limit ${LOOKED_THROUGH}
  ) r
  where r.agent_id in (select id from visible)
    and exists (select from run_units u where u.run_id = r.id and u.status = ${runStates.after('fail')} and u.document_id is null)
  order by r.created_at desc, r.id desc`;

const visibleAgents = `visible as materialized (select a.id, ${posts} as posts from agents a where ${visible('a')})`;

export const counts = prepared('work_counts')`
with ${visibleAgents}
select ${count(documents(`d.review_status = ${reviewStates.after('require')}`), 'needsReview')},
  ${count(documents(`d.status = ${documentStates.after('fail')} and ${isFree}`), 'failedDocuments')},
  ${count(failed, 'failedRuns')},
  ${count(documents(isReadyToPost, 's.posts'), 'readyToPost')},
  ${count(
    `select from approvals p where p.workspace_id = $1 and p.status = ${approvalStates.initial} and p.agent_id in (select id from visible)`,
    'approvals',
  )}`;

export const failedRuns = prepared('work_failed_runs')`
with ${visibleAgents}, open as (${failed} limit $3)
select ${columnsOf(RunTable, 'r', ['userMessage', 'files'])}, a.name as "agentName", v.model
from open join runs r on r.id = open.id join agents a on a.id = r.agent_id ${joinVersion('r')} order by r.created_at desc, r.id desc`;

export const dismiss = prepared('work_dismiss')`
update runs r set dismissed_at = clock_timestamp() where r.id = $1 and r.status = ${runStates.after('fail')} and r.dismissed_at is null`;
