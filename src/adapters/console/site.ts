import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Html, html } from '../../domain/html.ts';
import { hashed, readBundle } from './bundle.ts';

const PATH = '/console';

interface Settings {
  /** Where people reach this server, and its authorization server. */
  readonly base: string;
  readonly auth: string;
  /** Whether people may sign in with a password. */
  readonly passwords: boolean;
  /** Where else the browser sends files to; null if this server takes them. */
  readonly uploads: string | null;
  /** Files to try the agents with, each with the name of the agent that it is for. */
  readonly samples: readonly { readonly agent: string; readonly type: string; readonly path: string }[];
}

/** Scripts and styles of this server alone, and no markup from text: what a document says stays text. */
const policyOf = (inline: string, connects: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash('sha256', inline, 'base64')}'`,
    "style-src 'self'",
    "img-src 'self' blob:",
    `connect-src ${["'self'", ...new Set(connects)].join(' ')}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#14213d"/><path d="M9 25V14a7 7 0 0 1 14 0v11" fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round"/><circle cx="16" cy="20" r="2.4" fill="#8fb0ff"/></svg>`;

/** `inline`: a script that stands in the page. `scripts`: what the page needs from its beginning; the first of them begins. */
type Parts = Readonly<Record<'inline' | 'style' | 'icon', string>> & { readonly scripts: readonly string[] };

const pageOf = ({ inline, style, icon, scripts: [first = '', ...others] }: Parts, settings: object): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="portico" content="${JSON.stringify(settings)}">
<title>Portico</title>
<script>${new Html(inline)}</script>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${style}">
<script type="module" src="${first}"></script>
${others.map((address) => html`<link rel="modulepreload" href="${address}">\n`)}</head>
<body>
<div id="app"></div>
<noscript><p>The console needs scripts. The API and the command line do not.</p></noscript>
</body>
</html>
`.markup;

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.txt': 'text/plain' };

const load = async ({ base, auth, passwords, uploads, samples: sampleFiles }: Settings) => {
  const files = new Map<string, { readonly type: string; readonly content: string | Uint8Array }>();
  const root = new URL(base).pathname.replace(/\/$/, '');
  const addressOf = (name: string): string => `${root}${PATH}/files/${name}`;
  const add = (name: string, type: string, content: string | Uint8Array): string => {
    files.set(`${PATH}/files/${name}`, { type, content });
    return addressOf(name);
  };
  const bundle = await readBundle();
  for (const [name, content] of Object.entries(bundle.files))
    add(name, `${TYPES[path.extname(name)]}; charset=utf-8`, content);
  const taken = sampleFiles.map(async ({ agent, type, path: file }) => {
    const name = path.basename(file);
    const content = await readFile(file);
    return { agent, name, type, address: add(hashed(`samples/${name}`, content), type, content) };
  });
  const icon = add(hashed('icon.svg', ICON), 'image/svg+xml', ICON);
  const { inline } = bundle;
  const parts = { inline, icon, style: addressOf(bundle.style), scripts: bundle.scripts.map(addressOf) };
  return {
    page: pageOf(parts, { base, auth, passwords, samples: await Promise.all(taken) }),
    policy: policyOf(inline, [new URL(auth).origin, ...(uploads === null ? [] : [uploads])]),
    files,
  };
};

/** The console: one page, and the files of its program. */
export const consoleSite = (settings: Settings) => ({ path: PATH, load: () => load(settings) });
