import { prepared } from '../connection/database.ts';
import { joinVersion } from './agent-statements.ts';
import { fitting } from './page-bytes.ts';
import { visible } from './visibility.ts';

export const versionOfRun = `coalesce(part.agent_version, r.agent_version) as "agentVersion", coalesce(part.model, v.model) as model`;
/** A document of a part of a file has the version of the agent that read it. */
export const withVersion = (event: string) => `left join (runs r ${joinVersion('r')}) on r.id = ${event}.run_id
left join lateral (
  select d.agent_version, v.model from documents d ${joinVersion('d')} where d.id = ${event}.document_id and r.workflow_type = 'document_routing'
) part on true`;

export const horizon = prepared('events_horizon')`select drawn, settled from event_horizon()`;

/** Events that one read looks at; those of other types, and of agents that the viewer does not see, are among them. What is of no agent, everyone of the workspace sees. */
export const MOST_SCANNED = 5000;

const orders = {
  oldest: { name: 'events', furthest: 'max', sort: 'asc' },
  newest: { name: 'events_back', furthest: 'min', sort: 'desc' },
} as const;

/**
 * The events behind the number $3 and up to $4, in this order; where they do not fill the page, also how far the statement looked.
 * `of`: whose events they are, by an index.
 */
const page = ({ name, furthest, sort }: (typeof orders)[keyof typeof orders], whose: string, of: string) => prepared(
  `${name}_of_${whose}`,
)`
with matching as materialized (
  select e.* from (
    select * from events e where ${of} and e.sequence > $3 and e.sequence <= $4 order by e.sequence ${sort} limit ${MOST_SCANNED}
  ) e
  where e.type = any ($5) and (e.agent_id is null or e.agent_id in (select a.id from agents a where ${visible('a')})) order by e.sequence ${sort} limit $6::int + 1
), scanned as (
  select ${furthest}(s.sequence) as last, count(*)::int as events from (
    select e.sequence from events e where ${of} and e.sequence > $3 and e.sequence <= $4 order by e.sequence ${sort} limit ${MOST_SCANNED}
  ) s where (select count(*) from matching) <= $6::int
)
select s.last, s.events, m."inAll", m.sequence, m.type, m.created_at as "createdAt", m.run_id as "runId", m.document_id as "documentId", m.data, ${versionOfRun}
from scanned s left join ${fitting('matching', ['data'], `sequence ${sort}`)} m on true ${withVersion('m')} order by m.sequence ${sort} limit $6`;

/** How far the events of a run were looked at would tell a viewer who does not see it that it is there. */
const isSeenRun = `exists (select from runs s join agents a on a.id = s.agent_id where s.id = $7 and ${visible('a')})`;

const pagesIn = (order: keyof typeof orders) => ({
  ofWorkspace: page(orders[order], 'workspace', 'e.workspace_id = $1'),
  ofRun: page(orders[order], 'run', `e.run_id = $7 and e.workspace_id = $1 and ${isSeenRun}`),
});
export const forwards = pagesIn('oldest');
export const backwards = pagesIn('newest');

export const newest = prepared('events_newest')`
select sequence from events where workspace_id = $1 and sequence <= $2 order by sequence desc limit 1`;

/** The day that the oldest partition is for, since 1970. */
export const oldestDay = prepared('events_oldest_day')`
select min((substring(c.relname from 8)::date - date '1970-01-01'))::int as day
from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass`;

export const cleanUp = prepared('events_clean_up')`select keep_events($1) as dropped`;
