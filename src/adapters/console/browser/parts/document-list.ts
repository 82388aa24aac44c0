import type { Schemas } from '../../../../client/portico.ts';
import { placeText } from '../form/form.ts';
import { filterOf, pageOf } from './lists.tsx';

export type Listed = Schemas['ListedDocument'];

/** What the address says of which documents are listed. */
export interface DocumentFilter {
  readonly q?: string;
  readonly agent_id?: string;
  readonly run_id?: string;
  readonly status?: 'extracting' | 'ready' | 'processing' | 'processed' | 'error' | 'trashed';
  readonly review?: 'pending' | 'approved' | 'rejected';
  readonly ready_to_post?: 'true';
  readonly order_by?: string;
  readonly order_direction?: 'asc' | 'desc';
  readonly after?: string;
}

/** The largest page of the API: the inbox shows so many of each kind. */
export const MOST_WAITING = 100;

export const documentFilter = (query: Readonly<Record<string, string | undefined>>): DocumentFilter =>
  filterOf(query, [
    ...(['q', 'agent_id', 'run_id', 'status', 'review', 'ready_to_post'] as const),
    ...(['order_by', 'order_direction', 'after'] as const),
  ]);

/** The filter as the API takes it. */
export const asQuery = <F extends DocumentFilter>({ ready_to_post: isReady, ...filter }: F) => ({
  ...filter,
  ...(isReady && { ready_to_post: true }),
});

/** A page of the list. The list and the document that is opened from it share it. */
export const documentList = (filter: DocumentFilter, limit?: number) =>
  pageOf('documents', filter, (get, query) => get('/api/v1/documents', { params: { query: asQuery(query) } }), limit);

const withoutIds = (message: string, names?: ReadonlyMap<string, string>) =>
  message.replace(/^The document (\S+)/, (_, id: string) =>
    names?.has(id) ? `“${names.get(id)}”` : 'Another document',
  );

type Schema = Readonly<Record<string, unknown>>;

interface Known {
  readonly names?: ReadonlyMap<string, string>;
  readonly schema?: Schema | undefined;
}

/** Why a person should look, and at which value: other documents by their names where they are known, and never by their ids. */
export const reasonText = (
  { code, pointer, message }: Schemas['Review']['reasons'][number],
  { names, schema }: Known = {},
): string => {
  const text = code === 'duplicate' ? withoutIds(message, names) : message;
  return pointer === null ? text : `${placeText(pointer, schema)}: ${text}`;
};

/** What speaks against an approval: failed checks, and reasons but those at values that the user has confirmed. */
export const openReasons = (
  { review, checks }: Pick<Schemas['DocumentDetail'], 'review' | 'checks'>,
  confirmed: readonly string[],
  schema: Schema,
): readonly string[] => {
  const open = review.reasons.filter(
    ({ code, pointer }) => code !== 'always' && !(pointer !== null && confirmed.includes(pointer)),
  );
  // An agent that asks for no reviews has checks, and no reasons.
  const failed = open.some(({ code }) => code === 'check_failed')
    ? []
    : checks.filter(({ status }) => status === 'failed');
  return [
    ...open.map((reason) => reasonText(reason, { schema })),
    ...failed.map(({ name, message }) => message ?? `The check ${name} failed.`),
  ];
};
