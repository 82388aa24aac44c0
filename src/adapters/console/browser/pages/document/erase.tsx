import type { Schemas } from '../../../../../client/portico.ts';
import { api } from '../../api.ts';
import { FormDialog, showDialog } from '../../parts/dialogs.tsx';
import { forgetDraft } from '../../parts/draft.ts';
import { notify } from '../../parts/notice.tsx';

interface EraseProps {
  readonly of: Schemas['DocumentDetail'];
  /** What comes once the document is gone. */
  readonly after: () => void;
}

const erase = ({ of: { id, name }, after }: EraseProps) =>
  showDialog(
    <FormDialog
      title={`Erase ${name} for good?`}
      yes="Erase"
      busy="Erasing…"
      submit={(entered) =>
        api.post('/api/v1/erasures', { body: { document_id: id, reason: String(entered.get('why')).trim() } })
      }
      after={({ completed_at: at }) => {
        forgetDraft(id);
        notify(at === null ? 'The document is gone, and the rest of it goes in the background.' : 'It is erased.');
        after();
      }}
    >
      <p>Nobody brings it back, as from the trash.</p>
      <ul>
        <li>
          What goes: the document with its history, its files, the conversation in which it was read, its events and
          deliveries, and other documents that were read from the same pages. Of a file with several documents, the
          others lose their pages.
        </li>
        <li>What stays: the row in the system of record, and the names and ids in the audit log.</li>
      </ul>
      <label class="field">
        Why? It stands in the receipt: write nothing of the content here.
        <input type="text" name="why" required pattern=".*\S.*" maxlength={1000} autocomplete="off" />
      </label>
    </FormDialog>,
  );

/** For administrators. */
export const EraseButton = (props: EraseProps) => (
  <button type="button" class="bad" onClick={() => erase(props)}>
    Erase
  </button>
);
