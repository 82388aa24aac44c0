import { signal } from '@preact/signals';
import { html } from 'htm/preact';
import type { FunctionComponent } from 'preact';
import { lost } from './api.ts';
import { useKeys } from './keys.ts';
import { prefetch, useLoaded } from './loaded.ts';
import { useWho } from './parts/agents.ts';
import { Empty, Failure, Heading, Skeleton } from './parts/basics.ts';
import { Overlay, showHelp } from './parts/dialogs.ts';
import { path, to } from './router.ts';
import { signIn, signOut, state } from './session.ts';
import { base, ROOT } from './settings.ts';

type View = FunctionComponent<{ readonly id: string }>;

type Route = { readonly at: RegExp; readonly load: () => Promise<View> };

const pages: readonly Route[] = [
  { at: /^\/(documents)?$/, load: async () => (await import('./pages/documents.ts')).Documents },
  { at: /^\/documents\/([^/]+)$/, load: async () => (await import('./pages/document.ts')).Document },
  { at: /^\/inbox$/, load: async () => (await import('./pages/inbox.ts')).Inbox },
  { at: /^\/runs$/, load: async () => (await import('./pages/runs.ts')).Runs },
  { at: /^\/runs\/([^/]+)$/, load: async () => (await import('./pages/run.ts')).Run },
  { at: /^\/data$/, load: async () => (await import('./pages/data.ts')).Data },
  { at: /^\/data\/databases\/([^/]+)$/, load: async () => (await import('./pages/data.ts')).Database },
  { at: /^\/data\/connections\/([^/]+)$/, load: async () => (await import('./pages/data.ts')).Connection },
  { at: /^\/agents$/, load: async () => (await import('./pages/agents.ts')).Agents },
  { at: /^\/agents\/([^/]+)$/, load: async () => (await import('./pages/agents.ts')).Agent },
  { at: /^\/events$/, load: async () => (await import('./pages/events.ts')).Events },
  { at: /^\/deliveries$/, load: async () => (await import('./pages/deliveries.ts')).Deliveries },
  { at: /^\/settings$/, load: async () => (await import('./pages/settings.ts')).Settings },
];

const routeOf = (place: string) => pages.find(({ at }) => at.test(place));

/** The page that was asked for is loaded while the user is signed in, and the others when the user first does something. */
export const startPages = (): void => {
  const load = (route: Route | undefined) => route && prefetch(String(route.at), route.load);
  load(routeOf(path.peek()));
  for (const begin of ['pointermove', 'touchstart', 'keydown'])
    addEventListener(begin, () => pages.forEach(load), { once: true, passive: true });
};

const links = [
  { name: 'Inbox', target: '/inbox', under: /^\/inbox$/ },
  { name: 'Documents', target: '/documents', under: /^\/(documents|$)/ },
  { name: 'Runs', target: '/runs', under: /^\/runs/ },
  { name: 'Agents', target: '/agents', under: /^\/agents/ },
  { name: 'Data', target: '/data', under: /^\/data/ },
  { name: 'Events', target: '/events', under: /^\/(events|deliveries)/ },
  { name: 'Settings', target: '/settings', under: /^\/settings/ },
] as const;

const Missing = () =>
  html`<${Heading} title="Not found" /><${Empty} title="There is no such page"><p><a href=${to('/documents')}>See the documents</a></p><//>`;

const Page = () => {
  const route = routeOf(path.value);
  const load = route?.load ?? (() => Promise.reject());
  const { data: view, error } = useLoaded(route ? String(route.at) : null, load, { freshMs: Number.POSITIVE_INFINITY });
  if (!route) return html`<${Missing} />`;
  if (error !== null)
    return html`<${Heading} title="Not loaded" /><${Failure} error=${new Error('This page was not loaded. The server may have a newer one.')} retry=${() => location.reload()} />`;
  return view ? html`<${view} id=${route.at.exec(path.value)?.[1] ?? ''} key=${route.at} />` : html`<${Skeleton} />`;
};

const Account = () => {
  const data = useWho();
  return html`<details class="account">
    <summary><span class="who">${data?.user.name ?? '…'}</span><span class="where">${data?.workspace.name ?? ''}</span></summary>
    <div class="menu">
      <p>${data?.user.email}<br /><span class="soft">${data?.user.role} of ${data?.workspace.name}</span></p>
      <button type="button" class="text" onClick=${showHelp}>Keyboard</button>
      <a href=${`${base}/docs`} target="_blank" rel="noreferrer">API reference</a>
      <button type="button" class="text" onClick=${() => void signOut()}>Sign out</button>
    </div>
  </details>`;
};

const narrow = matchMedia('(max-width: 44rem)');
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => {
  isNarrow.value = narrow.matches;
});

/** The pages; on a phone in a menu, which has no room for all of them beside each other. */
const Navigation = () => {
  const isHere = ({ under }: (typeof links)[number]) => under.test(path.value);
  const all = html`<nav aria-label="Console">
    ${links.map((link) => html`<a href=${to(link.target)} aria-current=${isHere(link) ? 'page' : null}>${link.name}</a>`)}
  </nav>`;
  if (!isNarrow.value) return all;
  return html`<details class="drop pages"><summary class="button plain"><span class="unseen">Pages, now: </span>${links.find(isHere)?.name ?? 'Pages'} <span aria-hidden="true">▾</span></summary>
    <div class="menu">${all}</div></details>`;
};

const Over = () =>
  html`<div class="over" role="alert"><p>Your session is over. What you have written is kept.</p>
    <button type="button" onClick=${() => void signIn()}>Sign in again</button></div>`;

/** A page shows what it has while it waits. */
const Lost = () =>
  html`<div role="status">${lost.value && html`<p class="over">The server does not answer. This page goes on by itself as soon as it does.</p>`}</div>`;

const Shell = () => {
  useKeys([{ key: '?', does: 'Show the keys of this page', act: showHelp }]);
  return html`<a class="skip" href="#main">Skip to the content</a>
    <div class="shell">
      <header class="side">
        <a class="brand" href=${to('/')}><span class="sign" aria-hidden="true"></span>Portico</a>
        <${Navigation} />
        <${Account} />
      </header>
      <main id="main"><${Lost} />${state.value === 'over' && html`<${Over} />`}<${Page} /></main>
    </div>
    <${Overlay} />`;
};

const Alone = ({ title, text, action }: { readonly title: string; readonly text: string; readonly action: string }) =>
  html`<main id="main" class="alone"><${Heading} title=${title} /><p>${text}</p>
    <button type="button" onClick=${() => void signIn(ROOT)}>${action}</button></main>`;

export const App = () => {
  const now = state.value;
  if (now === 'starting') return html`<main class="alone"><${Skeleton} lines=${3} /></main>`;
  if (now === 'out')
    return html`<${Alone} title="You are signed out" text="Every window of the console has lost its access." action="Sign in" />`;
  if (typeof now === 'object') return html`<${Alone} title="Signing in did not work" text=${now.failed} action="Try again" />`;
  return html`<${Shell} />`;
};
