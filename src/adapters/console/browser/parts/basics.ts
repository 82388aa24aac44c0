import { type Signal, useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isNotFound, messageOf } from '../api.ts';
import { isUnreachable, lost } from '../connection.ts';
import type { Loaded } from '../loaded.ts';

/** What a status means to a person: how it looks, and in words. */
const tones: Readonly<Record<string, string>> = {
  completed: 'good',
  processed: 'good',
  approved: 'good',
  delivered: 'good',
  active: 'good',
  invited: 'info',
  failed: 'bad',
  error: 'bad',
  rejected: 'bad',
  pending: 'warn',
  review_required: 'warn',
  retried: 'warn',
  queued: 'idle',
  cancelled: 'idle',
  running: 'busy',
  extracting: 'busy',
  processing: 'busy',
  ready: 'info',
};

export const Status = ({ of }: { readonly of: string }) =>
  html`<span class=${`status ${tones[of] ?? 'idle'}`}><span class="dot" aria-hidden="true"></span>${of.replaceAll('_', ' ')}</span>`;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const sameYear = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
const otherYear = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

const timeText = (date: Date, now: Date): string => {
  const ms = date.getTime() - now.getTime();
  if (Math.abs(ms) < MINUTE) return 'just now';
  if (Math.abs(ms) < HOUR) return relative.format(Math.round(ms / MINUTE), 'minute');
  return (date.getFullYear() === now.getFullYear() ? sameYear : otherYear).format(date);
};

export const Time = ({ at }: { readonly at: string | null }) => {
  if (at === null) return html`<span class="soft">–</span>`;
  const date = new Date(at);
  return html`<time datetime=${at} title=${exact.format(date)}>${timeText(date, new Date())}</time>`;
};

const counts = new Intl.NumberFormat();

export const countText = (count: number): string => counts.format(count);

/** 850 ms, 4.2 s, 3 min 5 s. */
export const durationText = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.round((ms % MINUTE) / 1000)} s`;
  return `${Math.floor(ms / HOUR)} h ${Math.round((ms % HOUR) / MINUTE)} min`;
};

type HeadingProps = { readonly title: string; readonly children?: ComponentChildren; readonly back?: ComponentChildren };

/** The heading of a page, which gets the focus when the page opens, so that a screen reader reads it. */
export const Heading = ({ title, children, back }: HeadingProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Portico`;
  }, [title]);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null) heading.current?.focus({ preventScroll: true });
  }, []);
  return html`<div class="heading">
    ${back}
    <h1 ref=${heading} tabindex="-1">${title}</h1>
    <div class="actions">${children}</div>
  </div>`;
};

/** What went wrong. Of a lost connection the shell speaks. */
export const Failure = ({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) =>
  !(lost.value && isUnreachable(error)) &&
  html`<div class="failure" role="alert">
    <p>${messageOf(error)}</p>
    ${retry && html`<button type="button" class="plain" onClick=${retry}>Try again</button>`}
  </div>`;

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) =>
  html`<div class="empty"><h2>${title}</h2>${children}</div>`;

/** Lines in the place of what is being loaded. */
export const Skeleton = ({ lines = 6 }: { readonly lines?: number }) =>
  html`<div class="skeleton" role="status" aria-label="Loading">${Array.from({ length: lines }, () => html`<span></span>`)}</div>`;

type LoadingProps = { readonly of: Loaded<unknown>; readonly lines?: number; readonly thing?: string };

/** What stands there until something is loaded, or where that fails; `thing`: what is missing if it is not found. */
export const Loading = ({ of: { data, error, reload }, lines, thing }: LoadingProps) => {
  if (thing && isNotFound(error))
    return html`<${Empty} title=${`There is no such ${thing}`}><p>It may be gone, or you may not see its agent.</p><//>`;
  if (error !== null && !(lost.value && isUnreachable(error))) return html`<${Failure} error=${error} retry=${reload} />`;
  return data === null && html`<${Skeleton} lines=${lines} />`;
};

type DisclosureProps = { readonly class?: string; readonly summary: ComponentChildren; readonly children: () => ComponentChildren };

/** Shows more when it is opened, and makes it only then. */
export const Disclosure = ({ summary, children, ...rest }: DisclosureProps) => {
  const open = useSignal(false);
  const toggle = ({ currentTarget }: Event) => {
    open.value = (currentTarget as HTMLDetailsElement).open;
  };
  return html`<details ...${rest} onToggle=${toggle}><summary>${summary}</summary>${open.value && children()}</details>`;
};

/** Sets a signal when it is called. */
export const setting =
  <T>(of: Signal<T>, value: T) =>
  () => {
    of.value = value;
  };

/** Sets a signal to what a field has. */
export const following = (of: Signal<string>) => (event: Event) => {
  of.value = (event.currentTarget as HTMLInputElement).value;
};

export const copy = async (text: string): Promise<void> => navigator.clipboard.writeText(text);
