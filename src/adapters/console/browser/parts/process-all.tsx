import { signal } from '@preact/signals';
import pLimit from 'p-limit';
import type { Schemas } from '../../../../client/portico.ts';
import { api, messageOf, withToken } from '../api.ts';
import { countText, Progress, setting } from './basics.tsx';
import { confirm } from './dialogs.tsx';
import { NotDone, type Refused } from './not-done.tsx';
import { notify } from './notice.tsx';

type Documents = readonly Pick<Schemas['ListedDocument'], 'id' | 'name'>[];

interface Batch {
  readonly total: number;
  readonly done: number;
  readonly failures: readonly Refused[];
}

/** A system of record takes rows faster by several connections, and others need it too. */
const AT_ONCE = 4;

/** Goes on when the user leaves the page, and is there again when the user comes back. */
const batch = signal<Batch | null>(null);

const documentsText = (count: number) => (count === 1 ? 'one document' : `${countText(count)} documents`);

/** Why it was not processed; null: it is in the system of record. */
const process = (id: string): Promise<string | null> =>
  withToken(() => api.post('/api/v1/documents/{id}', { params: { path: { id } } })).then(
    ({ status, error }) => (status === 'error' ? error : null),
    messageOf,
  );

const processAll = async (documents: Documents): Promise<void> => {
  let now: Batch = { total: documents.length, done: 0, failures: [] };
  batch.value = now;
  await pLimit(AT_ONCE).map(documents, async ({ id, name }) => {
    const why = await process(id);
    now = { ...now, done: now.done + 1, failures: why === null ? now.failures : [...now.failures, { id, name, why }] };
    batch.value = now;
  });
  const processed = now.total - now.failures.length;
  if (now.failures.length === 0) batch.value = null;
  const text = `${documentsText(processed)} ${processed === 1 ? 'is' : 'are'} in the system of record.`;
  if (processed > 0) notify(processed === now.total ? text : `Only ${text}`);
};

const isWorking = () => batch.value !== null && batch.value.done < batch.value.total;

/** Processes all of these documents, one request each. */
export const ProcessAll = ({ documents, after }: { readonly documents: Documents; readonly after: () => void }) => {
  const ask = () =>
    confirm({
      title: `Process ${documentsText(documents.length)}?`,
      text: 'What was approved is written to the system of record. That cannot be taken back here.',
      yes: 'Process',
      does: () => processAll(documents),
      after,
    });
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
