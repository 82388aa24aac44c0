import { useKeys } from '../keys.ts';
import { countText, documentsText } from './basics.tsx';
import { WHAT_PROCESSING_DOES, willPost } from './decided.tsx';
import { confirm } from './dialogs.tsx';
import type { Listed } from './document-list.ts';

/** Processes all of these documents. */
export const ProcessAll = ({ documents }: { readonly documents: readonly Listed[] }) => {
  const ask = () =>
    confirm({
      title: `Process ${documentsText(documents.length)}?`,
      text: WHAT_PROCESSING_DOES,
      yes: 'Process',
      does: async () => willPost(documents),
    });
  useKeys([{ key: 'p', does: 'Process all that is shown', act: ask }]);
  return (
    <button type="button" onClick={ask}>
      Process {documents.length === 1 ? 'it' : `all ${countText(documents.length)}`}
    </button>
  );
};
