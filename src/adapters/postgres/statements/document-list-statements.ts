import type { DocumentFilter, DocumentWindow, Viewer } from '../../../application/ports/storage.ts';
import { CREATED_AT, isSameOrder, newestFirst } from '../../../domain/document-order.ts';
import { documentStates } from '../tables/states.ts';
import { posts } from './agent-statements.ts';
import { documentForms } from './document-columns.ts';
import { type Bind, conditionOf, searchesOf } from './document-conditions.ts';
import { orderBy, orderTerms } from './document-order-statements.ts';
import { fitting } from './page-bytes.ts';
import { visible } from './visibility.ts';
import { isReadyToPost } from './work-statements.ts';

/** No page is longer. Written into the statements, it makes the planner expect few rows and so keep one plan for all pages. */
export const LONGEST = 101;

export interface Page extends DocumentWindow {
  readonly form: keyof typeof documentForms;
}

/** An export holds a page with its data. */
const exported = fitting(
  '(select f.id, f.created_at, e.document_data from found f join documents e on e.id = f.id)',
  ['document_data'],
  'created_at desc, id desc',
);

const trashed = documentStates.after('trash');
const isTrash = ({ status }: DocumentFilter) => `'${status}'` === trashed;

/** What a row of documents `d` says by itself, indexed with its agent and its time. */
const ownConditions = (filter: DocumentFilter, after: string | null, bind: Bind): string => {
  const { runId, status, review, readyToPost = false } = filter;
  // The trash has indexes of its own, which the planner takes where the statement names it.
  const conditions = [isTrash(filter) ? `d.status = ${trashed}` : `d.status <> ${trashed}`];
  if (status !== null && !isTrash(filter)) conditions.push(`d.status = ${bind(status)}`);
  if (review !== null) conditions.push(`d.review_status = ${bind(review)}`);
  if (readyToPost) conditions.push(isReadyToPost);
  if (runId !== null) conditions.push(`d.run_id = ${bind(runId)}::uuid`);
  if (after !== null) conditions.push(`(d.created_at, d.id) < ${after}`);
  return conditions.join(' and ');
};

/** By all that differs between the texts of statements; null: a filter over the data makes the text, so that no name says what it is. */
const nameOf = (filter: DocumentFilter, { form, after, order = newestFirst }: Page): string | null => {
  const { agentId, runId, status, review, readyToPost = false, q, where } = filter;
  if (where !== null) return null;
  const name = ['documents', form];
  if (!isSameOrder(order, newestFirst)) name.push(order.by === CREATED_AT ? 'by_time' : 'by_value', order.direction);
  if (agentId !== null) name.push('agentId');
  if (runId !== null) name.push('runId');
  if (status !== null) name.push(isTrash(filter) ? 'trash' : 'status');
  if (review !== null) name.push('review');
  if (readyToPost) name.push('ready');
  if (after !== null) name.push('after');
  if (q !== null) name.push('q');
  return name.join('_');
};

/**
 * What differs between the statements of one page: the words of SQL that stand in them by these names. Beside those, a statement is the
 * same for every filter.
 */
export const termsOf = ({ workspaceId, userId }: Viewer, filter: DocumentFilter, page: Page) => {
  const { limit, after, form, order = newestFirst } = page;
  const values: unknown[] = [workspaceId, userId];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const { agentId, runId, readyToPost = false, q, where } = filter;
  const most = `${bind(limit + 1)}::bigint`;
  const asked = [visible('a'), agentId && `and a.id = ${bind(agentId)}::uuid`, readyToPost && `and ${posts}`];
  const isNewestFirst = isSameOrder(order, newestFirst);
  const isByValue = order.by !== CREATED_AT;
  const at = isNewestFirst && after ? [`${bind(after.createdAt)}::timestamptz`, `${bind(after.id)}::uuid`] : null;
  const own = ownConditions(filter, at && `(${at.join(', ')})`, bind);
  const searches = searchesOf(q, where, bind);
  const conditions = searches.map((search) => `d.words @@ ${search}`);
  if (where !== null) conditions.push(`(${conditionOf(where, bind)})`);
  const visibleAgents = `visible as materialized (select a.id from agents a where ${asked.filter(Boolean).join(' ')})`;
  const documentsOfRun = `of_run as materialized (select d.* from documents d where ${own})`;
  const source = runId === null ? 'documents' : 'of_run';
  const { columns, joins } = documentForms[form];
  return {
    values,
    form,
    name: nameOf(filter, page),
    hasConditions: conditions.length > 0,
    hasWords: searches.length > 0,
    isOfWorkspace: agentId === null && runId === null && !readyToPost,
    /** One more than the page has, which says whether another follows. */
    most,
    /** The agents that the viewer sees, and the documents of the run that is asked for. */
    sources: runId === null ? visibleAgents : `${visibleAgents}, ${documentsOfRun}`,
    source,
    own,
    /** The documents of an agent `s`, from its own index. */
    newest: `from ${source} d where d.agent_id = s.id and ${own} order by d.created_at desc, d.id desc`,
    until: at ? at[0] : `'infinity'::timestamptz`,
    /** What `documents.words` has of the documents that are looked for. */
    words: searches.join(' && '),
    // `offset 0`: the data is parsed once for a row, not once for each condition.
    data:
      where !== null || isByValue
        ? 'cross join lateral (select searched_json(d.document_data) as data offset 0) v'
        : '',
    conditions: conditions.join(' and ') || 'true',
    /** What an order other than newest first asks for. */
    ordered: isNewestFirst ? null : { ...order, isByValue, ...orderTerms(order, isByValue, after, bind) },
    /** The columns of a page, whose documents the statement has as `found`. */
    columns,
    shown: `from ${form === 'exported' ? exported : 'found'} f join documents d on d.id = f.id ${joins}`,
  };
};

export type Terms = ReturnType<typeof termsOf>;

const shown = ({ columns, shown }: Terms) => `select ${columns} ${shown} order by f.created_at desc, f.id desc`;

/** Of an agent or a run: the newest of those that each agent has newest. */
export const list = (terms: Terms) => {
  const { sources, newest, most } = terms;
  return `
with ${sources}, found as (
  select * from (
    select d.* from visible s
      cross join lateral (select * from (select d.id, d.created_at ${newest} limit ${LONGEST}) d limit ${most}) d
    order by d.created_at desc, d.id desc limit ${LONGEST}
  ) d limit ${most}
)
${shown(terms)}`;
};

/**
 * Of all agents that the viewer sees, which is mostly all there are: the page is the newest of the workspace, each if its agent is seen,
 * and costs the same however many agents there are. Where the newest do not fill it, each agent is asked for its newest. `offset 0`: the
 * agents are looked up one by one, until the page is full.
 */
export const listOfWorkspace = (terms: Terms, { scanned }: { readonly scanned: number }) => {
  const { sources, own, newest, most } = terms;
  return `
with ${sources}, near as materialized (
  select * from (
    select d.id, d.created_at
    from (
      select d.id, d.agent_id, d.created_at from documents d where d.workspace_id = $1 and ${own}
      order by d.created_at desc, d.id desc limit ${scanned}
    ) d
      cross join lateral (select from agents a where a.id = d.agent_id and ${visible('a')} offset 0) seen
    order by d.created_at desc, d.id desc limit ${LONGEST}
  ) d limit ${most}
), rest as materialized (
  select (select count(*) from near) < ${most} and exists (
    select from documents d where d.workspace_id = $1 and ${own} order by d.created_at desc, d.id desc offset ${scanned} limit 1
  ) as "isOpen"
), found as (
  select * from near where not (select "isOpen" from rest)
  union all (
    select * from (
      select d.* from visible s
        cross join lateral (select * from (select d.id, d.created_at ${newest} limit ${LONGEST}) d limit ${most}) d
      where (select "isOpen" from rest)
      order by d.created_at desc, d.id desc limit ${LONGEST}
    ) d limit ${most}
  )
)
${shown(terms)}`;
};

/**
 * In another order than newest first. Each agent has a schema of its own, whose values no index knows. So a page reads every document of
 * the agent that is asked for, and keeps the first of them: it costs the same however deep it lies. Its time limit is that of searches.
 */
export const listInOrder = (ordered: NonNullable<Terms['ordered']>) => (terms: Terms) => {
  const { sources, source, own, most, data, conditions, columns, shown } = terms;
  return `
with ${sources}, found as materialized (
  select * from (
    select r.* from (
      select ${ordered.columns} from ${source} d ${data} ${ordered.joins}
      where d.agent_id in (select id from visible) and ${own} and ${conditions} and ${ordered.condition}
    ) r
    ${orderBy(ordered, 'r')} limit ${LONGEST}
  ) r limit ${most}
)
select ${columns} ${shown} ${orderBy(ordered, 'f')}`;
};
