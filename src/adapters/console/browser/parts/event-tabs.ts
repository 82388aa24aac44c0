import { html } from 'htm/preact';
import { path, to } from '../router.ts';
import { useWho } from './agents.ts';

const tabs = [
  ['/events', 'Log'],
  ['/deliveries', 'Webhook deliveries'],
] as const;

/** Leads administrators from what happened to what was sent of it. */
export const EventTabs = () =>
  useWho()?.user.role === 'admin' &&
  html`<nav class="tabs" aria-label="Events">${tabs.map(
    ([target, name]) => html`<a href=${to(target)} aria-current=${path.value === target ? 'page' : null}>${name}</a>`,
  )}</nav>`;
