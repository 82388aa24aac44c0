import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = '/usr/bin/chromium';

/** Each window would load pages for suggestions below its address bar, which no test looks at: a third of all that the browser does. */
const withoutSuggestions = '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup';
const quietly = ['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Whether this machine has the browser that pages are opened in. */
export const hasChromium = existsSync(executablePath);

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', withoutSuggestions, ...quietly] });
