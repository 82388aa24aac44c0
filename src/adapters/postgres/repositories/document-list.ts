import type {
  DocumentFilter,
  DocumentPage,
  FoundDocument,
  ListedDocument,
  Viewer,
} from '../../../application/ports/storage.ts';
import { inTime } from '../../../application/shared/async.ts';
import { type DocumentOrder, type DocumentPosition, newestFirst, positionOf } from '../../../domain/document-order.ts';
import { DomainError } from '../../../domain/errors.ts';
import { parseJson } from '../../../domain/json-number.ts';
import { omit } from '../../../domain/omit.ts';
import type { Database } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import type { SearchTerms } from '../connection/search-sessions.ts';
import { type Page, type Terms, termsOf } from '../statements/document-list-statements.ts';
import { partOf, type Sizes, sizes, statementsFor } from '../statements/document-search-statements.ts';

/** Documents may be large: so few are held at a time. */
const EXPORTED = 100;

/** Names of filters over the data, by the text of the statement: the first shapes have one and are planned once, all others each time. */
const shapes = new Map<string, string>();
const MOST_SHAPES = 20;

const shapeOf = (text: string): string | undefined => {
  if (!shapes.has(text) && shapes.size < MOST_SHAPES) shapes.set(text, `documents_shape_${shapes.size}`);
  return shapes.get(text);
};

/** Beside a document, what its statement says of those that follow; a row without a place has the latter alone. */
type Found<D> = D & {
  readonly place?: number | null;
  readonly horizonAt?: Date | null;
  readonly horizonId?: string | null;
  readonly isOpen?: boolean;
  /** How many were found, some of which have no room in the page. */
  readonly inAll?: number;
};

/** As it is printed; its numbers keep every digit. */
type Printed = Pick<ListedDocument, 'id' | 'values'> & { readonly created_at: string };

const printedPosition = (text: string, order: DocumentOrder): DocumentPosition => {
  const { created_at: createdAt, ...rest } = parseJson(text) as Printed;
  return positionOf({ ...rest, createdAt: new Date(createdAt) }, order);
};

type Window = Omit<Page, 'form'>;

/** How a page is looked for, one way after the other until there is an answer in time: the last ones look at fewer documents for fewer of a page. */
const attempts = [
  { seconds: 4, part: 1 },
  { seconds: 1, part: 50 },
];

class TooSlow extends Error {}

const tooSlow = () =>
  new DomainError('invalid', 'The search takes longer than 5 seconds, even for a part of a page: ask for less.', {
    code: 'query_timeout',
  });

const never = new AbortController().signal;

/** A page that costs the same however many documents there are: it is a short read. */
const isPlain = ({ ordered, hasConditions, form }: Terms) => ordered === null && !hasConditions && form !== 'exported';

/** The lists of documents; tests give smaller sizes. */
export const documentLists = ({ read, search }: Pick<Database, 'read' | 'search'>, looked: Sizes = sizes) => {
  /** Texts by their names: what a statement is depends on its name alone. */
  const texts = new Map<string, string>();
  const run = async <D>(
    terms: Terms,
    name: string | null,
    textOf: () => string,
    within: SearchTerms,
  ): Promise<readonly Found<D>[]> => {
    const text = texts.get(name ?? '') ?? textOf();
    if (name !== null) texts.set(name, text);
    const planned = name ?? shapeOf(text);
    if (planned === undefined) return search({ text }, terms.values, within);
    const statement = { name: planned, text };
    return isPlain(terms) ? read(statement, terms.values) : search(statement, terms.values, within);
  };

  const find = async <D>(terms: Terms, part: number, within: SearchTerms): Promise<readonly Found<D>[]> => {
    const fewer = part === 1 ? looked : partOf(looked, part);
    for (const [step, textOf] of Object.entries(statementsFor(terms))) {
      const name = terms.name && `${terms.name}_${step}${part === 1 ? '' : `_${part}`}`;
      const rows = await run<D>(terms, name, () => textOf(terms, fewer), within);
      if (!rows[0]?.isOpen) return rows;
    }
    throw new Error('The last statement leaves nothing open.');
  };

  /** The rows of a page, and of how many documents it is. */
  const findInTime = async <D>(viewer: Viewer, filter: DocumentFilter, page: Page, signal: AbortSignal) => {
    for (const { seconds, part } of attempts) {
      const limit = Math.max(1, Math.floor(page.limit / part));
      const terms = termsOf(viewer, filter, { ...page, limit });
      const attempt = (end: AbortSignal) => find<D>(terms, part, { sharer: viewer, signal: end });
      // A list without conditions costs the same however many documents there are: it needs no time limit, and no smaller part.
      if (isPlain(terms)) return { limit, rows: await attempt(signal) };
      try {
        return { limit, rows: await inTime(attempt, { seconds, late: () => new TooSlow(), signal }) };
      } catch (error) {
        if (!(error instanceof TooSlow)) throw error;
      }
    }
    throw tooSlow();
  };

  /** A page of what is found, each document as the form has it. */
  const pageOf = async <D>(
    viewer: Viewer,
    filter: DocumentFilter,
    page: Page,
    positionIn: (document: D) => DocumentPosition,
    signal: AbortSignal = never,
  ) => {
    if ([filter.agentId, filter.runId].some((id) => id !== null && !isId(id))) return { documents: [], next: null };
    const { rows, limit } = await findInTime<D>(viewer, filter, page, signal);
    const { horizonAt = null, horizonId = null } = rows[0] ?? {};
    const placed = rows.filter(({ place }) => place !== null);
    const documents = placed
      .slice(0, limit)
      .map((row) => omit(row, 'place', 'horizonAt', 'horizonId', 'isOpen', 'inAll') as unknown as D);
    const last = (placed[0]?.inAll ?? placed.length) > documents.length ? documents.at(-1) : undefined;
    const horizon = horizonAt && horizonId ? positionOf({ createdAt: horizonAt, id: horizonId }, newestFirst) : null;
    return { documents, next: last === undefined ? horizon : positionIn(last) };
  };

  return {
    listVisible: (
      viewer: Viewer,
      filter: DocumentFilter,
      page: Window,
      signal?: AbortSignal,
    ): Promise<DocumentPage> => {
      const position = (last: ListedDocument) => positionOf(last, page.order ?? newestFirst);
      return pageOf<ListedDocument>(viewer, filter, { ...page, form: 'listed' }, position, signal);
    },

    async printVisible(
      viewer: Viewer,
      filter: DocumentFilter,
      page: Window,
      signal?: AbortSignal,
    ): Promise<DocumentPage<string>> {
      const position = (last: { text: string }) => printedPosition(last.text, page.order ?? newestFirst);
      const { documents, next } = await pageOf(viewer, filter, { ...page, form: 'printed' }, position, signal);
      return { documents: documents.map(({ text }) => text), next };
    },

    /** Page after page, so that neither a connection nor a snapshot waits for a slow reader. */
    async *readAll(
      viewer: Viewer,
      filter: DocumentFilter,
      signal?: AbortSignal,
    ): AsyncGenerator<readonly FoundDocument[]> {
      let after: DocumentPosition | null = null;
      do {
        const page: DocumentPage<FoundDocument> = await pageOf<FoundDocument>(
          viewer,
          filter,
          { limit: EXPORTED, after, form: 'exported' },
          (last) => positionOf(last, newestFirst),
          signal,
        );
        if (page.documents.length > 0) yield page.documents;
        after = page.next;
      } while (after !== null);
    },
  };
};
