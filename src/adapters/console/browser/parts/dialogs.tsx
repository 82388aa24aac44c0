import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useAddress } from '../address.ts';
import { messageOf, withToken } from '../api.ts';
import { activeKeys, setSingleKeys, singleKeys } from '../keys.ts';
import { useSeen } from '../presses.ts';
import { renewsHere, state } from '../session.ts';
import { ROOT } from '../settings.ts';
import { copy, setting } from './basics.tsx';
import { Undoable } from './decided.tsx';
import { act, type Deed, Notice, notify } from './notice.tsx';
import { Unposted } from './processing.tsx';

const shown = signal<ComponentChildren>(null);

/** Shows a dialog over the page, in the place of the one before. It may have a secret, which is kept nowhere else. */
export const showDialog = (dialog: ComponentChildren): void => {
  shown.value = dialog;
};

export const closeDialog = setting(shown, null);

/** What stands over the page: the notice, or a dialog with the notice in it. A page that is left takes its dialog along. */
export const Overlay = () => {
  useLayoutEffect(() => closeDialog, [useAddress().page]);
  return (
    <>
      <Notice isBehind={shown.value !== null}>
        {shown.value === null && (
          <>
            <Unposted />
            <Undoable />
          </>
        )}
      </Notice>
      {shown.value}
    </>
  );
};

const closed = ({ currentTarget }: Event) => (currentTarget as Element).isConnected && closeDialog();

interface DialogProps {
  readonly title: string;
  /** Whether its buttons alone close it: Escape does not. */
  readonly stays?: boolean;
  readonly children?: ComponentChildren;
}

/** Escape closes it as well; the focus goes back to where it was. */
export const Dialog = ({ title, stays = false, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    const before = document.activeElement;
    current?.showModal();
    return () => {
      current?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} closedby={stays ? 'none' : 'closerequest'} onClose={closed} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
      <Notice />
    </dialog>
  );
};

/** The page behind a dialog cannot be used, and the user may sign in again without losing what they have entered. */
const SignInElsewhere = () =>
  state.value === 'over' &&
  renewsHere && (
    <>
      {' '}
      <a href={ROOT} target="_blank" rel="noreferrer">
        Sign in in another window
      </a>
      , then send it again from here.
    </>
  );

interface FormDialogProps<T> {
  readonly title: string;
  readonly yes: string;
  /** The words of the button while it works. */
  readonly busy: string;
  readonly isReady?: boolean;
  /** Whether what the user pressed is an answer to this dialog. */
  readonly decides?: (event: Event) => boolean;
  /** `signal`: the user has closed the dialog, and what is not sent by then need not be. */
  readonly submit: (entered: FormData, signal: AbortSignal) => Promise<T>;
  /** What comes once it is sent. */
  readonly after: (result: T) => void;
  readonly children?: ComponentChildren;
}

/** Asks for something, which is sent; what goes wrong with it stands in the dialog. */
export const FormDialog = <T,>(dialog: FormDialogProps<T>) => {
  const { title, yes, busy, isReady = true, decides, submit, after, children } = dialog;
  const failure = useSignal('');
  const working = useSignal(false);
  const ended = useRef(new AbortController());
  useLayoutEffect(() => () => ended.current.abort(), []);
  const send = async (event: Event) => {
    event.preventDefault();
    if (!isReady || working.value || decides?.(event) === false) return;
    const entered = new FormData(event.currentTarget as HTMLFormElement);
    working.value = true;
    failure.value = '';
    const { signal } = ended.current;
    try {
      const result = await withToken(() => submit(entered, signal));
      // Another dialog may stand in the place of one that the user has closed.
      if (!signal.aborted) closeDialog();
      after(result);
    } catch (error) {
      if (!signal.aborted) {
        working.value = false;
        failure.value = messageOf(error);
      } else if (error !== signal.reason) notify(messageOf(error), true);
    }
  };
  return (
    <Dialog title={title}>
      <form onSubmit={send}>
        {children}
        {failure.value && (
          <p class="failure" role="alert">
            {failure.value}
            <SignInElsewhere />
          </p>
        )}
        <div class="actions">
          <button type="submit" aria-disabled={!isReady || working.value || undefined}>
            {working.value ? busy : yes}
          </button>
          <button type="button" class="plain" onClick={closeDialog}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
};

type Question = Deed & {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly no?: string;
  readonly points?: readonly string[];
};

const Confirmation = ({ title, text, yes, no = 'Cancel', points = [], ...deed }: Question) => {
  const { isSeen, decides } = useSeen(title);
  const agree = (event: Event) => {
    if (!decides(event)) return;
    closeDialog();
    void act(deed);
  };
  return (
    <Dialog title={title}>
      <p>{text}</p>
      {points.length > 0 && (
        <ul>
          {points.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
      )}
      <div class="actions">
        <button type="button" aria-disabled={!isSeen || undefined} onClick={agree}>
          {yes}
        </button>
        <button type="button" class="plain" onClick={closeDialog}>
          {no}
        </button>
      </div>
    </Dialog>
  );
};

/** Asks before something is done of which the user should think first. The key or the click that asked is no answer. */
export const confirm = (question: Question): void => showDialog(<Confirmation {...question} />);

/** Asks why, of which something must be said. */
export const askWhy = (title: string, yes: string, does: (why: string) => Promise<unknown>): void =>
  showDialog(
    <FormDialog
      title={title}
      yes={yes}
      busy="Sending…"
      submit={(entered) => does(String(entered.get('why')).trim())}
      after={() => {}}
    >
      <label>
        Why? It stands in the history of the document.
        <input type="text" name="why" required pattern=".*\S.*" maxlength={1000} autocomplete="off" />
      </label>
    </FormDialog>,
  );

/** Shows a secret that the server does not show again. */
export const showOnce = ({
  title,
  text,
  value,
}: {
  readonly title: string;
  readonly text: string;
  readonly value: string;
}): void => {
  const taken = () => notify('Copied.');
  const take = () =>
    copy(value).then(taken, () => notify('The browser did not copy it: select it and copy it yourself.', true));
  showDialog(
    <Dialog title={title} stays>
      <p>{text}</p>
      <input
        type="text"
        class="mono"
        readonly
        aria-label={title}
        value={value}
        onFocus={(event: Event) => (event.currentTarget as HTMLInputElement).select()}
      />
      <div class="actions">
        <button type="button" onClick={() => void take()}>
          Copy
        </button>
        <button type="button" class="plain" onClick={closeDialog}>
          Done
        </button>
      </div>
    </Dialog>,
  );
};

/** Whether single keys act, for the user to decide. */
export const SingleKeys = ({ children }: { readonly children: ComponentChildren }) => {
  const change = (event: Event) => setSingleKeys((event.currentTarget as HTMLInputElement).checked);
  return (
    <label class="check">
      <input type="checkbox" checked={singleKeys.value} onChange={change} /> <span>{children}</span>
    </label>
  );
};

/** Shows every key that does something on this page. */
export const showHelp = () =>
  showDialog(
    <Dialog title="Keyboard">
      <table class="keys">
        <tbody>
          {activeKeys.value.map(({ key, does }) => (
            <tr>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <SingleKeys>Single keys act</SingleKeys>
      <div class="actions">
        <button type="button" onClick={closeDialog}>
          Close
        </button>
      </div>
    </Dialog>,
  );
