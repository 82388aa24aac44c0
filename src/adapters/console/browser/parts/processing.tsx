import { signal } from '@preact/signals';
import { messageOf, untilAnswered } from '../api.ts';
import { cache } from '../queries.ts';
import { documentsText, Progress, setting } from './basics.tsx';
import { documentOf, type Named, sendBatch } from './document-requests.ts';
import { NotDone, type Refused } from './not-done.tsx';
import { notify } from './notice.tsx';
import { storedList } from './stored-list.ts';

interface Batch {
  readonly total: number;
  readonly done: number;
  readonly failures: readonly Refused[];
}

/** So many are sent in one request, so that a person sees how far it is. */
const AT_ONCE = 10;

/** What one request posts, and the key by which the server knows it when it is sent again. */
interface Order {
  readonly key: string;
  readonly documents: readonly Named[];
}

const KEPT = 'portico.due';

/** What is due and not answered. A reload keeps it: what is to be posted is posted. */
let due: readonly Order[] = [];

const keep = (orders: readonly Order[]) => {
  due = orders;
  sessionStorage.setItem(KEPT, JSON.stringify(orders));
};

/** Goes on when the user leaves the page, and is there again when the user comes back. */
const batch = signal<Batch | null>(null);

/** Those that come while others are sent follow them. */
let sent: Promise<void> = Promise.resolve();

const isWorking = () => batch.value !== null && batch.value.done < batch.value.total;

/** Why none of them was processed, where the request itself is refused. */
const refusedAll = (documents: readonly Named[], error: unknown): readonly Refused[] =>
  documents.map(({ id, name }) => ({ id, name, why: messageOf(error) }));

/** So often, and after so long, it asks again for what is being posted already, to say what came of it. */
const MOST_LOOKS = 15;
const LOOK_MS = 2000;

/** What became due while the connection was lost is posted once it is back: by one key, so that nothing is done twice. */
const send = async ({ key, documents }: Order, looks = MOST_LOOKS): Promise<readonly Refused[]> => {
  const { refused, busy } = await untilAnswered(() => sendBatch('process', documents, { key })).catch((error) => ({
    refused: refusedAll(documents, error),
    busy: [],
  }));
  const again = busy.length > 0 && looks > 0 ? [{ key: crypto.randomUUID(), documents: busy }] : [];
  keep([...due.filter((each) => each.key !== key), ...again]);
  for (const { id } of documents) void cache.invalidateQueries({ queryKey: documentOf(id).queryKey });
  const [order] = again;
  if (order === undefined) return refused;
  await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  const isBusy = new Set(busy.map(({ id }) => id));
  return [...refused.filter(({ id }) => !isBusy.has(id)), ...(await send(order, looks - 1))];
};

/** Documents that were sent alone and not posted: what comes of others later does not take their place. */
const unposted = signal<readonly Refused[]>([]);

const sendOne = async (order: Order, { id, name }: Named): Promise<void> => {
  const [refused] = await send(order);
  unposted.value = [...unposted.value.filter((other) => other.id !== id), ...(refused ? [refused] : [])];
  if (refused === undefined) notify(`${name} is in the system of record.`);
};

/** Says of each that it is not posted, and why, until the user closes it. */
export const Unposted = () => {
  const close = (refused: Refused) => () => {
    unposted.value = unposted.value.filter((other) => other !== refused);
  };
  return (
    <>
      {unposted.value.map((refused) => (
        <p key={refused.id} class="bad" role="alert">
          {refused.name} is not posted. {refused.why}
          <button type="button" class="text" onClick={close(refused)}>
            Close
          </button>
        </p>
      ))}
    </>
  );
};

/** What was not processed before, and was not closed, stays there. */
const sendAll = async (orders: readonly Order[], total: number): Promise<void> => {
  const before = batch.value?.failures ?? [];
  let now: Batch = { total, done: 0, failures: before };
  batch.value = now;
  for (const order of orders) {
    const refused = await send(order);
    now = { ...now, done: now.done + order.documents.length, failures: [...now.failures, ...refused] };
    batch.value = now;
  }
  const processed = now.total - now.failures.length + before.length;
  if (now.failures.length === 0) batch.value = null;
  const text = `${documentsText(processed)} ${processed === 1 ? 'is' : 'are'} in the system of record.`;
  if (processed < now.total) notify(processed === 0 ? 'None of the documents is posted.' : `Only ${text}`, true);
  else notify(text);
};

const sendInTurn = (orders: readonly Order[]) => {
  const documents = orders.flatMap((order) => order.documents);
  const [order] = orders;
  const [document] = documents;
  if (order === undefined || document === undefined) return;
  sent = sent.then(() => (documents.length === 1 ? sendOne(order, document) : sendAll(orders, documents.length)));
};

/** Posts documents, each as it was when the user saw it. */
export const processAll = (documents: readonly Named[]): void => {
  const orders: Order[] = [];
  for (let from = 0; from < documents.length; from += AT_ONCE)
    orders.push({ key: crypto.randomUUID(), documents: documents.slice(from, from + AT_ONCE) });
  keep([...due, ...orders]);
  sendInTurn(orders);
};

/** Goes on with what was not answered when the page was loaded anew, once its person is signed in. */
export const startProcessing = (): void => {
  due = storedList(KEPT);
  sendInTurn(due);
};

export const isDue = (): boolean => due.length > 0;

export const forgetDue = (): void => keep([]);

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
