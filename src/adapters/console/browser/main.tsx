import { render } from 'preact';
import { App, startPages } from './app.tsx';
import { askBeforeClosing, startClosing } from './closing.ts';
import { startConnection } from './connection.ts';
import { hasUnsavedMoves } from './division/division-draft.ts';
import { startFocus } from './focus.ts';
import { startKeys } from './keys.ts';
import { isOwnTab } from './own-tab.ts';
import { forgetDecided, isPosting, startDecided } from './parts/decided.tsx';
import { hasUnsaved } from './parts/draft.ts';
import { startMenus } from './parts/menus.ts';
import { startPresses } from './presses.ts';
import { start, state } from './session.ts';

const root = document.querySelector('#app');
if (root) render(<App />, root as HTMLElement);
startConnection();
startPages();
startKeys();
startFocus();
startPresses();
startMenus();
startClosing();
for (const asks of [hasUnsaved, hasUnsavedMoves, isPosting]) askBeforeClosing(asks);
await start();
// A page that leaves to sign in keeps what waits, until it is back.
if (state.value === 'out' || !(await isOwnTab())) forgetDecided();
else if (state.value === 'in') startDecided();
