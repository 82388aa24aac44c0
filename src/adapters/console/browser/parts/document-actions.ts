import { signal, useSignal } from '@preact/signals';
import type { Exchange, Schemas } from '../../../../client/portico.ts';
import { PorticoError } from '../../../../client/portico.ts';
import { isSameJson, type JsonObject } from '../../../../domain/json.ts';
import { parseJson } from '../../../../domain/json-number.ts';
import { edited } from '../../../../domain/json-patch.ts';
import { api, messageOf, withToken } from '../api.ts';
import type { Field } from '../form/form.ts';
import { changeOf, type FormChange, placed } from '../form/form-changes.ts';
import { cache, type Loaded, reading } from '../queries.ts';
import { signIn } from '../session.ts';
import { confirm } from './dialogs.tsx';
import { draftOf, inverseOf, type Place, saved, stepBack } from './draft.ts';
import { notify } from './notice.tsx';

/** A document, and the tag by which changes name what they were made from. */
type Tagged = { readonly document: Schemas['DocumentDetail']; readonly etag: string | null };

const tagged = ({ response, text }: Exchange): Tagged => ({
  document: (parseJson(text) as { data: Schemas['DocumentDetail'] }).data,
  etag: response.headers.get('etag'),
});

const read = async (id: string, options: { readonly signal?: AbortSignal } = {}): Promise<Tagged> =>
  tagged(await api.exchange('get', '/api/v1/documents/{id}', { params: { path: { id } }, ...options }));

/** The next document is read ahead: opening it takes no second request. */
const FRESH_MS = 30_000;

export const documentOf = (id: string) => reading(['document', id], (_, signal) => read(id, { signal }), FRESH_MS);

/** Each change names the revision that the user saw. */
const on = ({ document, etag }: Tagged) => ({ path: { id: document.id }, header: { 'if-match': etag ?? '""' } });

const send = async (seen: Tagged, { patch, places }: FormChange<Place>): Promise<Tagged> =>
  tagged(
    await api.exchange('patch', '/api/v1/documents/{id}', {
      params: on(seen),
      body: { patch: [...patch], evidence: { ...places } },
    }),
  );

const foundAt = (evidence: Schemas['Evidence'] | undefined): Place | null =>
  evidence?.file_name ? { file_name: evidence.file_name, page: evidence.page, boxes: evidence.boxes } : null;

const isOutdated = (error: unknown) => error instanceof PorticoError && error.code === 'revision_changed';

const correct = async (seen: Tagged, fields: readonly Field[]): Promise<Tagged> => {
  const { document } = seen;
  const [data, draft] = [(document.document_data ?? {}) as JsonObject, draftOf(document)];
  const change = changeOf(data, fields, draft);
  if (change === null) throw new Error('One of the values does not fit its field: it is marked.');
  const { after, inverse } = edited(data, change.patch);
  if (change.patch.length === 0) return seen;
  const now = await send(seen, change).catch(async (error: unknown) => {
    if (!isOutdated(error)) throw error;
    // It may be the same change, whose answer was lost with the connection.
    const current = await read(document.id);
    if (!isSameJson(after, (current.document.document_data ?? {}) as JsonObject)) throw error;
    return current;
  });
  const back = placed(inverse, (pointer) => foundAt(document.evidence[pointer]));
  return settled(seen, now, back);
};

/** What was drafted of the document before is in the document now. */
const settled = ({ document }: Tagged, now: Tagged, inverse: FormChange<Place> | null): Tagged => {
  saved(now.document, draftOf(document), inverse);
  return now;
};

const decide = async (seen: Tagged, decision: 'approve' | 'reject'): Promise<Tagged> => {
  const now = tagged(
    await api.exchange('post', '/api/v1/documents/{id}/review', { params: on(seen), body: { decision } }),
  );
  const { id, name, review } = now.document;
  lastDecision.value = { id, name, status: review.status };
  return settled(seen, now, null);
};

const process = async ({ document: { id, name } }: Tagged): Promise<Tagged> => {
  const now = tagged(await api.exchange('post', '/api/v1/documents/{id}', { params: { path: { id } } }));
  if (now.document.status === 'processed') lastDecision.value = { id, name, status: 'processed' };
  return now;
};

/** What the user has decided last, if nothing was done since: it cannot be taken back. */
export const lastDecision = signal<{ readonly id: string; readonly name: string; readonly status: string } | null>(
  null,
);

const OUTDATED =
  'Another person has changed the document. It is shown as it is now, with what you typed: look again, and save.';

/** In the console, all that an approval by a person can lack is that they have signed in a short while ago. */
const isTooLate = (error: unknown) => error instanceof PorticoError && error.code === 'person_required';

const signInAgain = (text: string) =>
  confirm({ ...{ title: 'Sign in again', text, yes: 'Sign in' }, does: () => signIn({ again: true }) });

type Step = (seen: Tagged) => Promise<Tagged>;

/** What may be done with a document. A change that is not saved yet is saved first: what is approved is what is seen. */
export const useActions = ({ data: seen, refetch }: Loaded<Tagged>, fields: readonly Field[]) => {
  const working = useSignal(false);

  /** Does the steps one after the other, and shows what each came to. */
  const act = async (done: string | null, ...steps: readonly Step[]): Promise<boolean> => {
    if (seen === undefined || working.value) return false;
    working.value = true;
    lastDecision.value = null;
    try {
      let now = seen;
      for (const step of steps) {
        const from = now;
        now = await withToken(() => step(from));
        cache.setQueryData(documentOf(now.document.id).queryKey, now);
      }
      if (now.document.status === 'error' && steps.includes(process))
        notify(`The system of record refused it: ${now.document.error}`, true);
      else if (done !== null) notify(done);
      return true;
    } catch (error) {
      if (isTooLate(error)) signInAgain(messageOf(error));
      else notify(isOutdated(error) ? OUTDATED : messageOf(error), true);
      if (isOutdated(error)) void refetch();
      return false;
    } finally {
      working.value = false;
    }
  };

  const save: Step = (from) => correct(from, fields);
  const approve: Step = (from) => decide(from, 'approve');
  return {
    working: working.value,
    /** What was done last with this document; false: nothing is left to take back. */
    async undo(): Promise<boolean> {
      if (seen === undefined || stepBack(seen.document.id)) return true;
      const inverse = inverseOf(seen.document);
      if (lastDecision.value !== null || inverse === null) return false;
      return act('The change is taken back.', async (from) => settled(from, await send(from, inverse), null));
    },
    /** Saves what is not saved; whether all is saved now. */
    settle: () => act(null, save),
    save: () => act('The changes are saved.', save),
    approve: () => act('The document is approved.', save, approve),
    approveAndProcess: () => act('The document is approved and processed.', save, approve, process),
    reject: () => act('The document is rejected.', save, (from) => decide(from, 'reject')),
    process: () => act('The document is in the system of record.', save, process),
  };
};

const isOpen = ({ status, document_data: data }: Schemas['DocumentDetail']) =>
  (status === 'ready' || status === 'error') && data !== null;

/** What the state of the document allows. */
export const allowed = (document: Schemas['DocumentDetail']) => ({
  edit: isOpen(document),
  decide: isOpen(document) && document.review.status === 'pending',
  process: isOpen(document) && document.review.status !== 'pending' && document.review.status !== 'rejected',
});
