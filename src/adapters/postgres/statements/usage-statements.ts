import { MOST_USAGE_ROWS } from '../../../domain/usage.ts';
import { prepared } from '../connection/database.ts';
import { isSeenBy } from './visibility.ts';

/** The columns of an entry that are added up, besides its cost. */
export const sums = ['runs', 'documents', 'pages', 'pages_ocr', 'input_tokens', 'output_tokens'];
/** What entries of a day are added up by. */
export const keys = 'workspace_id, day, agent_id, agent_version, user_id, model';

/** The columns that say whose work an entry is. */
export const ofWork = 'workspace_id, agent_id, agent_version, user_id, model';

/** What a sum of money becomes by another one; null as long as there is neither. */
export const withCost = (sum: string, more: string) => `coalesce(${sum} + ${more}, ${sum}, ${more})`;

const figures = (sum: (column: string) => string, prefix = '') =>
  [
    ...sums.map((column) => `${sum(column)}::float8 as ${prefix}${column}`),
    `trim_scale(${sum('cost')})::text as ${prefix}cost`,
  ].join(', ');

/**
 * `$1` workspace, `$2` user, `$3` and `$4` the first and the last day, then whether it is grouped by day, agent, version, model and user.
 * Agents that were removed count as well: what they cost was spent.
 */
export const report = prepared('usage_report')`
with used as (
  select ${keys}, ${sums.join(', ')}, cost from usage_days where workspace_id = $1 and day between $3::date and $4::date
  union all
  select ${keys}, ${sums.join(', ')}, cost from usage_entries where workspace_id = $1 and day between $3::date and $4::date
), grouped as (
  select case when $5 then used.day end as day, case when $6 then used.agent_id end as agent_id,
    case when $7 then used.agent_version end as agent_version, case when $8 then used.model end as model, case when $9 then used.user_id end as user_id,
    ${figures((column) => `sum(used.${column})`)}, ${figures((column) => `sum(sum(used.${column})) over ()`, 'total_')}
  from used join agents a on a.id = used.agent_id and ${isSeenBy('$2', 'a')}
  group by 1, 2, 3, 4, 5
)
select g.*, g.day::text as day, a.name as agent_name, coalesce(u.name, '') as user_name, w.prices ->> 'currency' as currency
from workspaces w left join grouped g on true left join agents a on a.id = g.agent_id left join users u on u.id = g.user_id
where w.id = $1
order by g.day, a.name, g.agent_id, g.agent_version, g.model, u.name, g.user_id limit ${MOST_USAGE_ROWS + 1}`;
