import { signal } from '@preact/signals';
import type { Schemas } from '../../../../client/portico.ts';
import { isObject } from '../../../../domain/json.ts';
import { parseJson } from '../../../../domain/json-number.ts';
import type { FormChange } from '../form/form-changes.ts';
import {
  afterSaving,
  countOf,
  type EntrySteps,
  entriesOf,
  type FormEntries,
  noEntries,
  withStep,
} from '../form/form-entries.ts';

type Detail = Schemas['DocumentDetail'];

/** Where on a page a value stands. */
export type Place = Pick<Schemas['Evidence'], 'file_name' | 'page' | 'boxes'>;

/** What the user has done and not saved. */
export type Draft = FormEntries<Place>;

interface Kept extends EntrySteps<Place> {
  /** What takes back the change that was saved last, while the document has this revision. */
  readonly inverse: (FormChange<Place> & { readonly revision: number }) | null;
}

const nothing: Kept = { steps: [], about: '', inverse: null };

const KEPT = 'portico.changes ';
const keyOf = (documentId: string) => KEPT + documentId;

const stored = (documentId: string): Kept => {
  try {
    const kept = parseJson(sessionStorage.getItem(keyOf(documentId)) ?? 'null');
    return isObject(kept) && Array.isArray(kept.steps) ? (kept as unknown as Kept) : nothing;
  } catch {
    return nothing;
  }
};

/** Of the document that is open; a reload keeps it. */
const opened = signal<{ readonly id: string; readonly kept: Kept }>({ id: '', kept: nothing });

const keptOf = (id: string): Kept => (opened.value.id === id ? opened.value.kept : stored(id));

const keep = (id: string, kept: Kept) => {
  opened.value = { id, kept };
  if (kept.steps.length === 0 && kept.inverse === null) sessionStorage.removeItem(keyOf(id));
  else sessionStorage.setItem(keyOf(id), JSON.stringify(kept));
};

/** The document is erased, and what was typed into it goes with it. */
export const forgetDraft = (id: string): void => keep(id, nothing);

export const draftOf = ({ id, document_data: data, revision }: Detail): Draft => entriesOf(keptOf(id), data, revision);

/** Whether this tab keeps values, of any document, that are not saved. */
export const hasUnsaved = (): boolean =>
  Object.keys(sessionStorage)
    .filter((name) => name.startsWith(KEPT))
    .some((name) => countOf(stored(name.slice(KEPT.length)).steps.at(-1) ?? noEntries) > 0);

/** Does a step; several steps about one value are one. */
export const edit = (document: Detail, step: (draft: Draft) => Draft, about = ''): void => {
  const kept = keptOf(document.id);
  keep(document.id, { ...kept, ...withStep(kept, step(draftOf(document)), about) });
};

/** Takes the last step back; false: there is none. */
export const stepBack = (id: string): boolean => {
  const { steps, inverse } = keptOf(id);
  if (steps.length > 0) keep(id, { steps: steps.slice(0, -1), about: '', inverse });
  return steps.length > 0;
};

/** The draft is saved. */
export const saved = (document: Detail, draft: Draft, inverse: FormChange<Place> | null): void =>
  keep(document.id, {
    ...afterSaving(draft, document.revision),
    inverse: inverse && { ...inverse, revision: document.revision },
  });

/** What takes back what was saved last; null if there is nothing, or the document has changed since. */
export const inverseOf = ({ id, revision }: Detail): FormChange<Place> | null => {
  const { inverse } = keptOf(id);
  return inverse?.revision === revision ? inverse : null;
};
