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

export const documentFilter = (query: URLSearchParams): DocumentFilter =>
  filterOf(query, ['q', 'agent_id', 'run_id', 'status', 'review', 'after']);

/** A page of the list: its key, and how it is loaded. The list and the document that is opened from it share it. */
export const documentList = (filter: DocumentFilter) =>
  [
    `documents ${JSON.stringify(filter)}`,
    (signal: AbortSignal) => api.get('/api/v1/documents', { params: { query: { ...filter, limit: PAGE } }, signal }),
  ] as const;
