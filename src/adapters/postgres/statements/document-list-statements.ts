import type { DocumentFilter, DocumentWindow, Viewer } from '../../../application/ports/storage.ts';
import { CREATED_AT, isSameOrder, newestFirst as usualOrder } from '../../../domain/document-order.ts';
import { documentStates } from '../tables/states.ts';
import { documentForms } from './document-columns.ts';
import { type Bind, conditionOf, searchesOf } from './document-conditions.ts';
import { orderBy, orderTerms } from './document-order-statements.ts';
import { visible } from './visibility.ts';

/** How many documents each way to find them looks at. Why these ways: docs/decisions/finding-documents.md. */
export const sizes = {
  /** Of the newest, where no index knows the condition; at least as many of each agent as a page has. */
  scanned: 2000,
  /** Of the newest, for words that some of the sample have; for each document of a page. */
  scannedForWords: 200,
  /** Of the newest, to learn how common the words are. */
  sampled: 128,
  /** Words that no more documents have are rare. */
  rare: 500,
  /** Of the newest, for each document of a page, among which words are looked for that are not rare. */
  windows: [800, 3200],
};
export type Sizes = typeof sizes;

/** Sizes for a page that is to be found faster: it may be shorter, and goes on where these end. */
export const partOf = ({ scanned, scannedForWords, sampled, rare, windows }: Sizes, part: number): Sizes => {
  const fewer = (size: number) => Math.max(1, Math.floor(size / part));
  return {
    sampled: fewer(sampled),
    scanned: fewer(scanned),
    scannedForWords: fewer(scannedForWords),
    rare: fewer(rare),
    windows: windows.map(fewer),
  };
};

/** No page is longer. Written into the statements, it makes the planner expect few rows and so keep one plan for all pages. */
const LONGEST = 101;

export interface Page extends DocumentWindow {
  readonly form: keyof typeof documentForms;
}

/** The parts of the statements that read one page. */
export const termsOf = ({ workspaceId, userId }: Viewer, filter: DocumentFilter, page: Page) => {
  const { limit, after, form, order = usualOrder } = page;
  const values: unknown[] = [workspaceId, userId];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const { agentId, runId, status, review, q, where } = filter;
  const trashed = documentStates.after('trash');
  const isTrash = `'${status}'` === trashed;
  const most = `${bind(limit + 1)}::bigint`;
  const agents = `visible as materialized (select a.id from agents a where ${visible('a')}${agentId === null ? '' : ` and a.id = ${bind(agentId)}::uuid`})`;
  const isUsual = isSameOrder(order, usualOrder);
  const isByValue = order.by !== CREATED_AT;
  const at = isUsual && after && { createdAt: `${bind(after.createdAt)}::timestamptz`, id: `${bind(after.id)}::uuid` };
  const own = [
    // The trash has indexes of its own, which the planner takes where the statement names it.
    ...(isTrash ? [`d.status = ${trashed}`] : [`d.status <> ${trashed}`]),
    ...(status === null || isTrash ? [] : [`d.status = ${bind(status)}`]),
    ...(review === null ? [] : [`d.review_status = ${bind(review)}`]),
    ...(runId === null ? [] : [`d.run_id = ${bind(runId)}::uuid`]),
    ...(!at ? [] : [`(d.created_at, d.id) < (${at.createdAt}, ${at.id})`]),
  ].join(' and ');
  const searches = searchesOf(q, where, bind);
  const conditions = [
    ...searches.map((search) => `d.words @@ ${search}`),
    ...(where === null ? [] : [`(${conditionOf(where, bind)})`]),
  ];
  // `offset 0`: the data is parsed once for a row, not once for each condition.
  const data =
    where === null && !isByValue ? '' : 'cross join lateral (select searched_json(d.document_data) as data offset 0) v';
  const ordered = isUsual ? null : { ...order, isByValue, ...orderTerms(order, isByValue, after, bind) };
  const given = Object.entries({ agentId, runId, [isTrash ? 'trash' : 'status']: status, review, after, q }).flatMap(
    ([term, value]) => (value === null ? [] : [term]),
  );
  return {
    values,
    most,
    own,
    searches,
    conditions,
    data,
    form,
    name:
      where === null
        ? ['documents', form, ...(ordered ? [isByValue ? 'by_value' : 'by_time', order.direction] : []), ...given].join(
            '_',
          )
        : null,
    ordered,
    until: !at ? `'infinity'::timestamptz` : at.createdAt,
    source: runId === null ? 'documents' : 'of_run',
    isOfWorkspace: agentId === null && runId === null,
    sources: `${agents}${runId === null ? '' : `, of_run as materialized (select d.* from documents d where ${own})`}`,
  };
};

export type Terms = ReturnType<typeof termsOf>;

const newestFirst = (row: string) => `order by ${row}.created_at desc, ${row}.id desc`;

const few = (rows: string, { most }: Terms) => `select * from (${rows} limit ${LONGEST}) few limit ${most}`;

/** The newest documents of an agent `s`, from its own index. */
const newest = ({ source, own }: Terms, columns: string) =>
  `select ${columns} from ${source} d where d.agent_id = s.id and ${own} ${newestFirst('d')}`;

const ofEachAgent = (rows: string) => `select newest.* from visible s cross join lateral (${rows}) newest`;

/** An export holds a page with its data: it ends with the document that brings it beyond so many bytes. */
const MOST_BYTES = 8 * 1024 * 1024;
const fitting = `(
  select * from (
    select f.*, sum(octet_length(e.document_data::text)) over (order by f.created_at desc, f.id desc rows unbounded preceding exclude current row) as before
    from found f join documents e on e.id = f.id
  ) f where coalesce(f.before, 0) < ${MOST_BYTES}
)`;

const shown = ({ form, ordered }: Terms, also = '') => {
  const { columns, joins } = documentForms[form];
  return `select ${also} ${columns} from ${form === 'exported' ? fitting : 'found'} f join documents d on d.id = f.id ${joins} ${ordered ? orderBy(ordered, 'f') : newestFirst('f')}`;
};

/** The newest of those that each agent has newest. */
const newestOfEach = (terms: Terms, also = '') =>
  few(`${ofEachAgent(few(newest(terms, 'd.id, d.created_at'), terms))} ${also} ${newestFirst('newest')}`, terms);

const list = (terms: Terms) => `
with ${terms.sources}, found as (${newestOfEach(terms)})
${shown(terms)}`;

/**
 * Of all agents that the viewer sees, which is mostly all there are: the page is the newest of the workspace, each if its agent is seen,
 * and costs the same however many agents there are. Where the newest do not fill it, each agent is asked for its newest. `offset 0`: the
 * agents are looked up one by one, until the page is full.
 */
const listOfWorkspace = (terms: Terms, { scanned }: Sizes) => {
  const all = `select d.id, d.agent_id, d.created_at from documents d where d.workspace_id = $1 and ${terms.own} ${newestFirst('d')}`;
  const seen = `cross join lateral (select from agents a where a.id = d.agent_id and ${visible('a')} offset 0) seen`;
  return `
with ${terms.sources}, near as materialized (
  ${few(`select d.id, d.created_at from (${all} limit ${scanned}) d ${seen} ${newestFirst('d')}`, terms)}
), rest as materialized (
  select (select count(*) from near) < ${terms.most} and exists (select from (${all} limit ${scanned + 1}) d offset ${scanned}) as "isOpen"
), found as (
  select * from near where not (select "isOpen" from rest) union all (${newestOfEach(terms, 'where (select "isOpen" from rest)')})
)
${shown(terms)}`;
};

/** Among how many agents a scan is shared, and how many documents a sample has of each: agents that have fewer than their share leave it to the others. */
const sharing = (terms: Terms, { scanned, sampled }: Sizes) => `sharing as materialized (
  select greatest(count(*), 1) as agents, ${sampled} / greatest(count(*), 1) + 1 as sampled from visible s
  where (select count(*) from visible) = 1 or (${newest(terms, 'true')} offset ${scanned} / (select count(*) from visible) limit 1)
)`;

/** Of an agent that has more than `many` documents, the place of the last of these. Down to the highest such place, the documents of all agents are known. */
const horizon = (terms: Terms, many: string) => `horizon as materialized (
  ${ofEachAgent(`${newest(terms, 'd.created_at, d.id')} offset greatest((${many}) - 1, 0) limit 1`)} ${newestFirst('newest')} limit 1
)`;

/** Looks through the `n` newest documents of each agent, one by one until a page is full; so many as `known` are known down to the horizon. */
const scan = (terms: Terms, quota: string) => {
  const first = few(
    `select d.id, d.created_at from (${newest(terms, 'd.*')} limit (select n from quota)) d ${terms.data}
      where ${terms.conditions.join(' and ')} ${newestFirst('d')}`,
    terms,
  );
  return `quota as materialized (${quota}), ${horizon(terms, 'select known from quota')}, near as materialized (
  ${few(
    `select near.* from (${ofEachAgent(first)}) near left join horizon h on true
      where h.id is null or (near.created_at, near.id) >= (h.created_at, h.id) ${newestFirst('near')}`,
    terms,
  )}
)`;
};

/** The documents that are found, beside what is known of those that follow; a row without a place has the latter alone. */
const answer = (terms: Terms, known: string) => `
select known.*, shown.* from (${known}) known
  left join lateral (${shown(terms, 'row_number() over (order by f.created_at desc, f.id desc) as place,')}) shown on true order by place`;

const look = (terms: Terms, sizes: Sizes) => `
with ${terms.sources}, ${sharing(terms, sizes)}, ${scan(terms, `select n, n as known from (select greatest(${terms.most}, ${sizes.scanned} / agents) as n from sharing) q`)},
found as (select * from near)
${answer(terms, 'select created_at as "horizonAt", id as "horizonId" from (select) one left join horizon on true')}`;

/** The first of the candidates that match. `offset 0` keeps the planner from reading a whole index for the few that are looked at. */
const matching = (terms: Terms, candidates: string) =>
  few(
    `select candidate.id, candidate.created_at from (select * from ${candidates} candidate ${newestFirst('candidate')}) candidate
    cross join lateral (select * from documents d where d.id = candidate.id offset 0) d ${terms.data}
    where d.agent_id in (select id from visible) and ${[terms.own, ...terms.conditions].join(' and ')} ${newestFirst('candidate')}`,
    terms,
  );

const hasWords = ({ searches }: Terms) => `d.words @@ (${searches.join(' && ')})`;

/**
 * What is common fills a page from the newest documents; what is rare comes from the index of words. A sample of the newest says which to
 * try first, and among how many of them a page of it is, thrice over. What is neither is left open.
 */
const search = (terms: Terms, sizes: Sizes) => {
  const { most } = terms;
  const sample = ofEachAgent(`${newest(terms, 'd.words')} limit (select sampled from sharing)`);
  const expected = `greatest(1, least(${sizes.scannedForWords}, 3 * seen / matching) / agents) * ${most}`;
  const quota = `select n, greatest(n, sampled) as known from (select sampled, case when matching > 0 then greatest(sampled, ${expected}) else 0 end as n from sample, sharing) q`;
  return `
with ${terms.sources}, ${sharing(terms, sizes)}, sample as materialized (
  select count(*) as seen, count(*) filter (where ${hasWords(terms)}) as matching from (${sample}) d
), ${scan(terms, quota)}, filled as materialized (
  select not exists (select from horizon) or (select count(*) from near) >= ${most} as is_filled
), indexed as materialized (select d.id, d.created_at from documents d where ${hasWords(terms)}),
counted as materialized (select * from indexed where not (select is_filled from filled) limit ${sizes.rare + 1}),
known as materialized (select count(*) > ${sizes.rare} as "isOpen" from counted),
rare as materialized (select * from counted where not (select "isOpen" from known)),
found as materialized (select * from near where (select is_filled from filled) union all (${matching(terms, 'rare')}))
${answer(terms, 'select * from known')}`;
};

/**
 * Looks for the words among the newest documents: PostgreSQL intersects what the index of words and that of an agent say, and reads what
 * both have. Left open if the words fill no page; a page is short if its other conditions leave less. The times are subqueries so that the
 * planner expects few documents between them, whatever they are.
 */
const searchNewest = (each: number) => (terms: Terms, sizes: Sizes) =>
  `
with ${terms.sources}, ${sharing(terms, sizes)}, ${horizon(terms, `select ${each} * ${terms.most} / agents from sharing`)}, near as materialized (
  select d.id, d.created_at from ${terms.source} d where ${hasWords(terms)} and ${terms.own} and d.agent_id = any (array(select id from visible))
    and d.created_at between (select coalesce(max(created_at), '-infinity') from horizon) and (select ${terms.until})
), found as materialized (${matching(terms, 'near')})
${answer(
  terms,
  `select h.created_at as "horizonAt", '00000000-0000-0000-0000-000000000000'::uuid as "horizonId",
    h.id is not null and (select count(*) from near) < ${terms.most} as "isOpen" from (select) one left join horizon h on true`,
)}`;

/** The index has the agents as well, so that what other workspaces have is not read. */
const searchAll = (terms: Terms) => `
with ${terms.sources}, sought as materialized (
  select (select string_agg(quote_literal('@' || s.id), ' | ') from visible s)::tsquery && ${terms.searches.join(' && ')} as words
), indexed as materialized (
  select d.id, d.created_at from documents d where d.words @@ (select words from sought) and ${terms.own}
), found as materialized (${matching(terms, 'indexed')})
${shown(terms)}`;

/**
 * In another order than newest first. No index knows the values of a schema that each agent has for itself: a page reads every document of
 * the agent that is asked for and keeps the first of them, so that it costs the same however deep it lies, under the time limit of searches.
 */
const inOrder = (ordered: NonNullable<Terms['ordered']>) => (terms: Terms) => {
  const { own, conditions, data, source, sources } = terms;
  const rows = `select ${ordered.columns} from ${source} d ${data} ${ordered.joins}
    where d.agent_id in (select id from visible) and ${[own, ...conditions, ordered.condition].join(' and ')}`;
  return `
with ${sources}, found as materialized (
  ${few(`select r.* from (${rows}) r ${orderBy(ordered, 'r')}`, terms)}
)
${shown(terms)}`;
};

/** The statements for a page by their names, each for what those before it leave open. */
export const statementsFor = ({ conditions, searches, isOfWorkspace, ordered }: Terms, { windows }: Sizes) => {
  if (ordered) return { ordered: inOrder(ordered) };
  if (conditions.length === 0) return { list: isOfWorkspace ? listOfWorkspace : list };
  if (searches.length === 0) return { look };
  return { search, ...Object.fromEntries(windows.map((each) => [`near${each}`, searchNewest(each)])), all: searchAll };
};
