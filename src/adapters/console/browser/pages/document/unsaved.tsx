import { noEntries } from '../../form/form-entries.ts';
import { edit } from '../../parts/draft.ts';
import type { Actions } from './actions.ts';
import type { FormProps } from './values.tsx';

/** What is not saved yet, above the foot of the page. */
export const Unsaved = ({
  document,
  count,
  actions,
}: {
  readonly document: FormProps['document'];
  readonly count: number;
  readonly actions: Actions;
}) =>
  count > 0 && (
    <div class="unsaved" role="region" aria-label="Changes">
      <span>{count === 1 ? 'One change' : `${count} changes`} not saved</span>
      <button type="button" class="plain" onClick={actions.stepBack}>
        Undo
      </button>
      <button
        type="button"
        class="plain"
        onClick={() => edit(document, () => ({ ...noEntries, revision: document.revision }))}
      >
        Discard
      </button>
      <button type="button" aria-disabled={actions.working || undefined} onClick={() => void actions.save()}>
        Save
      </button>
    </div>
  );
