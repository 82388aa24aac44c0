import type { Schemas } from '../../../../../client/portico.ts';
import { askReader, isReadAgain, retry } from '../../parts/again.tsx';
import { isToBePosted, type useLatest } from '../../parts/decided.tsx';
import { askWhy, confirm } from '../../parts/dialogs.tsx';
import { openReasons } from '../../parts/document-list.ts';
import { allowed } from '../../parts/document-state.ts';
import { notify } from '../../parts/notice.tsx';
import { isHeld, useSeen } from '../../presses.ts';
import type { Actions } from './actions.ts';
import type { FormProps } from './values.tsx';

type Detail = Schemas['DocumentDetail'];

export interface Decision {
  readonly name: string;
  readonly key?: string;
  readonly look?: string;
  readonly act: (event: Event) => void;
}

/** Approves what is saved by then. Where a check failed, or a reason is open that the user has not confirmed, it says which and asks. */
const approving = async (
  { document, draft, schema }: FormProps,
  actions: Actions,
  posts: boolean,
  after: () => void,
) => {
  const now = await actions.settle();
  if (now === null) return;
  const does = async () => (await actions.approve(now, posts)) && after();
  const points = openReasons(now.document, draft.confirmed, schema);
  if (points.length === 0) return void (await does());
  confirm({
    title: `Approve ${document.name}?`,
    text: 'This speaks against it:',
    points,
    yes: posts ? 'Approve and process' : 'Approve',
    does,
  });
};

/** What the user may decide now: each is a button, and those of a review are keys too. `after` goes on when something is decided. */
export const decisionsOf = (form: FormProps, hasSystem: boolean, actions: Actions, after: () => void) => {
  const { document } = form;
  const { automatic } = document.posting;
  const { decide, process, reopen } = allowed(document);
  const reread = allowed(document).reread && !isReadAgain(document.id);
  const hasFailed = document.status === 'error' || document.posting.last_error !== null;
  const reject = () => {
    const rejecting = actions.rejecting();
    askWhy(`Reject ${document.name}?`, 'Reject', async (why) => (await rejecting(why)) && after());
  };
  const all: readonly (Decision & { readonly isOpen: boolean })[] = [
    { name: 'Reject', key: 'r', look: 'bad', isOpen: decide, act: reject },
    {
      name: 'Approve',
      key: 'a',
      ...(!automatic && { look: 'plain' }),
      isOpen: decide,
      act: () => void approving(form, actions, false, after),
    },
    {
      name: 'Approve and process',
      key: 'Shift+A',
      isOpen: decide && hasSystem && !automatic,
      act: () => void approving(form, actions, true, after),
    },
    { name: 'Reopen', look: 'plain', isOpen: reopen, act: () => void actions.reopen() },
    { name: 'Retry', key: 't', isOpen: reread, act: () => void retry(document).then((isDone) => isDone && after()) },
    { name: 'Read again by…', key: 'b', look: 'plain', isOpen: reread, act: () => askReader(document, after) },
    {
      ...(hasFailed ? { name: 'Retry', key: 't' } : { name: 'Process' }),
      isOpen: process && hasSystem && !isToBePosted(document.id),
      act: () => void actions.process().then((isDone) => isDone && after()),
    },
  ];
  return all.filter(({ isOpen }) => isOpen);
};

/** The same, each only once the user has seen which document it is about, and what can be decided of it. */
export const useSeenDecisions = (document: Detail | null, decisions: readonly Decision[]) => {
  const { isSeen, decides } = useSeen([document?.id, document?.revision, ...decisions.map(({ name }) => name)].join());
  return {
    isSeen,
    decides,
    decisions: decisions.map(({ act, ...other }) => ({
      ...other,
      act: (event: Event) => decides(event) && act(event),
    })),
  };
};

/** Takes back what was done last: an edit, a decision, or a change that was saved. A key that repeats takes back one of them. */
export const undoing =
  (document: Detail | null, actions: Actions, latest: ReturnType<typeof useLatest>) => async (event: KeyboardEvent) => {
    if (isHeld(event)) return;
    if (actions.stepBack()) return;
    if (latest.entry !== null) return latest.takeBack(event);
    if (await actions.undo()) return;
    const isPosted = document?.status === 'processed';
    notify(
      isPosted
        ? `${document.name} is in the system of record, which cannot be taken back here.`
        : 'There is nothing to take back.',
    );
  };
