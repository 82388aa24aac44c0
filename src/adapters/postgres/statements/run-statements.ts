import { prepared, type Statement } from '../connection/database.ts';
import { columnsOf, jsonOf, millis } from '../tables/columns.ts';
import { RunTable, RunUnitTable } from '../tables/entities.ts';
import { documentStates } from '../tables/states.ts';
import { joinVersion } from './agent-statements.ts';
import { runData } from './event-data.ts';
import { isOfPart, partColumns, runsOfUnits } from './routing-statements.ts';
import { endUnfinished } from './run-work-statements.ts';
import { visible } from './visibility.ts';

/** A list that skips no more runs than this is a short read: `limit` makes the planner expect few rows. */
export const SHALLOW = 1000;

/** So many of the newest runs of a workspace are looked through for those that the viewer sees, before each visible agent is asked for its own. */
const SCANNED = 4 * SHALLOW;

/** Of no more agents than this that the viewer does not see, the runs are taken off the total of the workspace. */
const FEW_HIDDEN = 100;

interface Listing {
  readonly byAgent: boolean;
  readonly byStatus: boolean;
  /** `after`: from a position on; `deep`: past many runs, which are counted. */
  readonly from: 'offset' | 'deep' | 'after';
}

export const nameOf = ({ byAgent, byStatus, from }: Listing) =>
  `runs_list${byAgent ? '_by_agent' : ''}${byStatus ? '_by_status' : ''}${from === 'offset' ? '' : `_${from}`}`;

/** What a listing has in common with others: conditions, and the parameters that they use. */
const termsOf = ({ byAgent, byStatus, from }: Listing) => {
  const status = (row: string) => (byStatus ? `and ${row}.status = $${byAgent ? 6 : 5}` : '');
  const first = 5 + Number(byAgent) + Number(byStatus);
  const older =
    from === 'after'
      ? `and (r.created_at, r.id) < ((select $${first}::timestamptz), (select $${first + 1}::uuid))`
      : '';
  return { status, own: `r.origin = 'api' ${status('r')} ${older}`, isDeep: from === 'deep' };
};

const newestFirst = 'order by created_at desc, id desc';
const sumOf = (rows: string) => `coalesce((select sum(c.runs) from ${rows}), 0)`;

/**
 * No rows beyond the total are looked for. The planner sees neither `limit` nor `offset` nor the position, which are subqueries: else each execution would
 * look cheaper than the plan for all of them, and be planned anew, which takes longer than it runs.
 */
const wanted =
  'limit (select case when total > $4::bigint then $3::bigint else 0 end from total) offset (select $4::bigint)';

/** Of one agent, from its own index. */
const ofAgent = (listing: Listing) => {
  const { status, own, isDeep } = termsOf(listing);
  return `
visible as materialized (select a.id from agents a where ${visible('a')} and a.id = $5),
total as (select ${sumOf(`run_counts c where c.agent_id = (select id from visible) ${status('c')}`)}::bigint as total),
page as (
  select id from (
    select r.id, r.created_at from runs r where r.agent_id = (select id from visible) and ${own} ${newestFirst} ${isDeep ? '' : `limit ${SHALLOW}`}
  ) matching ${newestFirst} ${wanted}
)`;
};

/**
 * Of all agents that the viewer sees, which is mostly all there are: the page is the newest runs of the workspace without those of the
 * few other agents. Where the newest do not fill it, each visible agent is asked for its newest.
 */
const ofWorkspace = (listing: Listing) => {
  const { status, own, isDeep } = termsOf(listing);
  const newest = `select r.id, r.agent_id, r.created_at from runs r where r.workspace_id = $1 and ${own} ${newestFirst}`;
  const ofEach = `
  select newest.* from visible s cross join lateral (
    select * from (select r.id, r.created_at from runs r where r.agent_id = s.id and ${own} ${newestFirst} limit ${SHALLOW}) few limit (select $3 + $4::bigint)
  ) newest where (select "isOpen" from rest) ${newestFirst} ${wanted}`;
  return `
hidden as materialized (
  select a.id from agents a where a.workspace_id = $1 and (a.removed_at is not null or a.visible_to is not null) and not (${visible('a')})
), visible as materialized (select a.id from agents a where ${visible('a')}),
sides as materialized (select count(*) <= ${FEW_HIDDEN} as "fewHidden" from (select from hidden limit ${FEW_HIDDEN + 1}) h),
total as materialized (
  select case when "fewHidden"
    then ${sumOf(`run_totals c where c.workspace_id = $1 ${status('c')}`)} + ${sumOf(`run_counts c where c.workspace_id = $1 and c.slot >= 0 ${status('c')}`)}
      - ${sumOf(`hidden h join run_counts c on c.agent_id = h.id ${status('c')}`)}
    else ${sumOf(`visible s join run_counts c on c.agent_id = s.id ${status('c')}`)} end::bigint as total
  from sides
), near as materialized (
  select id, created_at from (${newest} ${isDeep ? '' : `limit ${SCANNED}`}) newest
  where case when (select "fewHidden" from sides) then agent_id not in (select id from hidden) else agent_id in (select id from visible) end
  ${newestFirst} ${wanted}
)${
    isDeep
      ? ', page as (select id from near)'
      : `, rest as materialized (
  select (select count(*) from near) < $3 and exists (select from hidden) and (select total from total) > $4
    and exists (select from (${newest} limit ${SCANNED + 1}) newest offset ${SCANNED}) as "isOpen"
), page as (select id from near where not (select "isOpen" from rest) union all select id from (${ofEach}) newest)`
  }`;
};

/**
 * One statement for each set of filters, so that the planner picks the index for each. The ids of the page come from the index alone;
 * only then the runs are read, each with its agent and its version by their keys, and none beyond the total.
 */
const listing = (terms: Listing): Statement => prepared(nameOf(terms))`
with ${terms.byAgent ? ofAgent(terms) : ofWorkspace(terms)}, listed as (
  select ${columnsOf(RunTable, 'r', ['userMessage', 'files'])}, a.name as "agentName", v.model
  from runs r join agents a on a.id = r.agent_id ${joinVersion('r')} where r.id = any (array(select id from page))
)
select total.total, listed.* from total left join listed on true order by listed."createdAt" desc, listed.id desc`;

const either = [false, true];
const ways = ['offset', 'deep', 'after'] as const;
export const listings = new Map(
  either
    .flatMap((byAgent) => either.flatMap((byStatus) => ways.map((from) => ({ byAgent, byStatus, from }))))
    .map((terms) => [nameOf(terms), listing(terms)]),
);

/** Whether the viewer sees the agent that reads a part: what it makes of it does not exist for others. */
const seenBy = (agent: string) =>
  `exists (select from agents reader where reader.id = ${agent} and ${visible('reader', 'asked.workspace_id', 'asked.user_id')})`;

/**
 * `asked`: one array for each parameter, so that runs that are asked for at the same time share a statement. The planner does not see how
 * long they are, because they are subqueries: else a few runs would look cheaper than the plan for any number, and each execution would be
 * planned anew, which takes longer than it runs.
 */
export const findVisible = prepared('runs_find_visible')`
select asked.place, ${columnsOf(RunTable, 'r')}, a.name as "agentName", v.model, ${partColumns(seenBy('d.agent_id'))}, (
  select json_agg(json_build_object(
    'unit', ${jsonOf(RunUnitTable, 'u', ['runId', 'conversationId', 'documentId'])},
    'conversation', case when c.id is not null then json_build_object('id', c.id, 'status', c.status, 'createdAt', ${millis('c.created_at')}) end,
    'document', case when d.id is not null then json_build_object('id', d.id, 'name', d.name, 'status', d.status, 'error', d.error,
      'conversationId', d.conversation_id, 'agentVersion', d.agent_version,
      'model', (select doer.model from agent_versions doer where doer.agent_id = d.agent_id and doer.version = d.agent_version), 'createdAt', ${millis('d.created_at')}, 'updatedAt', ${millis('d.updated_at')}) end) order by u.run_id, u.index)
  from run_units u left join conversations c on c.id = u.conversation_id and c.removed_at is null and (u.agent_id is null or ${seenBy('u.agent_id')})
    left join documents d on d.id = u.document_id and d.status <> ${documentStates.after('trash')} and (u.agent_id is null or ${seenBy('u.agent_id')})
  where u.run_id = ${runsOfUnits} and ${isOfPart}) as units
from unnest((select $1::uuid[]), (select $2::uuid[]), (select $3::uuid[])) with ordinality as asked (workspace_id, user_id, id, place)
  join runs r on r.id = asked.id and r.workspace_id = asked.workspace_id
  join agents a on a.id = r.agent_id ${joinVersion('r')}
where r.part_of is null and ${visible('a', 'asked.workspace_id', 'asked.user_id')}`;

/** The time after the row is locked, in milliseconds like the tables. */
export const context = `
select a.name as "agentName", v.model, date_trunc('milliseconds', clock_timestamp()) as now
from agents a join agent_versions v on v.agent_id = a.id and v.version = ? where a.id = ?`;
export const end = `
with ended as (
  select r.id, r.part_of, r.workspace_id, r.agent_id, r.status, $2::text as reason, $3::text as code, ${runData('r')} as data from runs r where r.id = $1
), ${endUnfinished}
select 1`;
