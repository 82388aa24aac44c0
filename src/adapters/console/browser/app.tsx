import { signal } from '@preact/signals';
import { QueryClientProvider } from '@tanstack/preact-query';
import type { FunctionComponent } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import lazy from 'preact-iso/lazy';
import { exec, LocationProvider, Route, Router, useLocation } from 'preact-iso/router';
import { to, useAddress } from './address.ts';
import { busy } from './api.ts';
import { loadAnew } from './closing.ts';
import { lost, untilBack } from './connection.ts';
import { useKeys } from './keys.ts';
import { Approvals } from './pages/approvals.tsx';
import { Audit } from './pages/audit.tsx';
import { Deliveries } from './pages/deliveries.tsx';
import { Documents } from './pages/documents.tsx';
import { Erasures } from './pages/erasures.tsx';
import { Events } from './pages/events.tsx';
import { Inbox } from './pages/inbox.tsx';
import { People } from './pages/people.tsx';
import { Ready } from './pages/ready.tsx';
import { Runs } from './pages/runs.tsx';
import { Settings } from './pages/settings.tsx';
import { useIsAdmin, useWho } from './parts/agents.ts';
import { Empty, Failure, Heading, Skeleton } from './parts/basics.tsx';
import { Overlay, showHelp } from './parts/dialogs.tsx';
import { useWork, workText } from './parts/work.ts';
import { cache } from './queries.ts';
import { signIn, signOut, state } from './session.ts';
import { base, ROOT } from './settings.ts';

type View = FunctionComponent<{ readonly id: string }>;

const RELOADED = 'portico.reloaded';
/** The page for which this one was loaded again by itself; null if it was not. */
const reloaded = sessionStorage.getItem(RELOADED);
sessionStorage.removeItem(RELOADED);

const loadAgain = () => {
  sessionStorage.setItem(RELOADED, location.pathname);
  loadAnew();
};

/** A browser does not ask again for a script that it did not get: the whole page is loaded again, by itself only once. */
const NotLoaded = () => {
  const wasReloaded = reloaded === location.pathname;
  useEffect(() => {
    let isLeft = false;
    if (!wasReloaded) void untilBack().then(() => isLeft || loadAgain());
    return () => {
      isLeft = true;
    };
  }, []);
  return (
    <>
      <Heading title="Not loaded" />
      {wasReloaded && (
        <Failure error={new Error('This page was not loaded. The server may have a newer one.')} retry={loadAnew} />
      )}
    </>
  );
};

const later: (() => Promise<unknown>)[] = [];

/** A page that is loaded when it is first opened: it is large, and not where most people begin. */
const apart = (load: () => Promise<View>) => {
  later.push(load);
  return lazy(() => load().catch((): View => NotLoaded));
};

const pages: Readonly<Record<string, View & { preload?(): Promise<unknown> }>> = {
  '/': Documents,
  '/documents': Documents,
  '/documents/:id': apart(async () => (await import('./pages/document/page.tsx')).Document),
  '/inbox': Inbox,
  '/ready': Ready,
  '/approvals': Approvals,
  '/approvals/:id': apart(async () => (await import('./pages/approval.tsx')).Approval),
  '/runs': Runs,
  '/runs/:id': apart(async () => (await import('./pages/run/page.tsx')).Run),
  '/data': apart(async () => (await import('./pages/data.tsx')).Data),
  '/data/databases/:id': apart(async () => (await import('./pages/data.tsx')).Database),
  '/data/connections/:id': apart(async () => (await import('./pages/data.tsx')).Connection),
  '/agents': apart(async () => (await import('./pages/agents.tsx')).Agents),
  '/agents/:id': apart(async () => (await import('./pages/agent/page.tsx')).Agent),
  '/events': Events,
  '/usage': apart(async () => (await import('./pages/usage.tsx')).Usage),
  '/deliveries': Deliveries,
  '/sources': apart(async () => (await import('./pages/sources.tsx')).Sources),
  '/audit': Audit,
  '/erasures': Erasures,
  '/people': People,
  '/settings': Settings,
};

/** The router throws at an address that no browser would write. */
const isEncoded = (path: string): boolean => {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
};

/** The page that was asked for is loaded while the user is signed in, and the others when the user first does something. */
export const startPages = (): void => {
  const { pathname } = location;
  const first = isEncoded(pathname) && Object.keys(pages).find((page) => exec(pathname, to(page)));
  if (first) void pages[first]?.preload?.();
  // Where that fails, opening the page says why.
  const loadAll = () => Promise.allSettled(later.map((load) => load()));
  for (const begin of ['pointermove', 'touchstart', 'keydown'])
    addEventListener(begin, () => void loadAll(), { once: true, passive: true });
};

const links = [
  { name: 'Inbox', target: '/inbox', under: /^\/inbox$/, count: 'inbox' },
  { name: 'Ready to post', target: '/ready', under: /^\/ready$/, count: 'ready' },
  { name: 'Documents', target: '/documents', under: /^\/(documents|$)/ },
  { name: 'Approvals', target: '/approvals', under: /^\/approvals/, count: 'approvals' },
  { name: 'Runs', target: '/runs', under: /^\/runs/ },
  { name: 'Agents', target: '/agents', under: /^\/agents/ },
  { name: 'Data', target: '/data', under: /^\/data/ },
  { name: 'Events', target: '/events', under: /^\/(events|deliveries)/ },
  { name: 'Sources', target: '/sources', under: /^\/sources/ },
  { name: 'Usage', target: '/usage', under: /^\/usage/ },
  { name: 'Audit', target: '/audit', under: /^\/(audit|erasures)/, forAdmins: true },
  { name: 'People', target: '/people', under: /^\/people/, forAdmins: true },
  { name: 'Settings', target: '/settings', under: /^\/settings/ },
] as const;

const Missing = () => (
  <>
    <Heading title="Not found" />
    <Empty title="There is no such page">
      <p>
        <a href={to('/documents')}>See the documents</a>
      </p>
    </Empty>
  </>
);

const NotDrawn = ({ error }: { readonly error: unknown }) => (
  <>
    <Heading title="Not drawn" />
    <Failure
      error={new Error(`This page cannot be drawn, by a fault of the console; the other pages work. ${error}`)}
      retry={loadAnew}
    />
  </>
);

const Page = () => {
  const { path } = useLocation();
  const [error, forget] = useErrorBoundary((thrown) => console.error(thrown));
  useEffect(() => forget, [path]);
  if (error) return <NotDrawn error={error} />;
  if (!isEncoded(path)) return <Missing />;
  return (
    <Router>
      {Object.entries(pages).map(([page, view]) => (
        <Route path={to(page)} component={view} />
      ))}
      <Route default component={Missing} />
    </Router>
  );
};

const Account = () => {
  const data = useWho();
  return (
    <details class="account">
      <summary>
        <span class="who">{data?.user.name ?? '…'}</span>
        <span class="where">{data?.workspace.name ?? ''}</span>
      </summary>
      <div class="menu">
        <p>
          {data?.user.email}
          <br />
          <span class="soft">
            {data?.user.role} of {data?.workspace.name}
          </span>
        </p>
        <button type="button" class="text" onClick={showHelp}>
          Keyboard
        </button>
        <a href={`${base}/docs`} target="_blank" rel="noreferrer">
          API reference
        </a>
        <button type="button" class="text" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </details>
  );
};

const narrow = matchMedia('(max-width: 44rem)');
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => {
  isNarrow.value = narrow.matches;
});

/** How much waits on a page; a screen reader reads it behind the name. */
const Waiting = ({ count = 0 }: { readonly count?: number | undefined }) =>
  count > 0 && (
    <>
      {' '}
      <span class="count">{workText(count)}</span>
    </>
  );

/** The pages; on a phone in a menu, which has no room for all of them beside each other. */
const Navigation = () => {
  const { page } = useAddress();
  const work = useWork();
  const isAdmin = useIsAdmin();
  const mine = links.filter((link) => isAdmin || !('forAdmins' in link));
  const isHere = ({ under }: (typeof links)[number]) => under.test(page);
  const all = (
    <nav aria-label="Console">
      {mine.map((link) => (
        <a href={to(link.target)} aria-current={isHere(link) ? 'page' : undefined}>
          {link.name}
          {'count' in link && <Waiting count={work?.[link.count]} />}
        </a>
      ))}
    </nav>
  );
  if (!isNarrow.value) return all;
  return (
    <details class="drop pages">
      <summary class="button plain">
        <span class="unseen">Pages, now: </span>
        {links.find(isHere)?.name ?? 'Pages'} <span aria-hidden="true">▾</span>
      </summary>
      <div class="menu">{all}</div>
    </details>
  );
};

const Over = () => (
  <div class="over" role="alert">
    <p>Your session is over. What you have written is kept.</p>
    <button type="button" onClick={() => void signIn()}>
      Sign in again
    </button>
  </div>
);

/** A page shows what it has while it waits. */
const Lost = () => (
  <div role="status">
    {lost.value && <p class="over">The server does not answer. This page goes on by itself as soon as it does.</p>}
    {busy.value && !lost.value && (
      <p class="over">The server is busy. This page waits for it, and goes on by itself.</p>
    )}
  </div>
);

const Shell = () => {
  useKeys([{ key: '?', does: 'Show the keys of this page', act: showHelp }]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell">
        <header class="side">
          <a class="brand" href={to('/')}>
            <span class="sign" aria-hidden="true"></span>Portico
          </a>
          <Navigation />
          <Account />
        </header>
        <main id="main">
          <Lost />
          {state.value === 'over' && <Over />}
          <Page />
        </main>
      </div>
      <Overlay />
    </>
  );
};

const Alone = ({ title, text, action }: { readonly title: string; readonly text: string; readonly action: string }) => (
  <main id="main" class="alone">
    <Heading title={title} />
    <p>{text}</p>
    <button type="button" onClick={() => void signIn({ back: ROOT })}>
      {action}
    </button>
  </main>
);

export const App = () => {
  const now = state.value;
  if (now === 'starting')
    return (
      <main class="alone">
        <Lost />
        <Skeleton lines={3} />
      </main>
    );
  if (now === 'out')
    return (
      <Alone title="You are signed out" text="Every window of the console has lost its access." action="Sign in" />
    );
  if (typeof now === 'object') return <Alone title="Signing in did not work" text={now.failed} action="Try again" />;
  return (
    <QueryClientProvider client={cache}>
      <LocationProvider scope={ROOT}>
        <Shell />
      </LocationProvider>
    </QueryClientProvider>
  );
};
