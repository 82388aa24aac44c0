import { type Signal, signal, useSignal } from '@preact/signals';
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isNotFound, isUnreachable, messageOf } from '../api.ts';
import { lost } from '../connection.ts';
import type { Loaded } from '../queries.ts';

/** How a status looks; others are idle. */
const tones = Object.entries({
  good: ['completed', 'processed', 'approved', 'delivered', 'active', 'posted', 'posted automatically'],
  bad: ['failed', 'error', 'rejected', 'denied', 'refused', 'exhausted'],
  warn: ['pending', 'warning', 'review_required', 'retried', 'needs review', 'is tried again', 'waits for a person'],
  busy: ['running', 'extracting', 'processing', 'reading', 'posting', 'waits for its runs'],
  info: ['ready', 'ready to post', 'invited', 'is posted automatically'],
});

const toneOf = (status: string) => tones.find(([, statuses]) => statuses.includes(status.toLowerCase()))?.[0] ?? 'idle';

interface ButtonProps extends Pick<ButtonHTMLAttributes<HTMLButtonElement>, 'class' | 'aria-label'> {
  /** Whether it can do nothing for now. */
  readonly off: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

/** A button that is grey at times. It keeps the focus then, which one that is disabled would lose. */
export const Button = ({ off, onClick, children, ...rest }: ButtonProps) => (
  <button type="button" {...rest} aria-disabled={off || undefined} onClick={() => off || onClick()}>
    {children}
  </button>
);

export const Status = ({ of }: { readonly of: string }) => (
  <span class={`status ${toneOf(of)}`}>
    <span class="dot" aria-hidden="true"></span>
    {of.replaceAll('_', ' ')}
  </span>
);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** In the language of the page; days and figures are in that of the reader. */
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const sameYear = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const otherYear = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

const timeText = (date: Date, now: Date): string => {
  const ms = date.getTime() - now.getTime();
  if (Math.abs(ms) < MINUTE) return 'just now';
  if (Math.abs(ms) < HOUR) return relative.format(Math.round(ms / MINUTE), 'minute');
  return (date.getFullYear() === now.getFullYear() ? sameYear : otherYear).format(date);
};

const minutes = signal(0);
setInterval(() => {
  minutes.value += 1;
}, MINUTE);

/** Draws what says how long ago something was anew each minute: a page stays open for hours. */
const useMinutes = () => minutes.value;

export const Time = ({ at }: { readonly at: string | null }) => {
  useMinutes();
  if (at === null) return <span class="soft">–</span>;
  const date = new Date(at);
  return (
    <time datetime={at} title={exact.format(date)}>
      {timeText(date, new Date())}
    </time>
  );
};

const counts = new Intl.NumberFormat();

export const countText = (count: number): string => counts.format(count);

export const documentsText = (count: number): string =>
  count === 1 ? 'one document' : `${countText(count)} documents`;

/** 850 ms, 4.2 s, 3 min 5 s. */
export const durationText = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.round((ms % MINUTE) / 1000)} s`;
  return `${Math.floor(ms / HOUR)} h ${Math.round((ms % HOUR) / MINUTE)} min`;
};

/** What went wrong. Of a lost connection the shell speaks. */
export const Failure = ({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) =>
  !(lost.value && isUnreachable(error)) && (
    <div class="failure" role="alert">
      <p>{messageOf(error)}</p>
      {retry && (
        <button type="button" class="plain" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
);

/** Lines in the place of what is being loaded. */
export const Skeleton = ({ lines = 6 }: { readonly lines?: number }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: lines }, () => (
      <span></span>
    ))}
  </div>
);

type ProgressProps = { readonly label: string; readonly done: number; readonly total: number; readonly verb?: string };

export const Progress = ({ label, done, total, verb }: ProgressProps) => (
  <p class="progress">
    <progress max={total} value={done} aria-label={label}></progress>
    <span class="soft" role="status">
      {countText(done)} of {countText(total)} {verb}
    </span>
  </p>
);

type LoadingProps = { readonly of: Loaded; readonly lines?: number; readonly thing?: string };

/** What stands there until something is loaded, or where that fails; `thing`: what is missing if it is not found. */
export const Loading = ({ of: { data, error, refetch }, lines, thing }: LoadingProps) => {
  if (thing && isNotFound(error))
    return (
      <Empty title={`There is no such ${thing}`}>
        <p>It may be gone, or you may not see its agent.</p>
      </Empty>
    );
  if (error !== null && !(lost.value && isUnreachable(error)))
    return <Failure error={error} retry={() => void refetch()} />;
  return data === undefined && <Skeleton lines={lines} />;
};

/** `of`: what the page needs, which is loaded. */
interface HeadingProps extends Partial<LoadingProps> {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly back?: readonly [address: string, name: string];
}

/** The heading of a page, which gets the focus when the page opens, so that a screen reader reads it. */
export const Heading = ({ title, children, back, of, thing }: HeadingProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Portico`;
  }, [title]);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null)
      heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <div class="heading">
        {back && (
          <a class="back" href={back[0]}>
            {back[1]}
          </a>
        )}
        <h1 ref={heading} tabindex={-1}>
          {title}
        </h1>
        <div class="actions">{children}</div>
      </div>
      {of && <Loading of={of} thing={thing} />}
    </>
  );
};

interface LoadedListProps<T> {
  readonly of: Loaded;
  readonly items: readonly T[] | undefined;
  readonly look: string;
  readonly lines?: number;
  /** What is said where there is nothing. */
  readonly none?: string;
  readonly entry: (item: T) => ComponentChildren;
}

/** A list that is part of something: what stands there until it is loaded, and then what it has. */
export const LoadedList = <T,>({ of, items, look, lines = 2, none, entry }: LoadedListProps<T>) => (
  <>
    <Loading of={of} lines={lines} />
    {items?.length === 0 && <p class="soft">{none}</p>}
    {items && items.length > 0 && <ul class={look}>{items.map(entry)}</ul>}
  </>
);

type DisclosureProps = {
  readonly class?: string;
  readonly summary: ComponentChildren;
  readonly children: () => ComponentChildren;
};

/** Shows more when it is opened, and makes it only then. */
export const Disclosure = ({ summary, children, ...rest }: DisclosureProps) => {
  const open = useSignal(false);
  const toggle = ({ currentTarget }: Event) => {
    open.value = (currentTarget as HTMLDetailsElement).open;
  };
  return (
    <details {...rest} onToggle={toggle}>
      <summary>{summary}</summary>
      {open.value && children()}
    </details>
  );
};

/** Sets a signal when it is called. */
export const setting =
  <T,>(of: Signal<T>, value: T) =>
  () => {
    of.value = value;
  };

export const copy = async (text: string): Promise<void> => navigator.clipboard.writeText(text);
