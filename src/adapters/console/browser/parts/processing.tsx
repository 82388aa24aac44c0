import { signal } from '@preact/signals';
import { messageOf, withToken } from '../api.ts';
import { cache } from '../queries.ts';
import { documentsText, Progress, setting } from './basics.tsx';
import { documentOf, type Named, sendBatch } from './document-requests.ts';
import { NotDone, type Refused } from './not-done.tsx';
import { notify } from './notice.tsx';

interface Batch {
  readonly total: number;
  readonly done: number;
  readonly failures: readonly Refused[];
}

/** So many are sent in one request, so that a person sees how far it is. */
const AT_ONCE = 10;

/** Goes on when the user leaves the page, and is there again when the user comes back. */
const batch = signal<Batch | null>(null);

/** Those that come while others are sent follow them. */
let sent: Promise<void> = Promise.resolve();

const isWorking = () => batch.value !== null && batch.value.done < batch.value.total;

/** Why none of them was processed, where the request itself is refused. */
const refusedAll = (documents: readonly Named[]) => (error: unknown) =>
  documents.map(({ id, name }) => ({ id, name, why: messageOf(error) }));

const send = async (documents: readonly Named[]) => {
  const refused = await withToken(() => sendBatch('process', documents)).then(
    ({ refused }) => refused,
    refusedAll(documents),
  );
  for (const { id } of documents) void cache.invalidateQueries({ queryKey: documentOf(id).queryKey });
  return refused;
};

const sendOne = async (document: Named): Promise<void> => {
  const [refused] = await send([document]);
  if (refused === undefined) notify(`${document.name} is in the system of record.`);
  else notify(`${document.name} is not posted. ${refused.why}`, true);
};

/** What was not processed before, and was not closed, stays there. */
const sendAll = async (documents: readonly Named[]): Promise<void> => {
  const before = batch.value?.failures ?? [];
  let now: Batch = { total: documents.length, done: 0, failures: before };
  batch.value = now;
  for (let from = 0; from < documents.length; from += AT_ONCE) {
    const some = documents.slice(from, from + AT_ONCE);
    const refused = await send(some);
    now = { ...now, done: now.done + some.length, failures: [...now.failures, ...refused] };
    batch.value = now;
  }
  const processed = now.total - now.failures.length + before.length;
  if (now.failures.length === 0) batch.value = null;
  const text = `${documentsText(processed)} ${processed === 1 ? 'is' : 'are'} in the system of record.`;
  if (processed < now.total) notify(processed === 0 ? 'None of the documents is posted.' : `Only ${text}`, true);
  else notify(text);
};

/** Posts documents, each as it was when the user saw it. */
export const processAll = (documents: readonly Named[]): void => {
  const [first] = documents;
  if (first === undefined) return;
  sent = sent.then(() => (documents.length === 1 ? sendOne(first) : sendAll(documents)));
};

/** How far it is, and afterwards what was not processed, and why. */
export const Processing = () => {
  if (batch.value === null) return null;
  const { total, done, failures } = batch.value;
  const text = `${failures.length === 1 ? 'One document was' : `${documentsText(failures.length)} were`} not processed.`;
  return (
    <>
      {isWorking() && <Progress label="Documents that are done" done={done} total={total} verb="processed" />}
      {failures.length > 0 && (
        <NotDone text={text} refused={failures} close={isWorking() ? null : setting(batch, null)} />
      )}
    </>
  );
};
