import type { Schemas } from '../../../../../client/portico.ts';
import { api } from '../../api.ts';
import { confirm, FormDialog, showDialog } from '../../parts/dialogs.tsx';
import { notify } from '../../parts/notice.tsx';

interface HoldProps {
  readonly of: Schemas['DocumentDetail'];
  readonly after: () => unknown;
}

const held = '/api/v1/documents/{id}/hold';

const hold = ({ of: { id, name }, after }: HoldProps) =>
  showDialog(
    <FormDialog
      title={`Hold ${name}?`}
      yes="Hold"
      busy="Saving…"
      submit={(entered) =>
        api.put(held, { params: { path: { id } }, body: { reason: String(entered.get('why')).trim() } })
      }
      after={() => {
        notify('The document is held.');
        after();
      }}
    >
      <p>
        Nobody can delete it until an administrator lifts the hold: it does not go to the trash, and its run, its
        conversation and its files stay.
      </p>
      <label class="field">
        Why? Everybody who sees the document reads this.
        <input type="text" name="why" required pattern=".*\S.*" maxlength={1000} autocomplete="off" />
      </label>
    </FormDialog>,
  );

const release = ({ of: { id, name }, after }: HoldProps) =>
  confirm({
    title: `Lift the hold of ${name}?`,
    text: 'From then on it may be deleted, by people and by the rules of the workspace.',
    yes: 'Lift the hold',
    does: () => api.delete(held, { params: { path: { id } } }),
    done: 'The document is not held any more.',
    after,
  });

/** For administrators. */
export const HoldButton = (props: HoldProps) => (
  <button type="button" class="plain" onClick={() => (props.of.hold === null ? hold(props) : release(props))}>
    {props.of.hold === null ? 'Hold' : 'Lift the hold'}
  </button>
);
