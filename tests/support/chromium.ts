import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page, type Request } from 'playwright-core';

/** The first has no windows, menus or address bar, and takes a quarter less CPU. */
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync) ?? '';

/** Each window would load pages for suggestions below its address bar, which no test looks at. */
const withoutSuggestions = '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup';
const quietly = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Whether this machine has the browser that pages are opened in. */
export const hasChromium = executablePath !== '';

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', withoutSuggestions, ...quietly] });

/** A container that another test starts changes the networks of the machine, at which Chromium ends what it loads. */
const NETWORK_CHANGED = 'ERR_NETWORK_CHANGED';

/** The page that says so may come only after the next load has begun, and ends that one. */
const ENDED_BY_ERROR_PAGE = 'is interrupted by another navigation to "chrome-error:';

const MOST_LOADS = 5;

const loading = async (load: () => Promise<unknown>): Promise<void> => {
  for (let tries = 1; ; tries++) {
    try {
      await load();
      return;
    } catch (error) {
      const mayLoadAgain = [NETWORK_CHANGED, ENDED_BY_ERROR_PAGE].some((cause) => String(error).includes(cause));
      if (tries === MOST_LOADS || !mayLoadAgain) throw error;
    }
  }
};

/** Opens an address, and again where the networks of the machine have changed meanwhile. */
export const visit = (page: Page, url: string): Promise<void> => loading(() => page.goto(url));

/** Loads the page anew, likewise. */
export const reload = (page: Page): Promise<void> => loading(() => page.reload());

export const isChanged = (request: Request): boolean => request.failure()?.errorText.includes(NETWORK_CHANGED) ?? false;

/** A moment in which `visit` would have begun again. */
const PAUSE_MS = 1000;

/** Opens a page again where the networks have changed as it was followed by a link or loaded by itself: Chrome does so, and what runs here does not. */
export const openAgain = (page: Page): void => {
  page.on('requestfailed', (request) => {
    if (!request.isNavigationRequest() || request.method() !== 'GET' || !isChanged(request)) return;
    setTimeout(() => {
      if (!page.isClosed() && page.url().startsWith('chrome-error:')) visit(page, request.url()).catch(() => {});
    }, PAUSE_MS);
  });
};

/** What the open pages show, for the report of a test that failed. */
export const shownBy = async (browser: Browser): Promise<string> => {
  const pages = browser.contexts().flatMap((context) => context.pages());
  const texts = pages.map(async (page) => `${page.url()}\n${await page.locator('body').innerText({ timeout: 5000 })}`);
  const shown = await Promise.allSettled(texts);
  return shown.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))).join('\n\n');
};
