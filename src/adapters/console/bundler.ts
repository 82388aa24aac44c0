import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Bundle, hashed } from './bundle.ts';

const browser = path.join(import.meta.dirname, 'browser');
const root = path.resolve(import.meta.dirname, '../../..');

const PACKAGE = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/;

const packageOf = (module: string): string | null => PACKAGE.exec(module.replaceAll(path.sep, '/'))?.[0] ?? null;

const licenseOf = async (name: string): Promise<string> => {
  const folder = path.join(root, name);
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  return `${name}\n\n${file ? await readFile(path.join(folder, file), 'utf8') : 'See package.json of the package.'}`;
};

const ADVICE =
  'Run `npm ci`, or copy what `node src/adapters/console/bundler-main.ts` prints elsewhere to src/adapters/console/bundle.json.';

const importBundler = () =>
  import('rolldown').catch((error: unknown) => {
    throw new Error(`The console cannot be built: packages for development are not installed. ${ADVICE}`, {
      cause: error,
    });
  });

/** One style of all sheets: those of packages and of every page first, and then those that stand beside the parts and pages they are for. */
const readStyle = async (): Promise<string> => {
  const sheets = (await readdir(browser, { recursive: true })).filter((name) => name.endsWith('.css')).toSorted();
  const ordered = ['style.css', ...sheets.filter((name) => name !== 'style.css')];
  const files = [
    path.join(root, 'node_modules/uplot/dist/uPlot.min.css'),
    ...ordered.map((name) => path.join(browser, name)),
  ];
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
};

/** Bundles the source of the program. */
export const buildBundle = async (): Promise<Bundle> => {
  const bundler = await importBundler();
  const options = { platform: 'browser', write: false } as const;
  const { output: inline } = await bundler.build({
    ...options,
    input: path.join(browser, 'load-again.ts'),
    output: { minify: true, format: 'iife' },
  });
  const { output } = await bundler.build({
    ...options,
    input: path.join(browser, 'main.tsx'),
    transform: { define: { 'process.env.NODE_ENV': '"production"' }, jsx: { importSource: 'preact' } },
    output: { minify: true, entryFileNames: '[name].[hash].js', chunkFileNames: '[name].[hash].js' },
  });
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])));
  const scripts = new Set([...chunks.values()].filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  // A set that is added to while it is read is read to its end.
  for (const script of scripts) for (const imported of chunks.get(script)?.imports ?? []) scripts.add(imported);
  const packages = new Set(
    [...chunks.values()].flatMap(({ moduleIds }) => moduleIds.flatMap((module) => packageOf(module) ?? [])),
  );
  const licenses = (await Promise.all([...packages].toSorted().map(licenseOf))).join('\n\n');
  const css = await readStyle();
  const style = hashed('style.css', css);
  return {
    inline: inline[0].code,
    scripts: [...scripts],
    style,
    files: {
      ...Object.fromEntries([...chunks].map(([name, { code }]) => [name, code])),
      [style]: css,
      [hashed('licenses.txt', licenses)]: licenses,
    },
    packages: [...packages].toSorted(),
  };
};
