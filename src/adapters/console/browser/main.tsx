import { render } from 'preact';
import { App, startPages } from './app.tsx';
import { startConnection } from './connection.ts';
import { startKeys } from './keys.ts';
import { startDecided } from './parts/decided.tsx';
import { startMenus } from './parts/menus.ts';
import { startPresses } from './presses.ts';
import { start } from './session.ts';

const root = document.querySelector('#app');
if (root) render(<App />, root as HTMLElement);
startConnection();
startPages();
startKeys();
startPresses();
startMenus();
await start();
startDecided();
