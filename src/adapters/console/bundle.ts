import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The program of the browser as it is sent: files by names that change with their content. */
export interface Bundle {
  /** What every page loads: the script that starts, and then those that it imports. */
  readonly scripts: readonly string[];
  readonly style: string;
  readonly files: Readonly<Record<string, string>>;
  /** The packages that the scripts contain, as package-lock.json names them, such as `node_modules/preact`. */
  readonly packages: readonly string[];
}

/** A name with the hash of what it stands for. */
export const hashed = (name: string, content: string | Uint8Array): string => {
  const { dir, name: base, ext } = path.posix.parse(name);
  return path.posix.join(dir, `${base}.${hash('sha256', content, 'hex').slice(0, 12)}${ext}`);
};

const browser = path.join(import.meta.dirname, 'browser');
const root = path.resolve(import.meta.dirname, '../../..');

const PACKAGE = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/;

const packageOf = (module: string): string | null => PACKAGE.exec(module.replaceAll(path.sep, '/'))?.[0] ?? null;

const licenseOf = async (name: string): Promise<string> => {
  const folder = path.join(root, name);
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  return `${name}\n\n${file ? await readFile(path.join(folder, file), 'utf8') : 'See package.json of the package.'}`;
};

const importBundler = () =>
  import('rolldown').catch((error: unknown) => {
    const advice = 'run `npm ci`, or write src/adapters/console/bundle.json with `node tools/console.mjs` where they are installed';
    throw new Error(`The console cannot be built, because packages for development are not installed: ${advice}.`, { cause: error });
  });

/** Bundles the source of the program. */
export const buildBundle = async (): Promise<Bundle> => {
  const bundler = await importBundler();
  const { output } = await bundler.build({
    input: path.join(browser, 'main.tsx'),
    platform: 'browser',
    write: false,
    transform: { define: { 'process.env.NODE_ENV': '"production"' }, jsx: { importSource: 'preact' } },
    output: { minify: true, entryFileNames: '[name].[hash].js', chunkFileNames: '[name].[hash].js' },
  });
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])));
  const scripts = new Set([...chunks.values()].filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  // A set that is added to while it is read is read to its end.
  for (const script of scripts) for (const imported of chunks.get(script)?.imports ?? []) scripts.add(imported);
  const packages = new Set([...chunks.values()].flatMap(({ moduleIds }) => moduleIds.flatMap((module) => packageOf(module) ?? [])));
  const licenses = (await Promise.all([...packages].toSorted().map(licenseOf))).join('\n\n');
  const css = await readFile(path.join(browser, 'style.css'), 'utf8');
  const style = hashed('style.css', css);
  return {
    scripts: [...scripts],
    style,
    files: {
      ...Object.fromEntries([...chunks].map(([name, { code }]) => [name, code])),
      ...{ [style]: css, [hashed('licenses.txt', licenses)]: licenses },
    },
    packages: [...packages].toSorted(),
  };
};

/** Where a package and a container image have it, which cannot build it. */
const built = path.join(import.meta.dirname, 'bundle.json');

export const readBundle = async (): Promise<Bundle> =>
  existsSync(built) ? (JSON.parse(await readFile(built, 'utf8')) as Bundle) : buildBundle();
