import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Html, html } from '../../domain/html.ts';
import { hashed, programOf } from './modules.ts';

const PATH = '/console';

interface Settings {
  /** Where people reach this server, and its authorization server. */
  readonly base: string;
  readonly auth: string;
  /** Where else the browser sends files to; null if this server takes them. */
  readonly uploads: string | null;
  /** Files to try the agents with, each with the name of the agent that it is for. */
  readonly samples: readonly { readonly agent: string; readonly type: string; readonly path: string }[];
}

const browser = path.join(import.meta.dirname, 'browser');

/** Scripts and styles of this server alone, and no markup from text: what a document says stays text. */
const policyOf = (imports: string, connects: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash('sha256', imports, 'base64')}'`,
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

/** `modules`: what the page needs from its beginning; the first of them begins. */
type Links = Readonly<Record<'imports' | 'style' | 'icon', string>> & { readonly modules: readonly string[] };

const pageOf = ({ imports, style, icon, modules }: Links, settings: object): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="portico" content="${JSON.stringify(settings)}">
<title>Portico</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${style}">
<script type="importmap">${new Html(imports)}</script>
${modules.map((address) => html`<link rel="modulepreload" href="${address}">\n`)}
<script type="module" src="${modules[0] ?? ''}"></script>
</head>
<body>
<div id="app"></div>
<noscript><p>The console needs scripts. The API and the command line do not.</p></noscript>
</body>
</html>
`.markup;

const load = async ({ base, auth, uploads, samples: given }: Settings) => {
  const files = new Map<string, { readonly type: string; readonly content: string | Uint8Array }>();
  const root = new URL(base).pathname.replace(/\/$/, '');
  /** The address of a file, which changes with its content. */
  const add = (name: string, type: string, content: string | Uint8Array): string => {
    const address = `${PATH}/files/${hashed(name, content)}`;
    files.set(address, { type, content });
    return root + address;
  };
  const style = add('style.css', 'text/css; charset=utf-8', await readFile(path.join(browser, 'style.css'), 'utf8'));
  const icon = add('icon.svg', 'image/svg+xml', ICON);
  const taken = given.map(async ({ agent, type, path: file }) => {
    const name = path.basename(file);
    return { agent, name, type, address: add(`samples/${name}`, type, await readFile(file)) };
  });
  const samples = await Promise.all(taken);
  const { modules, packages } = await programOf(path.join(browser, `main${path.extname(import.meta.filename)}`));
  const script = (name: string, content: string) => add(name.replace(/\.[cm]?[jt]s$/, '.js'), 'text/javascript; charset=utf-8', content);
  const addresses = new Map(modules.map(({ name, content }) => [name, script(name, content)]));
  // Modules import each other by their names; this leads the browser to their addresses.
  const named = [...addresses].map(([name, address]) => [`${root}${PATH}/files/${name}`, address]);
  const bare = [...packages].map(([specifier, name]) => [specifier, addresses.get(name)]);
  const imports = JSON.stringify({ imports: Object.fromEntries([...bare, ...named]) });
  const first = modules.flatMap(({ name, isFirst }) => (isFirst ? (addresses.get(name) ?? []) : []));
  return {
    page: pageOf({ imports, style, icon, modules: first }, { base, auth, samples }),
    policy: policyOf(imports, [new URL(auth).origin, ...(uploads === null ? [] : [uploads])]),
    files,
  };
};

/** The console: one page, and the modules that its browser program consists of. */
export const consoleSite = (settings: Settings) => ({ path: PATH, load: () => load(settings) });
