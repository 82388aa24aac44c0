import { useSignal } from '@preact/signals';
import type { Exchange, Schemas } from '../../../../client/portico.ts';
import { PorticoError } from '../../../../client/portico.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { parseJson } from '../../../../domain/json-number.ts';
import { api, messageOf, withToken } from '../api.ts';
import type { Loaded } from '../loaded.ts';
import { draftOf, patchOf, setDraft } from './draft.ts';
import type { ValueField } from './fields.ts';
import { notify } from './notice.ts';

/** A document, and the tag by which changes name what they were made from. */
export interface Tagged {
  readonly document: Schemas['Document'];
  readonly etag: string | null;
}

const tagged = ({ response, text }: Exchange): Tagged => ({
  document: (parseJson(text) as { data: Schemas['Document'] }).data,
  etag: response.headers.get('etag'),
});

export const loadDocument = (id: string) => async (signal: AbortSignal) =>
  tagged(await api.exchange('get', '/api/v1/documents/{id}', { params: { path: { id } }, signal }));

export const documentKey = (id: string) => `document ${id}`;

/** Each change names the revision that the user saw. */
const on = ({ document, etag }: Tagged) => ({ path: { id: document.id }, header: { 'if-match': etag ?? '""' } });

const correct = async (seen: Tagged, fields: readonly ValueField[]): Promise<Tagged> => {
  const { id, document_data: data } = seen.document;
  const patch = patchOf(draftOf(id), fields, (data ?? {}) as JsonObject);
  if (patch === null) throw new Error('One of the values does not fit its field: it is marked.');
  if (patch.length === 0) return seen;
  const saved = tagged(await api.exchange('patch', '/api/v1/documents/{id}', { params: on(seen), body: { patch } }));
  setDraft(id, {});
  return saved;
};

const decide = async (seen: Tagged, decision: 'approve' | 'reject'): Promise<Tagged> =>
  tagged(await api.exchange('post', '/api/v1/documents/{id}/review', { params: on(seen), body: { decision } }));

const process = async ({ document: { id } }: Tagged): Promise<Tagged> =>
  tagged(await api.exchange('post', '/api/v1/documents/{id}', { params: { path: { id } } }));

type Step = (seen: Tagged) => Promise<Tagged>;

/** What may be done with a document. A change that is not saved yet is saved first: what is approved is what is seen. */
export const useActions = ({ data: seen, replace, reload }: Loaded<Tagged>, fields: readonly ValueField[]) => {
  const working = useSignal(false);

  const failed = (error: unknown) => {
    const isOld = error instanceof PorticoError && error.code === 'revision_changed';
    notify(
      isOld
        ? 'Another person has changed the document. It is shown as it is now, with what you typed: look again, and save.'
        : messageOf(error),
      true,
    );
    if (isOld) reload();
  };

  /** Does the steps one after the other, and shows what each came to. */
  const act = async (done: string, ...steps: readonly Step[]): Promise<boolean> => {
    if (seen === null || working.value) return false;
    working.value = true;
    try {
      let now = seen;
      for (const step of steps) {
        const from = now;
        now = await withToken(() => step(from));
        replace(now);
      }
      if (now.document.status === 'error' && steps.includes(process))
        notify(`The system of record refused it: ${now.document.error}`, true);
      else notify(done);
      return true;
    } catch (error) {
      failed(error);
      return false;
    } finally {
      working.value = false;
    }
  };

  const save: Step = (from) => correct(from, fields);
  const approve: Step = (from) => decide(from, 'approve');
  const remove = async (): Promise<boolean> => {
    try {
      await withToken(() => api.delete('/api/v1/documents/{id}', { params: { path: { id: seen?.document.id ?? '' } } }));
      notify('The document is in the trash.');
      return true;
    } catch (error) {
      failed(error);
      return false;
    }
  };
  return {
    ...{ working: working.value, remove },
    save: () => act('The changes are saved.', save),
    approve: () => act('The document is approved.', save, approve),
    approveAndProcess: () => act('The document is approved and processed.', save, approve, process),
    reject: () => act('The document is rejected.', save, (from) => decide(from, 'reject')),
    process: () => act('The document is in the system of record.', save, process),
  };
};

const isOpen = ({ status, document_data: data }: Schemas['Document']) => (status === 'ready' || status === 'error') && data !== null;

/** What the state of the document allows. */
export const allowed = (document: Schemas['Document']) => ({
  edit: isOpen(document),
  decide: isOpen(document) && document.review.status === 'pending',
  process: isOpen(document) && document.review.status !== 'pending' && document.review.status !== 'rejected',
});
