import type { DocumentFilter, DocumentPage, FoundDocument, ListedDocument, Position, Viewer } from '../../application/ports/storage.ts';
import { joinVersion } from './agent-versions.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { type Bind, conditionOf, searchesOf } from './document-conditions.ts';
import { duplicatesOf } from './duplicates.ts';
import { DocumentTable } from './entities.ts';
import { isId } from './ids.ts';
import { documentStates } from './states.ts';
import { visible } from './visibility.ts';

/** How many documents a page looks at whose condition no index answers, at least as many as it has of each agent. */
const SCANNED = 2000;
/** The same where the index of words answers: what is not common among so many is rare enough for it. */
const SCANNED_FIRST = 500;

const duplicates = duplicatesOf('d.id', 'd.agent_id', 'd.duplicate_key');
const columns = {
  listed: `${columnsOf(DocumentTable, 'd', ['documentData', 'evidence'])}, r.agent_version as "agentVersion", v.model, ${duplicates} as duplicates`,
  exported: `${columnsOf(DocumentTable, 'd', ['evidence'])}, r.agent_version as "agentVersion", v.model, ${duplicates} as duplicates`,
};
/** Documents may be large: so few are held at a time. */
const EXPORTED = 100;
const joins = `join runs r on r.id = d.run_id ${joinVersion('r')}`;
const newestFirst = (row: string) => `order by ${row}.created_at desc, ${row}.id desc`;

interface Page {
  readonly limit: number;
  readonly after: Position | null;
  readonly shows?: keyof typeof columns;
}

/** The parts of the statements that read one page. */
const termsOf = ({ workspaceId, userId }: Viewer, filter: DocumentFilter, { limit, after, shows = 'listed' }: Page) => {
  const values: unknown[] = [workspaceId, userId];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const { agentId, runId, status, review, q, where } = filter;
  const agents = `visible as materialized (select a.id from agents a where ${visible('a')}${agentId === null ? '' : ` and a.id = ${bind(agentId)}::uuid`})`;
  const searches = searchesOf(q, where, bind);
  const own = [
    `d.status <> ${documentStates.after('trash')}`,
    ...(status === null ? [] : [`d.status = ${bind(status)}`]),
    ...(review === null ? [] : [`d.review_status = ${bind(review)}`]),
    ...(runId === null ? [] : [`d.run_id = ${bind(runId)}::uuid`]),
    ...(after === null ? [] : [`(d.created_at, d.id) < (${bind(after.createdAt)}::timestamptz, ${bind(after.id)}::uuid)`]),
  ].join(' and ');
  const conditions = [...searches.map((search) => `d.words @@ ${search}`), ...(where === null ? [] : [`(${conditionOf(where, bind)})`])];
  const matches = conditions.length === 0 ? 'true' : conditions.join(' and ');
  const data = where === null ? '' : 'cross join lateral (select readable_json(d.document_data) as data) v';
  const given = Object.entries({ agentId, status, review, runId, after }).flatMap(([term, value]) => (value === null ? [] : [term]));
  const name = conditions.length === 0 ? [`documents_${shows}`, ...given].join('_') : null;
  return { values, name, agents, searches, own, matches, data, most: bind(limit + 1), runId, shows };
};

type Terms = ReturnType<typeof termsOf>;

/** What is found, newest first. */
const listed = ({ shows }: Terms) => `select ${columns[shows]} from found f join documents d on d.id = f.id ${joins} ${newestFirst('d')}`;

/**
 * The newest documents of each agent, from its index. Of an agent that has more than are read, it is not known what lies below the last of
 * them: the highest such place is the horizon, down to which the documents of all agents are known. `offset 0` keeps the planner from
 * reading the whole index of words for the few documents that are looked at.
 */
const scan = (terms: Terms) => {
  const { name, agents, own, matches, data, most, runId } = terms;
  const source = runId === null ? 'documents' : 'of_run';
  const ofRun = runId === null ? '' : `of_run as materialized (select d.* from documents d where ${own}),`;
  const quota =
    name !== null
      ? `${most}::bigint as n`
      : `greatest(${most}::bigint, ${terms.searches.length === 0 ? SCANNED : SCANNED_FIRST} / greatest(count(*), 1)) as n from visible`;
  return `
with ${agents}, ${ofRun}
quota as materialized (select ${quota}),
scanned as materialized (
  select newest.* from visible s cross join lateral (
    select d.id, d.created_at, row_number() over (${newestFirst('d')}) as rank from ${source} d where d.agent_id = s.id and ${own}
    ${newestFirst('d')} limit (select n from quota)) newest
), horizon as materialized (select h.created_at, h.id from scanned h where h.rank = (select n from quota) ${newestFirst('h')} limit 1),
found as materialized (
  select d.id from (
    select s.id, s.created_at from scanned s left join horizon h on true where h.id is null or (s.created_at, s.id) >= (h.created_at, h.id)
    ${newestFirst('s')} ${name !== null ? `limit ${most}` : ''}
  ) candidate cross join lateral (select * from documents d where d.id = candidate.id offset 0) d ${data} where ${matches} ${newestFirst('candidate')} limit ${most}
)
select horizon.created_at as "horizonAt", horizon.id as "horizonId", listed.* from (select) one left join horizon on true
  left join lateral (${listed(terms)}) listed on true order by listed."createdAt" desc, listed.id desc`;
};

/** All that the index of words has, found without regard to their order. */
const search = (terms: Terms) => {
  const { agents, searches, own, matches, data, most } = terms;
  return `
with ${agents},
sought as materialized (
  select (select string_agg(quote_literal('@' || s.id), ' | ') from visible s)::tsquery ${searches.map((each) => `&& ${each}`).join(' ')} as words
), matching as materialized (
  select d.id from documents d where d.words @@ (select words from sought) and ${own}
), found as materialized (
  select d.id from matching m join documents d on d.id = m.id ${data} where ${matches} ${newestFirst('d')} limit ${most}
) ${listed(terms)}`;
};

interface Horizon {
  readonly horizonAt: Date | null;
  readonly horizonId: string | null;
}

type Queries = Pick<Database, 'pool' | 'read'>;

/** What a filter asks for makes a statement of its own, which has no name and is planned for its values. */
const query = async <Row extends object>({ pool, read }: Queries, text: string, { name, values }: Terms): Promise<readonly Row[]> =>
  name === null ? (await pool.query<Row>(text, values)).rows : read<Row>({ name, text }, values);

const scanned = async <D extends ListedDocument>(database: Queries, terms: Terms) => {
  const rows = await query<D & Horizon>(database, scan(terms), terms);
  const { horizonAt = null, horizonId = null } = rows[0] ?? {};
  const documents = rows.filter(({ id }) => id !== null).map(({ horizonAt: _, horizonId: __, ...document }) => document as unknown as D);
  return { documents, horizon: horizonAt && horizonId ? { createdAt: horizonAt, id: horizonId } : null };
};

const pageOf = <D extends ListedDocument>(documents: readonly D[], limit: number, otherwise: Position | null): DocumentPage<D> => {
  const shown = documents.slice(0, limit);
  const last = documents.length > limit ? shown.at(-1) : undefined;
  return { documents: shown, next: last ? { createdAt: last.createdAt, id: last.id } : otherwise };
};

/**
 * A page of documents. Whatever is looked for, the newest are looked at first, which fills the page with what is common; what is
 * rare comes from the index of words, if it has it.
 */
export const listDocuments = async <D extends ListedDocument>(
  database: Queries,
  viewer: Viewer,
  filter: DocumentFilter,
  page: Page,
): Promise<DocumentPage<D>> => {
  if ([filter.agentId, filter.runId].some((id) => id !== null && !isId(id))) return { documents: [], next: null };
  const terms = termsOf(viewer, filter, page);
  const { documents, horizon } = await scanned<D>(database, terms);
  if (documents.length > page.limit || horizon === null || terms.searches.length === 0) return pageOf(documents, page.limit, horizon);
  const rest = termsOf(viewer, filter, { ...page, limit: page.limit - documents.length, after: horizon });
  const older = await query<D>(database, search(rest), rest);
  return pageOf([...documents, ...older], page.limit, null);
};

/** Page after page, so that neither a connection nor a snapshot waits for a slow reader. */
export async function* readDocuments(database: Queries, viewer: Viewer, filter: DocumentFilter): AsyncGenerator<readonly FoundDocument[]> {
  let after: Position | null = null;
  do {
    const page: DocumentPage<FoundDocument> = await listDocuments(database, viewer, filter, { limit: EXPORTED, after, shows: 'exported' });
    if (page.documents.length > 0) yield page.documents;
    after = page.next;
  } while (after !== null);
}
