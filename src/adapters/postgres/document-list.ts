import type { DocumentFilter, DocumentPage, FoundDocument, ListedDocument, Position, Viewer } from '../../application/ports/storage.ts';
import type { Database } from './database.ts';
import { documentForms } from './document-columns.ts';
import { type Bind, conditionOf, searchesOf } from './document-conditions.ts';
import { isId } from './ids.ts';
import { documentStates } from './states.ts';
import { visible } from './visibility.ts';

/** How many documents a page looks at whose condition no index answers, at least as many as it has of each agent. */
const SCANNED = 2000;
/** The same where the index of words answers: what is not common among so many is rare enough for it. */
const SCANNED_FIRST = 500;
/** What none of so many of the newest has is rare enough for the index at once. */
const SAMPLED = 64;
/** Documents may be large: so few are held at a time. */
const EXPORTED = 100;
/** No page is longer. Written into the statements, it makes the planner expect few rows and so keep one plan for all pages. */
const LONGEST = 101;

const newestFirst = (row: string) => `order by ${row}.created_at desc, ${row}.id desc`;

interface Page {
  readonly limit: number;
  readonly after: Position | null;
  readonly form: keyof typeof documentForms;
}

/** The parts of the statements that read one page. */
const termsOf = ({ workspaceId, userId }: Viewer, filter: DocumentFilter, { limit, after, form }: Page) => {
  const values: unknown[] = [workspaceId, userId];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const { agentId, runId, status, review, q, where } = filter;
  const most = bind(limit + 1);
  const agents = `visible as materialized (select a.id from agents a where ${visible('a')}${agentId === null ? '' : ` and a.id = ${bind(agentId)}::uuid`})`;
  const own = [
    `d.status <> ${documentStates.after('trash')}`,
    ...(status === null ? [] : [`d.status = ${bind(status)}`]),
    ...(review === null ? [] : [`d.review_status = ${bind(review)}`]),
    ...(runId === null ? [] : [`d.run_id = ${bind(runId)}::uuid`]),
    ...(after === null ? [] : [`(d.created_at, d.id) < (${bind(after.createdAt)}::timestamptz, ${bind(after.id)}::uuid)`]),
  ].join(' and ');
  const searches = searchesOf(q, where, bind);
  const conditions = [...searches.map((search) => `d.words @@ ${search}`), ...(where === null ? [] : [`(${conditionOf(where, bind)})`])];
  const data = where === null ? '' : 'cross join lateral (select readable_json(d.document_data) as data) v';
  const given = Object.entries({ agentId, runId, status, review, after, q }).flatMap(([term, value]) => (value === null ? [] : [term]));
  return {
    ...{ values, most, own, searches, conditions, data, form },
    name: where === null ? ['documents', form, ...given].join('_') : null,
    source: runId === null ? 'documents' : 'of_run',
    sources: `${agents}${runId === null ? '' : `, of_run as materialized (select d.* from documents d where ${own})`}`,
  };
};

type Terms = ReturnType<typeof termsOf>;

const few = (rows: string, { most }: Terms) => `select * from (${rows} limit ${LONGEST}) few limit ${most}`;

/** The newest documents of an agent `s`, from its own index. */
const newest = ({ source, own }: Terms, columns: string) =>
  `select ${columns} from ${source} d where d.agent_id = s.id and ${own} ${newestFirst('d')}`;

const ofEachAgent = (rows: string) => `select newest.* from visible s cross join lateral (${rows}) newest`;

const shown = ({ form }: Terms, found: string, also = '') => {
  const { columns, joins } = documentForms[form];
  return `select ${also} ${columns} from ${found} f join documents d on d.id = f.id ${joins} ${newestFirst('f')}`;
};

const list = (terms: Terms) => `
with ${terms.sources}, found as (
  ${few(`${ofEachAgent(few(newest(terms, 'd.id, d.created_at'), terms))} ${newestFirst('newest')}`, terms)}
)
${shown(terms, 'found')}`;

/** The first of the candidates that match. `offset 0` keeps the planner from reading a whole index for the few that are looked at. */
const matching = (terms: Terms, candidates: string) =>
  few(
    `select candidate.id, candidate.created_at from (${candidates} ${newestFirst('candidate')}) candidate
    cross join lateral (select * from documents d where d.id = candidate.id offset 0) d ${terms.data} where ${terms.conditions.join(' and ')} ${newestFirst('candidate')}`,
    terms,
  );

/**
 * Looks through the newest documents of each agent, as many as `quota` says. Of an agent that has more, it is not known what lies below
 * the last of them: the highest such place is the horizon, down to which the documents of all agents are known.
 */
const scan = (terms: Terms, quota: string) => `
with ${terms.sources}, quota as materialized (select ${quota} as n from visible),
scanned as materialized (
  ${ofEachAgent(`${newest(terms, `d.id, d.created_at, row_number() over (${newestFirst('d')}) as rank`)} limit (select n from quota)`)}
), horizon as materialized (select h.created_at, h.id from scanned h where h.rank = (select n from quota) ${newestFirst('h')} limit 1),
near as materialized (
  ${matching(
    terms,
    `select candidate.* from scanned candidate left join horizon h on true where h.id is null or (candidate.created_at, candidate.id) >= (h.created_at, h.id)`,
  )}
)`;

const quotaOf = ({ most }: Terms, scanned: number) => `greatest(${most}::bigint, ${scanned} / greatest(count(*), 1))`;

const look = (terms: Terms) => `${scan(terms, quotaOf(terms, SCANNED))}
select horizon.created_at as "horizonAt", horizon.id as "horizonId", shown.* from (select) one left join horizon on true
  left join lateral (${shown(terms, 'near', 'row_number() over (order by f.created_at desc, f.id desc) as place,')}) shown on true order by place`;

/**
 * What is common fills a page from the newest documents; what is rare comes from the index of words, which finds all that there is without
 * regard to its order. A sample of the newest says which to try first.
 */
const search = (terms: Terms) => {
  const { searches, own, most } = terms;
  const sample = ofEachAgent(`${newest(terms, 'd.words')} limit (select ${SAMPLED} / greatest(count(*), 1) + 1 from visible)`);
  const isCommon = `exists (select from (${sample}) d where ${searches.map((each) => `d.words @@ ${each}`).join(' and ')})`;
  return `${scan(terms, `case when ${isCommon} then ${quotaOf(terms, SCANNED_FIRST)} else 0 end`)},
filled as materialized (
  select n > 0 and (not exists (select from horizon) or (select count(*) from near) >= ${most}) as is_filled from quota
), sought as materialized (
  select (select string_agg(quote_literal('@' || s.id), ' | ') from visible s)::tsquery ${searches.map((each) => `&& ${each}`).join(' ')} as words
), indexed as materialized (
  select d.id, d.created_at from documents d where d.words @@ (select words from sought) and ${own} and not (select is_filled from filled)
), found as materialized (
  select * from near where (select is_filled from filled) union all (${matching(terms, 'select candidate.* from indexed candidate')})
)
${shown(terms, 'found')}`;
};

const statementOf = (terms: Terms): string => {
  if (terms.conditions.length === 0) return list(terms);
  return terms.searches.length === 0 ? look(terms) : search(terms);
};

type Queries = Pick<Database, 'pool' | 'read' | 'query'>;
/** Beside the documents, what `look` says: a row without a place has the horizon alone. */
type Found<D> = D & { readonly place?: number | null; readonly horizonAt?: Date | null; readonly horizonId?: string | null };

/** Texts by their names: what a statement is depends on its name alone. */
const texts = new Map<string, string>();

/** Names of filters over the data, by the text of the statement: the first shapes have one and are planned once, all others each time. */
const shapes = new Map<string, string>();
const MOST_SHAPES = 20;

const shapeOf = (text: string): string | undefined => {
  if (!shapes.has(text) && shapes.size < MOST_SHAPES) shapes.set(text, `documents_shape_${shapes.size}`);
  return shapes.get(text);
};

const find = async <D>({ pool, read, query }: Queries, terms: Terms): Promise<readonly Found<D>[]> => {
  const text = texts.get(terms.name ?? '') ?? statementOf(terms);
  const name = terms.name ?? shapeOf(text);
  if (name === undefined) return (await pool.query<Found<D> & object>(text, terms.values)).rows;
  if (terms.name !== null) texts.set(name, text);
  // A search takes longer, and so does data, which may be large: they must not delay the short reads.
  return (terms.conditions.length > 0 || terms.form === 'exported' ? query : read)<Found<D> & object>({ name, text }, terms.values);
};

/** A page of what is found, each document as the form has it. */
const pageOf = async <D>(
  database: Queries,
  viewer: Viewer,
  filter: DocumentFilter,
  page: Page,
  positionOf: (document: D) => Position,
): Promise<DocumentPage<D>> => {
  if ([filter.agentId, filter.runId].some((id) => id !== null && !isId(id))) return { documents: [], next: null };
  const rows = await find<D>(database, termsOf(viewer, filter, page));
  const { horizonAt = null, horizonId = null } = rows[0] ?? {};
  const found = rows.filter(({ place }) => place !== null);
  const documents = found.slice(0, page.limit).map(({ place: _, horizonAt: __, horizonId: ___, ...document }) => document as unknown as D);
  const last = found.length > page.limit ? documents.at(-1) : undefined;
  const horizon = horizonAt && horizonId ? { createdAt: horizonAt, id: horizonId } : null;
  return { documents, next: last === undefined ? horizon : positionOf(last) };
};

const ownPosition = ({ createdAt, id }: Position): Position => ({ createdAt, id });

type Window = Omit<Page, 'form'>;

export const listDocuments = (database: Queries, viewer: Viewer, filter: DocumentFilter, page: Window): Promise<DocumentPage> =>
  pageOf<ListedDocument>(database, viewer, filter, { ...page, form: 'listed' }, ownPosition);

const printedPosition = ({ text }: { readonly text: string }): Position => {
  const { created_at: createdAt, id } = JSON.parse(text) as { readonly created_at: string; readonly id: string };
  return { createdAt: new Date(createdAt), id };
};

export const printDocuments = async (
  database: Queries,
  viewer: Viewer,
  filter: DocumentFilter,
  page: Window,
): Promise<DocumentPage<string>> => {
  const { documents, next } = await pageOf(database, viewer, filter, { ...page, form: 'printed' }, printedPosition);
  return { documents: documents.map(({ text }) => text), next };
};

/** Page after page, so that neither a connection nor a snapshot waits for a slow reader. */
export async function* readDocuments(database: Queries, viewer: Viewer, filter: DocumentFilter): AsyncGenerator<readonly FoundDocument[]> {
  let after: Position | null = null;
  do {
    const page: DocumentPage<FoundDocument> = await pageOf<FoundDocument>(
      database,
      viewer,
      filter,
      { limit: EXPORTED, after, form: 'exported' },
      ownPosition,
    );
    if (page.documents.length > 0) yield page.documents;
    after = page.next;
  } while (after !== null);
}
