import { render } from 'preact';
import { App, startPages } from './app.tsx';
import { startConnection } from './connection.ts';
import { startKeys } from './keys.ts';
import { isOwnTab } from './own-tab.ts';
import { forgetDecided, startDecided } from './parts/decided.tsx';
import { startMenus } from './parts/menus.ts';
import { startPresses } from './presses.ts';
import { start, state } from './session.ts';

const root = document.querySelector('#app');
if (root) render(<App />, root as HTMLElement);
startConnection();
startPages();
startKeys();
startPresses();
startMenus();
await start();
// A page that leaves to sign in keeps what waits, until it is back.
if (state.value === 'out' || !(await isOwnTab())) forgetDecided();
else if (state.value === 'in') startDecided();
