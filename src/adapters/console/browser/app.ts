import { html } from 'htm/preact';
import { api } from './api.ts';
import { useKeys } from './keys.ts';
import { useLoaded } from './loaded.ts';
import { Agent } from './pages/agent.ts';
import { Agents } from './pages/agents.ts';
import { Data } from './pages/data.ts';
import { Deliveries } from './pages/deliveries.ts';
import { Document } from './pages/document.ts';
import { Documents } from './pages/documents.ts';
import { Inbox } from './pages/inbox.ts';
import { Run } from './pages/run.ts';
import { Runs } from './pages/runs.ts';
import { Settings } from './pages/settings.ts';
import { Connection, Database } from './pages/source.ts';
import { Empty, Heading, Skeleton } from './parts/basics.ts';
import { Confirm } from './parts/confirm.ts';
import { Help, showHelp } from './parts/help.ts';
import { Notice } from './parts/notice.ts';
import { path, to } from './router.ts';
import { signIn, signOut, state } from './session.ts';
import { base, ROOT } from './settings.ts';

const pages = [
  { at: /^\/(documents)?$/, page: Documents },
  { at: /^\/documents\/([^/]+)$/, page: Document },
  { at: /^\/inbox$/, page: Inbox },
  { at: /^\/runs$/, page: Runs },
  { at: /^\/runs\/([^/]+)$/, page: Run },
  { at: /^\/data$/, page: Data },
  { at: /^\/data\/databases\/([^/]+)$/, page: Database },
  { at: /^\/data\/connections\/([^/]+)$/, page: Connection },
  { at: /^\/agents$/, page: Agents },
  { at: /^\/agents\/([^/]+)$/, page: Agent },
  { at: /^\/settings$/, page: Settings },
  { at: /^\/deliveries$/, page: Deliveries },
] as const;

const links = [
  { name: 'Inbox', target: '/inbox', under: /^\/inbox$/ },
  { name: 'Documents', target: '/documents', under: /^\/(documents|$)/ },
  { name: 'Runs', target: '/runs', under: /^\/runs/ },
  { name: 'Agents', target: '/agents', under: /^\/agents/ },
  { name: 'Data', target: '/data', under: /^\/data/ },
  { name: 'Settings', target: '/settings', under: /^\/(settings|deliveries)/ },
] as const;

const Missing = () =>
  html`<${Heading} title="Not found" /><${Empty} title="There is no such page"><p><a href=${to('/documents')}>See the documents</a></p><//>`;

const Page = () => {
  for (const { at, page } of pages) {
    const found = at.exec(path.value);
    if (found) return html`<${page} id=${found[1] ?? ''} key=${page.name} />`;
  }
  return html`<${Missing} />`;
};

const Account = () => {
  const { data } = useLoaded('whoami', (signal) => api.get('/api/v1/whoami', { signal }));
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

const Navigation = () =>
  html`<nav aria-label="Console">
    ${links.map(({ name, target, under }) => html`<a href=${to(target)} aria-current=${under.test(path.value) ? 'page' : null}>${name}</a>`)}
  </nav>`;

const Over = () =>
  html`<div class="over" role="alert"><p>Your session is over. What you have written is kept.</p>
    <button type="button" onClick=${() => void signIn()}>Sign in again</button></div>`;

const Shell = () => {
  useKeys([{ key: '?', does: 'Show the keys of this page', act: showHelp }]);
  return html`<a class="skip" href="#main">Skip to the content</a>
    <div class="shell">
      <header class="side">
        <a class="brand" href=${to('/')}><span class="sign" aria-hidden="true"></span>Portico</a>
        <${Navigation} />
        <${Account} />
      </header>
      <main id="main">${state.value === 'over' && html`<${Over} />`}<${Page} /></main>
    </div>
    <${Notice} /><${Help} /><${Confirm} />`;
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
