import { signal } from '@preact/signals';
import type { Schemas } from '../../../../client/portico.ts';
import { UNDO_SECONDS } from '../../../../domain/document.ts';
import { useAddress } from '../address.ts';
import { messageOf, untilAnswered } from '../api.ts';
import { useKeys } from '../keys.ts';
import { useSeen } from '../presses.ts';
import { cache, show } from '../queries.ts';
import { documentsText } from './basics.tsx';
import { documentOf, type Named, read, restore, review, type Tagged } from './document-requests.ts';
import { act, notify } from './notice.tsx';
import { forgetDue, isDue, processAll, startProcessing } from './processing.tsx';
import { storedList } from './stored-list.ts';

/** As it was decided, by the clock of the server: another decision is not taken back. */
type DecidedDocument = Named & { readonly decidedAt: string | null };

interface Deed {
  /** null: nothing was sent, and they are only posted when the time is over. */
  readonly did: 'approved' | 'rejected' | 'moved to the trash' | null;
  /** Whether this page posts them once that cannot be taken back any more. */
  readonly posts?: boolean;
}

/** What was done to documents, while it can be taken back. */
interface Decided extends Deed {
  readonly key: string;
  readonly documents: readonly DecidedDocument[];
  /** Whether they are posted then, by this page or by the workers. */
  readonly isPosted: boolean;
  /** Until when it can be taken back, by the clock of the browser. */
  readonly until: number;
  /** Where it was decided. */
  readonly address: string;
}

export const WHAT_PROCESSING_DOES = `It is written to the system of record in ${UNDO_SECONDS} seconds. Until then it can be undone.`;

const KEPT = 'portico.undoable';

/** The newest first. A reload keeps them: what is to be posted is posted, and what can be taken back still can. */
const decided = signal<readonly Decided[]>([]);

const keep = (entries: readonly Decided[]) => {
  decided.value = entries;
  sessionStorage.setItem(KEPT, JSON.stringify(entries));
};

/** Whoever takes an entry out acts on it: it is posted, or taken back, and never both. */
const takeOut = (key: string): Decided | undefined => {
  const entryOfKey = decided.value.find((entry) => entry.key === key);
  if (entryOfKey) keep(decided.value.filter((entry) => entry !== entryOfKey));
  return entryOfKey;
};

const finish = (key: string) => {
  const entry = takeOut(key);
  if (entry?.posts) processAll(entry.documents);
};

const wait = ({ key, until }: Decided) => void setTimeout(finish, until - Date.now(), key);

/** A browser may open a closed tab again days later, with all that it kept: what has been due for so long is not posted any more. */
const MOST_LATE_MS = 3_600_000;

/** Goes on with what waited when the page was loaded anew, once its person is signed in. */
export const startDecided = (): void => {
  startProcessing();
  const kept = storedList<Decided>(KEPT);
  const late = kept.filter(({ until }) => Date.now() - until > MOST_LATE_MS);
  keep(kept.filter((entry) => !late.includes(entry)));
  decided.value.forEach(wait);
  const names = late.flatMap(({ posts, documents }) => (posts ? documents.map(({ name }) => name) : []));
  if (names.length > 0)
    notify(`This tab was closed before it posted ${names.join(', ')}: look whether to post it now.`, true);
};

/** A user who signs out leaves nothing behind that is posted in the name of the next. */
export const forgetDecided = (): void => {
  keep([]);
  forgetDue();
};

/** What is done to a document replaces what was done to it before. */
const without = (ids: ReadonlySet<string>) =>
  decided.value.flatMap((entry) => {
    const documents = entry.documents.filter(({ id }) => !ids.has(id));
    return documents.length === 0 ? [] : [{ ...entry, documents }];
  });

type Now = Pick<Schemas['BatchedDocument'], 'id' | 'name' | 'revision' | 'review' | 'posting'>;

/** Keeps what was done, so that it can be taken back for a while, in which nothing is posted. `documents`: as they are now. */
export const remember = (documents: readonly Now[], { did, posts = false }: Deed): void => {
  if (documents.length === 0) return;
  const isAutomatic = did === 'approved' && documents.some(({ posting }) => posting.next_attempt_at !== null);
  const kept = {
    key: crypto.randomUUID(),
    documents: documents.map(({ id, name, revision, review }) => ({
      id,
      name,
      revision,
      decidedAt: review.decided_at,
    })),
    did,
    posts,
    isPosted: posts || isAutomatic,
    until: Date.now() + UNDO_SECONDS * 1000,
    address: location.pathname + location.search,
  };
  keep([kept, ...without(new Set(documents.map(({ id }) => id)))]);
  wait(kept);
};

/** Posts documents when the time to take that back is over. */
export const willPost = (documents: readonly Now[]): void => remember(documents, { did: null, posts: true });

/** The review of the document is open again: it is not posted, and nothing is left to take back. */
export const forget = (id: string): void => keep(without(new Set([id])));

/** Whether this page posts something in a moment, or has not heard yet what came of it. */
export const isPosting = (): boolean => decided.value.some(({ posts }) => posts) || isDue();

/** Whether this page posts the document in a moment. */
export const isToBePosted = (id: string): boolean =>
  decided.value.some(({ posts, documents }) => posts && documents.some((each) => each.id === id));

const reopened = async ({ id, name, decidedAt }: DecidedDocument, key: string): Promise<Tagged> => {
  const now = await untilAnswered(() => read(id));
  const { decided_at: at, status } = now.document.review;
  if (at === decidedAt) return untilAnswered(() => review(now, 'reopen', null, key));
  throw new Error(`${name} has changed since: its review is ${status} now.`);
};

/** What is taken back while the connection is lost is taken back once it is there again: by one key, so that nothing is done twice. */
const takenBack = async (document: DecidedDocument, did: Deed['did']): Promise<void> => {
  if (did === null) return;
  const { id } = document;
  const key = crypto.randomUUID();
  try {
    const isThrownAway = did === 'moved to the trash';
    await show(documentOf(id), await (isThrownAway ? untilAnswered(() => restore(id, key)) : reopened(document, key)));
  } catch (error) {
    void cache.invalidateQueries({ queryKey: documentOf(id).queryKey });
    throw error;
  }
};

const allTakenBack = async ({ documents, did }: Decided): Promise<void> => {
  const results = await Promise.allSettled(documents.map((document) => takenBack(document, did)));
  const [first, ...more] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (first === undefined) return;
  throw more.length === 0
    ? first
    : new Error(`${more.length + 1} of them could not be taken back. ${messageOf(first)}`);
};

const textOf = ({ documents }: Decided) => {
  const [first] = documents;
  return documents.length === 1 && first
    ? ([first.name, 'is', 'it was', 'It is'] as const)
    : ([documentsText(documents.length), 'are', 'they were', 'They are'] as const);
};

/** The newest deed that can be taken back, and what takes it back: by one press, once the user has seen which one it is. */
export const useLatest = () => {
  const [entry = null] = decided.value;
  const { go } = useAddress();
  const { decides } = useSeen(entry?.key ?? '');
  const takeBack = async (event: Event): Promise<void> => {
    if (entry === null || !decides(event) || !takeOut(entry.key)) return;
    const [what, are, were] = textOf(entry);
    const done = `${what} ${are} as ${were} before.`;
    if ((await act({ does: () => allTakenBack(entry), done })) !== null) go(entry.address);
  };
  return { entry, takeBack };
};

/** The key of a list; a document has its own, which takes back edits as well. */
export const useUndoKey = (): void => {
  const { entry, takeBack } = useLatest();
  useKeys(entry ? [{ key: 'u', does: 'Undo what was done last', act: (event) => void takeBack(event) }] : []);
};

/** Says what was done last, and takes it back. */
export const Undoable = () => {
  const { entry, takeBack } = useLatest();
  if (entry === null) return null;
  const [what, are, , they] = textOf(entry);
  const later = `posted in ${UNDO_SECONDS} seconds.`;
  return (
    <p>
      {what} {are} {entry.did === null ? later : `${entry.did}.`}
      {entry.did !== null && entry.isPosted && ` ${they} ${later}`}
      <button type="button" class="text" onClick={(event: Event) => void takeBack(event)}>
        Undo
      </button>
    </p>
  );
};
