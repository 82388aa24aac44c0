import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A module of the browser's program, by the name that its imports have for it, such as `src/client/portico.ts`. */
interface BrowserModule {
  readonly name: string;
  readonly content: string;
  /** Whether a page needs it from its beginning: what is imported by a call comes when it is needed. */
  readonly isFirst: boolean;
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

/** A name with the hash of what it stands for. */
export const hashed = (name: string, content: string | Uint8Array): string => {
  const { dir, name: base, ext } = path.posix.parse(name);
  return path.posix.join(dir, `${base}.${hash('sha256', content, 'hex').slice(0, 12)}${ext}`);
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

const read = async (file: string) => {
  const text = (await readFile(file, 'utf8')).replaceAll(SOURCE_MAP, '').replaceAll('process.env.NODE_ENV', '"production"');
  const content = file.endsWith('.ts') ? compact(withoutTypes(text)) : text;
  const imports = [...content.matchAll(IMPORTS)].map(({ groups: { specifier = '', later } = {} }) => {
    const imported = specifier.startsWith('.')
      ? path.resolve(path.dirname(file), specifier)
      : fileURLToPath(import.meta.resolve(specifier));
    return { specifier, file: imported, isLater: later !== undefined };
  });
  return { name: nameOf(file), content, imports };
};

/** A module and all that it imports, directly or not; `packages`: names of packages as modules import them → names of modules. */
export const programOf = async (entry: string) => {
  const found = new Map<string, Awaited<ReturnType<typeof read>>>();
  const [all, first] = [new Set([entry]), new Set([entry])];
  // A set that is added to while it is read is read to its end.
  for (const file of all) {
    const module = await read(file);
    found.set(file, module);
    for (const imported of module.imports) all.add(imported.file);
  }
  for (const file of first) for (const { file: imported, isLater } of found.get(file)?.imports ?? []) if (!isLater) first.add(imported);
  const named = [...found.values()].flatMap(({ imports }) => imports.filter(({ specifier }) => !specifier.startsWith('.')));
  return {
    modules: [...found].map(([file, { name, content }]): BrowserModule => ({ name, content, isFirst: first.has(file) })),
    packages: new Map(named.map(({ specifier, file }) => [specifier, nameOf(file)])),
  };
};
