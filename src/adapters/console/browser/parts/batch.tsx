import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { countText, documentsText, setting } from './basics.tsx';
import { remember, WHAT_PROCESSING_DOES, willPost } from './decided.tsx';
import { askWhy, confirm } from './dialogs.tsx';
import type { Listed } from './document-list.ts';
import { type BatchAction, sendBatch } from './document-requests.ts';
import { allowed } from './document-state.ts';
import { NotDone, type Refused } from './not-done.tsx';
import type { Selection } from './selection.tsx';

const done = { approve: 'approved', reject: 'rejected', trash: 'moved to the trash' } as const;

/** Why a person should look at a document before it is approved. */
const isFlagged = ({ review }: Listed) => review.reasons.some(({ code }) => code !== 'always');

interface BatchProps {
  readonly selection: Selection<Listed>;
  readonly after: () => void;
  /** The list. */
  readonly children: ComponentChildren;
}

/** What is done to all that is selected, each to those of them whose state allows it: below the list, whose rows it does not move. */
export const Batch = ({ selection, after, children }: BatchProps) => {
  const refused = useSignal<readonly Refused[]>([]);

  const send = async (action: BatchAction, documents: readonly Listed[], note: string | null = null) => {
    if (action === 'process') willPost(documents);
    else {
      const sent = await sendBatch(action, documents, { note });
      refused.value = sent.refused;
      remember(sent.done, { did: done[action] });
    }
    selection.clear();
    after();
  };

  const ask = (action: BatchAction, documents: readonly Listed[]) => {
    const of = documentsText(documents.length);
    if (action === 'reject') return askWhy(`Reject ${of}?`, 'Reject', (why) => send(action, documents, why));
    const flagged = documents.filter(isFlagged);
    const questions = {
      approve: {
        title: `Approve ${of}?`,
        text:
          flagged.length === 0
            ? 'Each is approved as the list shows it.'
            : 'Something speaks against an approval of these. Open one to see what.',
        yes: 'Approve',
        points: flagged.map(({ name }) => name),
      },
      process: {
        title: `Process ${of}?`,
        text: WHAT_PROCESSING_DOES,
        yes: 'Process',
      },
      trash: { title: `Move ${of} to the trash?`, text: 'They can be restored from there.', yes: 'Move to the trash' },
    };
    confirm({ ...questions[action], does: () => send(action, documents) });
  };

  const button = (action: BatchAction, text: string, look: string) => {
    const documents = selection.items.filter((document) => allowed(document)[action]);
    if (documents.length === 0) return null;
    return (
      <button type="button" class={look} onClick={() => ask(action, documents)}>
        {text} {countText(documents.length)}
      </button>
    );
  };

  const { length } = refused.value;
  return (
    <>
      {length > 0 && (
        <NotDone
          text={
            length === 1 ? 'One document was left as it was.' : `${countText(length)} documents were left as they were.`
          }
          refused={refused.value}
          close={setting(refused, [])}
        />
      )}
      {children}
      {selection.items.length > 0 && (
        <div class="selected" role="group" aria-label="What is selected">
          <span role="status">{countText(selection.items.length)} selected</span>
          {button('approve', 'Approve', '')}
          {button('process', 'Process', '')}
          {button('reject', 'Reject', 'plain')}
          {button('trash', 'Move to the trash', 'plain')}
          <button type="button" class="text" onClick={selection.clear}>
            Clear
          </button>
        </div>
      )}
    </>
  );
};
