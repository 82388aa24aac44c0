import type { DocumentFilter, DocumentPage, FoundDocument, ListedDocument, Position, Viewer } from '../../application/ports/storage.ts';
import type { Database } from './database.ts';
import { type Page, type Sizes, sizes, statementsFor, type Terms, termsOf } from './document-statements.ts';
import { isId } from './ids.ts';

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
};

const ownPosition = ({ createdAt, id }: Position): Position => ({ createdAt, id });

const printedPosition = ({ text }: { readonly text: string }): Position => {
  const { created_at: createdAt, id } = JSON.parse(text) as { readonly created_at: string; readonly id: string };
  return { createdAt: new Date(createdAt), id };
};

type Window = Omit<Page, 'form'>;

/** The lists of documents; tests give smaller sizes. */
export const documentLists = ({ pool, read, query }: Pick<Database, 'pool' | 'read' | 'query'>, looked: Sizes = sizes) => {
  /** Texts by their names: what a statement is depends on its name alone. */
  const texts = new Map<string, string>();
  const run = async <D>(terms: Terms, name: string | null, textOf: () => string): Promise<readonly Found<D>[]> => {
    const text = texts.get(name ?? '') ?? textOf();
    if (name !== null) texts.set(name, text);
    const planned = name ?? shapeOf(text);
    if (planned === undefined) return (await pool.query<Found<D> & object>(text, terms.values)).rows;
    // A search takes longer, and so does data, which may be large: they must not delay the short reads.
    const send = terms.conditions.length > 0 || terms.form === 'exported' ? query : read;
    return send<Found<D> & object>({ name: planned, text }, terms.values);
  };

  const find = async <D>(terms: Terms): Promise<readonly Found<D>[]> => {
    for (const [step, textOf] of Object.entries(statementsFor(terms, looked))) {
      const rows = await run<D>(terms, terms.name && `${terms.name}_${step}`, () => textOf(terms, looked));
      if (!rows[0]?.isOpen) return rows;
    }
    throw new Error('The last statement leaves nothing open.');
  };

  /** A page of what is found, each document as the form has it. */
  const pageOf = async <D>(viewer: Viewer, filter: DocumentFilter, page: Page, positionOf: (document: D) => Position) => {
    if ([filter.agentId, filter.runId].some((id) => id !== null && !isId(id))) return { documents: [], next: null };
    const rows = await find<D>(termsOf(viewer, filter, page));
    const { horizonAt = null, horizonId = null } = rows[0] ?? {};
    const found = rows.filter(({ place }) => place !== null);
    const documents = found
      .slice(0, page.limit)
      .map(({ place: _, horizonAt: __, horizonId: ___, isOpen: ____, ...document }) => document as unknown as D);
    const last = found.length > page.limit ? documents.at(-1) : undefined;
    const horizon = horizonAt && horizonId ? { createdAt: horizonAt, id: horizonId } : null;
    return { documents, next: last === undefined ? horizon : positionOf(last) };
  };

  return {
    listVisible: (viewer: Viewer, filter: DocumentFilter, page: Window): Promise<DocumentPage> =>
      pageOf<ListedDocument>(viewer, filter, { ...page, form: 'listed' }, ownPosition),

    async printVisible(viewer: Viewer, filter: DocumentFilter, page: Window): Promise<DocumentPage<string>> {
      const { documents, next } = await pageOf(viewer, filter, { ...page, form: 'printed' }, printedPosition);
      return { documents: documents.map(({ text }) => text), next };
    },

    /** Page after page, so that neither a connection nor a snapshot waits for a slow reader. */
    async *readAll(viewer: Viewer, filter: DocumentFilter): AsyncGenerator<readonly FoundDocument[]> {
      let after: Position | null = null;
      do {
        const page: DocumentPage<FoundDocument> = await pageOf<FoundDocument>(
          viewer,
          filter,
          { limit: EXPORTED, after, form: 'exported' },
          ownPosition,
        );
        if (page.documents.length > 0) yield page.documents;
        after = page.next;
      } while (after !== null);
    },
  };
};
