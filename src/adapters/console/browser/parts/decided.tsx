import { signal } from '@preact/signals';
import { PorticoError } from '../../../../client/portico.ts';
import { UNDO_SECONDS } from '../../../../domain/document.ts';
import { useAddress } from '../address.ts';
import { messageOf, withToken } from '../api.ts';
import { useSeen } from '../presses.ts';
import { cache } from '../queries.ts';
import { documentOf, process, read, refusalOf, restore, review, type Tagged } from './document-requests.ts';
import { act, notify } from './notice.tsx';

/** What was decided, while it can be taken back. */
interface Decided {
  readonly id: string;
  readonly name: string;
  readonly did: 'approved' | 'rejected' | 'moved to the trash';
  /** When the review was decided, by the clock of the server: another decision is not taken back. */
  readonly decidedAt: string | null;
  /** Whether the document is posted once its approval cannot be taken back any more. */
  readonly posts: boolean;
  /** Whether the workers post it then, by themselves. */
  readonly isPosted: boolean;
  /** Until when it can be taken back, by the clock of the browser. */
  readonly until: number;
  /** Where it was decided. */
  readonly address: string;
}

const KEPT = 'portico.decided';

const stored = (): readonly Decided[] => {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEPT) ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
};

/** The newest first. A reload keeps them: what is to be posted is posted, and what can be taken back still can. */
const decided = signal(stored());

const keep = (entries: readonly Decided[]) => {
  decided.value = entries;
  sessionStorage.setItem(KEPT, JSON.stringify(entries));
};

/** Whoever takes an entry out acts on it: it is posted, or taken back, and never both. */
const takeOut = (entry: Decided): boolean => {
  const isThere = decided.value.includes(entry);
  if (isThere) keep(decided.value.filter((each) => each !== entry));
  return isThere;
};

const show = (now: Tagged) => void cache.setQueryData(documentOf(now.document.id).queryKey, now);

/** Another tab, or another person, may have posted it meanwhile. */
const isPosted = (error: unknown) => error instanceof PorticoError && error.code === 'document_processed';

const post = async ({ id, name }: Decided): Promise<void> => {
  try {
    const now = await withToken(() => process(id));
    show(now);
    const refusal = refusalOf(now);
    notify(refusal ?? `${name} is in the system of record.`, refusal !== null);
  } catch (error) {
    if (!isPosted(error)) notify(`${name} is not posted. ${messageOf(error)}`, true);
    void cache.invalidateQueries({ queryKey: documentOf(id).queryKey });
  }
};

const wait = (entry: Decided) =>
  void setTimeout(() => takeOut(entry) && entry.posts && void post(entry), entry.until - Date.now());

/** Goes on with what waited when the page was loaded anew. */
export const startDecided = (): void => decided.value.forEach(wait);

/** Keeps a decision so that it can be taken back for a while, in which nothing of it is posted. */
export const remember = (entry: Omit<Decided, 'until' | 'address'>): void => {
  const until = Date.now() + UNDO_SECONDS * 1000;
  const kept = { ...entry, until, address: location.pathname + location.search };
  keep([kept, ...decided.value.filter(({ id }) => id !== entry.id)]);
  wait(kept);
};

const reopened = async ({ id, name, decidedAt }: Decided): Promise<Tagged> => {
  const now = await read(id);
  if (now.document.review.decided_at === decidedAt) return review(now, 'reopen');
  throw new Error(`${name} has changed since: its review is ${now.document.review.status} now.`);
};

/** The newest decision that can be taken back, and what takes it back: by one press, once the user has seen which one it is. */
export const useLatest = () => {
  const [entry = null] = decided.value;
  const { go } = useAddress();
  const { decides } = useSeen(entry === null ? '' : `${entry.id} ${entry.until}`);
  const takeBack = async (event: Event): Promise<void> => {
    if (entry === null || !decides(event) || !takeOut(entry)) return;
    const does = () => (entry.did === 'moved to the trash' ? restore(entry.id) : reopened(entry));
    const now = await act({ does, done: `${entry.name} is as it was before.` });
    if (now === null) return void cache.invalidateQueries({ queryKey: documentOf(entry.id).queryKey });
    show(now);
    go(entry.address);
  };
  return { entry, takeBack };
};

/** Says what was decided last, and takes it back. */
export const Undoable = () => {
  const { entry, takeBack } = useLatest();
  if (entry === null) return null;
  return (
    <p>
      {entry.name} is {entry.did}.{(entry.posts || entry.isPosted) && ` It is posted in ${UNDO_SECONDS} seconds.`}
      <button type="button" class="text" onClick={(event: Event) => void takeBack(event)}>
        Undo
      </button>
    </p>
  );
};
