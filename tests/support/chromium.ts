import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

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
