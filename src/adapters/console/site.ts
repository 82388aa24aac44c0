import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Program, programOf } from './modules.ts';

const PATH = '/console';

interface Settings {
  /** Where people reach this server, and its authorization server. */
  readonly base: string;
  readonly auth: string;
  /** Where else the browser sends files to; null if this server takes them. */
  readonly uploads: string | null;
  readonly samples: readonly Sample[];
}

/** A file to try the agents with, and the name of the agent that it is for. */
interface Sample {
  readonly agent: string;
  readonly type: string;
  readonly path: string;
}

const browser = path.join(import.meta.dirname, 'browser');
const entry = ['main.ts', 'main.js'].map((name) => path.join(browser, name)).find((file) => existsSync(file)) ?? '';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };
const escaped = (text: string) => text.replaceAll(/[&<"]/g, (character) => ENTITIES[character] ?? '');

/** Modules import each other by their names; this leads the browser to their addresses, which change with their content. */
const importMap = ({ modules, packages }: Program, files: string): string => {
  const addresses = new Map(modules.map(({ name, address }) => [name, `${files}/${address}`]));
  const named = [...addresses].map(([name, address]) => [`${files}/${name}`, address]);
  const bare = [...packages].map(([specifier, name]) => [specifier, addresses.get(name)]);
  return JSON.stringify({ imports: Object.fromEntries([...bare, ...named]) });
};

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

interface Links {
  readonly imports: string;
  readonly style: string;
  readonly icon: string;
  readonly modules: readonly string[];
  readonly entry: string;
}

const pageOf = ({ imports, style, icon, modules, entry: main }: Links, settings: object): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="portico" content="${escaped(JSON.stringify(settings))}">
<title>Portico</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${style}">
<script type="importmap">${imports}</script>
${modules.map((address) => `<link rel="modulepreload" href="${address}">`).join('\n')}
<script type="module" src="${main}"></script>
</head>
<body>
<div id="app"></div>
<noscript><p>The console needs scripts. The API and the command line do not.</p></noscript>
</body>
</html>
`;

const withHash = (name: string, content: string | Uint8Array) => name.replace('.', `.${hash('sha256', content, 'hex').slice(0, 12)}.`);

const samplesOf = (samples: readonly Sample[], files: string) =>
  Promise.all(
    samples.map(async ({ agent, type, path: file }) => {
      const content = await readFile(file);
      const name = path.basename(file);
      const address = withHash(`samples/${name}`, content);
      return { shown: { agent, name, type, address: `${files}/${address}` }, file: [address, { type, content }] as const };
    }),
  );

const load = async ({ base, auth, uploads, samples: given }: Settings) => {
  const program = await programOf(entry);
  const style = await readFile(path.join(browser, 'style.css'), 'utf8');
  const [styleName, iconName] = [withHash('style.css', style), withHash('icon.svg', ICON)];
  const files = `${new URL(base).pathname.replace(/\/$/, '')}${PATH}/files`;
  const samples = await samplesOf(given, files);
  const imports = importMap(program, files);
  const modules = program.first.map(({ address }) => `${files}/${address}`);
  const links = {
    imports,
    modules,
    style: `${files}/${styleName}`,
    icon: `${files}/${iconName}`,
    entry: `${files}/${program.entry.address}`,
  };
  const javascript = program.modules.map(({ address, content }) => [address, { type: 'text/javascript; charset=utf-8', content }] as const);
  const others = [
    [styleName, { type: 'text/css; charset=utf-8', content: style }],
    [iconName, { type: 'image/svg+xml', content: ICON }],
  ] as const;
  return {
    page: pageOf(links, { base, auth, samples: samples.map(({ shown }) => shown) }),
    policy: policyOf(imports, [new URL(auth).origin, ...(uploads === null ? [] : [uploads])]),
    files: new Map([...javascript, ...others, ...samples.map(({ file }) => file)].map(([name, file]) => [`${PATH}/files/${name}`, file])),
  };
};

/** The console: one page, and the modules that its browser program consists of. */
export const consoleSite = (settings: Settings) => ({ path: PATH, load: () => load(settings) });
