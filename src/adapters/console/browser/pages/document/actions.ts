import { useSignal } from '@preact/signals';
import type { Schemas } from '../../../../../client/portico.ts';
import { PorticoError } from '../../../../../client/portico.ts';
import { isSameJson, type JsonObject } from '../../../../../domain/json.ts';
import { edited } from '../../../../../domain/json-patch.ts';
import { messageOf, withToken } from '../../api.ts';
import type { Field } from '../../form/form.ts';
import { changeOf, type FormChange, placed } from '../../form/form-changes.ts';
import { forget, remember, willPost } from '../../parts/decided.tsx';
import { documentOf, read, review, send, type Tagged } from '../../parts/document-requests.ts';
import { allowed } from '../../parts/document-state.ts';
import { draftOf, inverseOf, type Place, saved, stepBack } from '../../parts/draft.ts';
import { notify } from '../../parts/notice.tsx';
import { isTooLate, signInAgain } from '../../parts/person.ts';
import { type Loaded, show } from '../../queries.ts';

const foundAt = (evidence: Schemas['Evidence'] | undefined): Place | null =>
  evidence?.file_name ? { file_name: evidence.file_name, page: evidence.page, boxes: evidence.boxes } : null;

const isOutdated = (error: unknown) => error instanceof PorticoError && error.code === 'revision_changed';

const correct = async (seen: Tagged, fields: readonly Field[]): Promise<Tagged> => {
  const { document } = seen;
  const data = (document.document_data ?? {}) as JsonObject;
  const draft = draftOf(document);
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

const OUTDATED =
  'Another person has changed the document. It is shown as it is now, with what you typed: look again, and save.';

type Step = (seen: Tagged) => Promise<Tagged>;

const reopen: Step = async (from) => {
  const now = await review(from, 'reopen');
  forget(now.document.id);
  return now;
};

/** Approves or rejects, which can be taken back for a while. */
const deciding =
  (
    decision: 'approve' | 'reject',
    { note = null, posts = false }: { note?: string | null; posts?: boolean } = {},
  ): Step =>
  async (seen) => {
    const now = await review(seen, decision, note).catch(async (error: unknown) => {
      if (note === null || !isOutdated(error)) throw error;
      // It may be the same decision, whose answer was lost with the connection.
      const current = await read(seen.document.id);
      const { revision, review: made } = current.document;
      if (revision !== seen.document.revision || made.note !== note) throw error;
      return current;
    });
    remember([now.document], { did: decision === 'approve' ? 'approved' : 'rejected', posts });
    return settled(seen, now, null);
  };

const say = (error: unknown): void => notify(messageOf(error), true);

/** A dialog keeps what was entered, and says itself what went wrong. */
const leaveToDialog = (error: unknown): never => {
  throw error;
};

/** What may be done with a document. A change that is not saved yet is saved first: what is approved is what is seen. */
export const useActions = ({ data: seen, refetch }: Loaded<Tagged>, fields: readonly Field[]) => {
  const working = useSignal(false);

  /** Does the steps one after the other, and shows what each came to; null: one of them failed. */
  const act = async (
    done: string | null,
    steps: readonly Step[],
    { begin = seen, fail = say }: { begin?: Tagged | undefined; fail?: (error: unknown) => void } = {},
  ): Promise<Tagged | null> => {
    if (begin === undefined || working.value) return null;
    working.value = true;
    try {
      let now = begin;
      for (const step of steps) {
        const from = now;
        now = await withToken(() => step(from));
        await show(documentOf(now.document.id), now);
      }
      if (done !== null) notify(done);
      return now;
    } catch (error) {
      if (isTooLate(error)) signInAgain(messageOf(error));
      else if (isOutdated(error)) {
        notify(OUTDATED, true);
        void refetch();
      } else fail(error);
      return null;
    } finally {
      working.value = false;
    }
  };

  const save: Step = (from) => correct(from, fields);
  return {
    working: working.value,
    /** Takes back the last edit that is not saved; false: there is none. */
    stepBack: () => seen !== undefined && stepBack(seen.document.id),
    /** Takes back the change that was saved last; false: there is none. */
    async undo(): Promise<boolean> {
      const inverse = seen && inverseOf(seen.document);
      if (!inverse || !allowed(seen.document).edit) return false;
      return (
        (await act('The change is taken back.', [async (from) => settled(from, await send(from, inverse), null)])) !==
        null
      );
    },
    /** Saves what is not saved: the document as it is then. */
    settle: () => act(null, [save]),
    save: () => act('The changes are saved.', [save]),
    approve: (settledAs: Tagged, posts: boolean) => act(null, [deciding('approve', { posts })], { begin: settledAs }),
    /** Throws what went wrong: the dialog in which the user wrote the reason shows it, and goes on from what is saved. */
    rejecting() {
      let begin = seen;
      const saveOnce: Step = async (from) => {
        begin = await save(from);
        return begin;
      };
      return (note: string) => act(null, [saveOnce, deciding('reject', { note })], { begin, fail: leaveToDialog });
    },
    reopen: () => act('The review is open again.', [reopen]),
    /** Posts what is saved by then; false: it could not be saved, or needs a review first. */
    async process(): Promise<boolean> {
      const now = await act(null, [save]);
      if (now === null) return false;
      const may = allowed(now.document).process;
      if (may) willPost([now.document]);
      else notify('The changes are saved, and need a review before the document is posted.', true);
      return may;
    },
  };
};

export type Actions = ReturnType<typeof useActions>;
