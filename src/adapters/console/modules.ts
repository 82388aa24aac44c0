import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A module of the browser's program. */
export interface BrowserModule {
  /** Where its imports look for it, such as `src/client/portico.ts`. */
  readonly name: string;
  /** The same with the hash of its content. */
  readonly address: string;
  readonly content: string;
}

const IMPORTS = /\b(?:from|import)\s*(?<later>\(\s*)?["'](?<specifier>[^"'\s]+)["']/g;
const SOURCE_MAP = /^\/\/# sourceMappingURL=.*$/gm;

const sources = path.resolve(import.meta.dirname, '../..');
const PACKAGES = `${path.sep}node_modules${path.sep}`;

const nameOf = (file: string): string => {
  const inPackage = file.lastIndexOf(PACKAGES);
  const name = inPackage === -1 ? `src/${path.relative(sources, file)}` : `packages/${file.slice(inPackage + PACKAGES.length)}`;
  return name.replaceAll(path.sep, '/');
};

/** Types are stripped by Node itself, which warns on some versions that it does: the operator can do nothing about it. */
const withoutTypes = (text: string): string => {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
};

const COMMENTS = /^ *\/\*\*.*?\*\/ *$/gms;
const BLANK_LINES = /\n\s*\n/g;

/** Without what only readers of the source need: a phone loads every byte of it. */
const compact = (text: string): string => text.replaceAll(COMMENTS, '').replaceAll(BLANK_LINES, '\n');

const addressOf = (name: string, content: string): string =>
  `${name.replace(/\.[cm]?[jt]s$/, '')}.${hash('sha256', content, 'hex').slice(0, 12)}.js`;

interface Read extends BrowserModule {
  readonly imports: readonly { readonly specifier: string; readonly file: string; readonly isLater: boolean }[];
}

const read = async (file: string): Promise<Read> => {
  const text = (await readFile(file, 'utf8')).replaceAll(SOURCE_MAP, '').replaceAll('process.env.NODE_ENV', '"production"');
  const content = file.endsWith('.ts') ? compact(withoutTypes(text)) : text;
  const found = [...content.matchAll(IMPORTS)].map(({ groups }) => [groups?.specifier ?? '', groups?.later !== undefined] as const);
  const imports = [...new Map(found)].map(([specifier, isLater]) => ({
    ...{ specifier, isLater },
    file: specifier.startsWith('.') ? path.resolve(path.dirname(file), specifier) : fileURLToPath(import.meta.resolve(specifier)),
  }));
  const name = nameOf(file);
  return { name, address: addressOf(name, content), content, imports };
};

export interface Program {
  readonly modules: readonly BrowserModule[];
  /** Those that a page needs from its beginning: what is imported by a call comes when it is needed. */
  readonly first: readonly BrowserModule[];
  /** Names of packages as modules import them → names of modules. */
  readonly packages: ReadonlyMap<string, string>;
  readonly entry: BrowserModule;
}

/** A module and all that it imports, directly or not. */
export const programOf = async (entry: string): Promise<Program> => {
  const found = new Map<string, Read>();
  const packages = new Map<string, string>();
  const visit = async (file: string): Promise<Read> => {
    const known = found.get(file);
    if (known) return known;
    const module = await read(file);
    found.set(file, module);
    for (const { specifier, file: imported } of module.imports) {
      const { name } = await visit(imported);
      if (!specifier.startsWith('.')) packages.set(specifier, name);
    }
    return module;
  };
  const main = await visit(entry);
  const first = new Set([main]);
  // A set that is added to while it is read is read to its end.
  for (const { imports } of first)
    for (const { file, isLater } of imports) {
      const imported = found.get(file);
      if (imported && !isLater) first.add(imported);
    }
  return { modules: [...found.values()], first: [...first], packages, entry: main };
};
