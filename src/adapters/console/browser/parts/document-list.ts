import type { Schemas } from '../../../../client/portico.ts';
import { api } from '../api.ts';
import { filterOf } from './lists.ts';

/** What the address says of which documents are listed. */
export interface DocumentFilter {
  readonly q?: string;
  readonly agent_id?: string;
  readonly run_id?: string;
  readonly status?: 'extracting' | 'ready' | 'processing' | 'processed' | 'error';
  readonly review?: 'pending' | 'approved' | 'rejected';
  readonly after?: string;
}

const PAGE = 25;
/** The largest page of the API: the inbox shows so many of each kind. */
export const MOST_WAITING = 100;

export const documentFilter = (query: URLSearchParams): DocumentFilter =>
  filterOf(query, ['q', 'agent_id', 'run_id', 'status', 'review', 'after']);

/** A page of the list: its key, and how it is loaded. The list and the document that is opened from it share it. */
export const documentList = (filter: DocumentFilter, limit = PAGE) =>
  [
    `documents ${limit} ${JSON.stringify(filter)}`,
    (signal: AbortSignal) => api.get('/api/v1/documents', { params: { query: { ...filter, limit } }, signal }),
  ] as const;

/** Why a person should look: other documents by their names where they are known, and never by their ids. */
export const reasonText = ({ code, message }: Schemas['Review']['reasons'][number], names?: ReadonlyMap<string, string>): string =>
  code === 'duplicate'
    ? message.replace(/^The document (\S+)/, (_, id: string) => (names?.has(id) ? `“${names.get(id)}”` : 'Another document'))
    : message;
