import { signal } from '@preact/signals';
import { messageOf, withToken } from '../api.ts';
import { useKeys } from '../keys.ts';
import { countText, Progress, setting } from './basics.tsx';
import { confirm } from './dialogs.tsx';
import type { Listed } from './document-list.ts';
import { sendBatch } from './document-requests.ts';
import { NotDone, type Refused } from './not-done.tsx';
import { notify } from './notice.tsx';

type Documents = readonly Pick<Listed, 'id' | 'name' | 'revision'>[];

interface Batch {
  readonly total: number;
  readonly done: number;
  readonly failures: readonly Refused[];
}

/** So many are sent in one request, so that a person sees how far it is. */
const AT_ONCE = 10;

/** Goes on when the user leaves the page, and is there again when the user comes back. */
const batch = signal<Batch | null>(null);

const documentsText = (count: number) => (count === 1 ? 'one document' : `${countText(count)} documents`);

/** Why none of them was processed, where the request itself is refused. */
const refusedAll = (documents: Documents) => (error: unknown) =>
  documents.map(({ id, name }) => ({ id, name, why: messageOf(error) }));

const processAll = async (documents: Documents): Promise<void> => {
  let now: Batch = { total: documents.length, done: 0, failures: [] };
  batch.value = now;
  for (let from = 0; from < documents.length; from += AT_ONCE) {
    const some = documents.slice(from, from + AT_ONCE);
    const refused = await withToken(() => sendBatch('process', some)).catch(refusedAll(some));
    now = { ...now, done: now.done + some.length, failures: [...now.failures, ...refused] };
    batch.value = now;
  }
  const processed = now.total - now.failures.length;
  if (now.failures.length === 0) batch.value = null;
  const text = `${documentsText(processed)} ${processed === 1 ? 'is' : 'are'} in the system of record.`;
  if (processed > 0) notify(processed === now.total ? text : `Only ${text}`);
};

const isWorking = () => batch.value !== null && batch.value.done < batch.value.total;

/** Processes all of these documents. */
export const ProcessAll = ({ documents, after }: { readonly documents: Documents; readonly after: () => void }) => {
  const ask = () =>
    confirm({
      title: `Process ${documentsText(documents.length)}?`,
      text: 'What was approved is written to the system of record. That cannot be taken back here.',
      yes: 'Process',
      does: () => processAll(documents),
      after,
    });
  useKeys(isWorking() ? [] : [{ key: 'p', does: 'Process all that is shown', act: ask }]);
  return (
    <button type="button" disabled={isWorking()} onClick={ask}>
      Process {documents.length === 1 ? 'it' : `all ${countText(documents.length)}`}
    </button>
  );
};

/** How far it is, and afterwards what was not processed, and why. */
export const Processing = () => {
  if (batch.value === null) return null;
  const { total, done, failures } = batch.value;
  const text = `${failures.length === 1 ? 'One document was' : `${countText(failures.length)} documents were`} not processed.`;
  return (
    <>
      {isWorking() && <Progress label="Documents that are done" done={done} total={total} verb="processed" />}
      {failures.length > 0 && (
        <NotDone text={text} refused={failures} close={isWorking() ? null : setting(batch, null)} />
      )}
    </>
  );
};
