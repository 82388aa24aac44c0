import { signal, useSignal } from '@preact/signals';
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { messageOf, withToken } from '../api.ts';
import { useSeenAtPlace } from '../presses.ts';
import { setting } from './basics.tsx';

type Said = { readonly text: string; readonly isError: boolean };

const said = signal<Said | null>(null);
const close = setting(said, null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Long enough to read; an error stays until it is closed. */
const SHOWN_MS = 6000;

export const notify = (text: string, isError = false): void => {
  clearTimeout(timer);
  said.value = { text, isError };
  if (!isError) timer = setTimeout(close, SHOWN_MS);
};

export interface Deed<T = unknown> {
  readonly does: () => Promise<T>;
  /** What is said when it is done. */
  readonly done?: string;
  /** What comes next, whether it worked or not. */
  readonly after?: () => void;
}

/** Does something and says what came of it; null if it did not work. */
export const act = async <T,>({ does, done, after }: Deed<T>): Promise<T | null> => {
  try {
    const result = await withToken(does);
    if (done) notify(done);
    return result;
  } catch (error) {
    notify(messageOf(error), true);
    return null;
  } finally {
    after?.();
  }
};

interface ActionProps extends Deed, Pick<ButtonHTMLAttributes<HTMLButtonElement>, 'class' | 'disabled' | 'aria-label'> {
  /** The words while it is under way. */
  readonly busy?: string;
  readonly children: ComponentChildren;
}

/** Does something once at a time. */
const useOnce = (deed: Deed) => {
  const working = useSignal(false);
  const start = async () => {
    if (working.value) return;
    working.value = true;
    await act(deed);
    working.value = false;
  };
  return { isWorking: working.value, start };
};

/** A button that does something, once at a time, and says what came of it. It keeps the focus. */
export const Action = ({ does, done, after, busy, disabled = false, children, ...rest }: ActionProps) => {
  const { isWorking, start } = useOnce({ does, done, after });
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={isWorking || disabled || undefined}
      onClick={() => void (disabled || start())}
    >
      {(isWorking && busy) || children}
    </button>
  );
};

/** The same in a row, which moves when others come and go: it does something once its user has seen it at its place. */
export const RowAction = ({ does, done, after, children, ...rest }: Omit<ActionProps, 'busy' | 'disabled'>) => {
  const { isWorking, start } = useOnce({ does, done, after });
  const { button, isSeen, decides } = useSeenAtPlace();
  return (
    <button
      type="button"
      {...rest}
      ref={button}
      aria-disabled={isWorking || !isSeen || undefined}
      onClick={(event: Event) => decides(event) && void start()}
    >
      {children}
    </button>
  );
};

/** The result of what the user did last. A screen reader reads it without moving the focus, in a place that was there before. */
export const Notice = ({
  isBehind = false,
  children,
}: {
  readonly isBehind?: boolean;
  readonly children?: ComponentChildren;
}) => {
  const { text, isError } = (!isBehind && said.value) || { text: '', isError: false };
  return (
    <div class="notices" role={isError ? 'alert' : 'status'}>
      {text && (
        <p class={isError ? 'bad' : ''}>
          {text}
          <button type="button" class="text" onClick={close}>
            Close
          </button>
        </p>
      )}
      {children}
    </div>
  );
};
