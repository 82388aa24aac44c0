import type { Exchange, Schemas } from '../../../../client/portico.ts';
import { parseJson } from '../../../../domain/json-number.ts';
import { api } from '../api.ts';
import type { FormChange } from '../form/form-changes.ts';
import { reading } from '../queries.ts';
import type { Listed } from './document-list.ts';
import type { Place } from './draft.ts';
import type { Refused } from './not-done.tsx';

/** A document, and the tag by which changes name what they were made from. */
export type Tagged = { readonly document: Schemas['DocumentDetail']; readonly etag: string | null };

const tagged = ({ response, text }: Exchange): Tagged => ({
  document: (parseJson(text) as { data: Schemas['DocumentDetail'] }).data,
  etag: response.headers.get('etag'),
});

export const read = async (id: string, options: { readonly signal?: AbortSignal } = {}): Promise<Tagged> =>
  tagged(await api.exchange('get', '/api/v1/documents/{id}', { params: { path: { id } }, ...options }));

/** The next document is read ahead: opening it takes no second request. */
const FRESH_MS = 30_000;

export const documentOf = (id: string) => reading(['document', id], (_, signal) => read(id, { signal }), FRESH_MS);

/** Each change names the revision that the user saw. */
const on = ({ document, etag }: Tagged) => ({ path: { id: document.id }, header: { 'if-match': etag ?? '""' } });

export const send = async (seen: Tagged, { patch, places }: FormChange<Place>): Promise<Tagged> =>
  tagged(
    await api.exchange('patch', '/api/v1/documents/{id}', {
      params: on(seen),
      body: { patch: [...patch], evidence: { ...places } },
    }),
  );

export const review = async (
  seen: Tagged,
  decision: 'approve' | 'reject' | 'reopen',
  note: string | null = null,
  key: string = crypto.randomUUID(),
): Promise<Tagged> => {
  const { path, header } = on(seen);
  const params = { path, header: { ...header, 'Idempotency-Key': key } };
  return tagged(await api.exchange('post', '/api/v1/documents/{id}/review', { params, body: { decision, note } }));
};

export const trash = (id: string) => api.delete('/api/v1/documents/{id}', { params: { path: { id } } });

export const restore = async (id: string, key: string = crypto.randomUUID()): Promise<Tagged> => {
  const params = { path: { id }, header: { 'Idempotency-Key': key } };
  return tagged(await api.exchange('post', '/api/v1/documents/{id}/restore', { params }));
};

export type BatchAction = 'approve' | 'reject' | 'process' | 'trash';

/** A document as the user saw it. */
export type Named = Pick<Listed, 'id' | 'name' | 'revision'>;

/** What came of a batch: the documents to which it was done, as they are now, and the others. */
interface Sent {
  readonly done: readonly Schemas['BatchedDocument'][];
  readonly refused: readonly Refused[];
  /** Those of the refused that another tab, or another person, posts at the moment. */
  readonly busy: readonly Named[];
}

/** Another tab, or another person, has posted it meanwhile, or does so at the moment. */
const POSTED = 'document_processed';
const BUSY = 'document_busy';

interface BatchTerms {
  readonly note?: string | null;
  /** By which the server knows a batch that is sent again. */
  readonly key?: string;
}

/** Does the same to each of these documents, of the revision that was shown. */
export const sendBatch = async (
  action: BatchAction,
  documents: readonly Named[],
  { note = null, key = crypto.randomUUID() }: BatchTerms = {},
): Promise<Sent> => {
  const items = documents.map(({ id, revision }) => ({ id, revision }));
  const params = { header: { 'Idempotency-Key': key } };
  const { results } = await api.post('/api/v1/documents/batch', { params, body: { action, items, note } });
  const refused = results.flatMap(({ id, document, error }, index) => {
    if (action === 'process' && error?.code === POSTED) return [];
    const isRefused = action === 'process' && document?.status === 'error';
    const why = error?.detail ?? (isRefused ? `The system of record refused it: ${document.error}` : null);
    return why === null ? [] : [{ id, name: documents[index]?.name ?? id, why }];
  });
  const isRefused = new Set(refused.map(({ id }) => id));
  return {
    done: results.flatMap(({ id, document }) => (document && !isRefused.has(id) ? document : [])),
    refused,
    busy: documents.filter((_, index) => results[index]?.error?.code === BUSY),
  };
};
