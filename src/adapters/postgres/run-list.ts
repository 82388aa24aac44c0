import type { Position, RunRepository, RunSummary } from '../../application/ports/storage.ts';
import { joinVersion } from './agent-versions.ts';
import { columnsOf } from './columns.ts';
import { type Database, prepared, type Statement } from './database.ts';
import { RunTable } from './entities.ts';
import { isId } from './ids.ts';
import { visible } from './visibility.ts';

/** A list that skips no more runs than this is a short read: `limit` makes the planner expect few rows. */
const SHALLOW = 1000;

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

const nameOf = ({ byAgent, byStatus, from }: Listing) =>
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
const listings = new Map(
  either
    .flatMap((byAgent) => either.flatMap((byStatus) => ways.map((from) => ({ byAgent, byStatus, from }))))
    .map((terms) => [nameOf(terms), listing(terms)]),
);

const positionOf = (last: Position | undefined): Position | null =>
  last ? { createdAt: last.createdAt, id: last.id } : null;

type Listed = { readonly total: number } & RunSummary;

export const runList =
  (database: Pick<Database, 'read' | 'search'>): RunRepository['listVisible'] =>
  async (viewer, { agentId, status }, { limit, offset, after = null }, signal = new AbortController().signal) => {
    if (agentId !== undefined && !isId(agentId)) return { items: [], total: 0, next: null };
    const from = after !== null ? 'after' : offset + limit >= SHALLOW ? 'deep' : 'offset';
    const statement = listings.get(
      nameOf({ byAgent: agentId !== undefined, byStatus: status !== undefined, from }),
    ) as Statement;
    const given = [agentId, status, after?.createdAt, after?.id].filter((value) => value !== undefined);
    const values = [viewer.workspaceId, viewer.userId, limit + 1, after === null ? offset : 0, ...given];
    // A deep page takes longer: it must not delay the short reads.
    const within = { sharer: viewer, signal };
    const rows = await (from === 'deep'
      ? database.search<Listed>(statement, values, within)
      : database.read<Listed>(statement, values));
    const found = rows.filter(({ id }) => id !== null).map(({ total, ...run }) => run);
    const items = found.slice(0, limit);
    return { items, total: rows[0]?.total ?? 0, next: found.length > limit ? positionOf(items.at(-1)) : null };
  };
