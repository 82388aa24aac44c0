import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';

/** The folder of the program: a clone, or a package below a node_modules, which then may hold its dependencies too. */
const root = path.resolve(import.meta.dirname, '../../..');
const above = path.dirname(root);
const modules = [path.join(root, 'node_modules'), ...(path.basename(above) === 'node_modules' ? [above] : [])];

/** What a reader may read of the disk: its own code. The file itself comes through a pipe. */
const readable = [
  import.meta.dirname,
  path.resolve(import.meta.dirname, '../../domain'),
  path.join(root, 'package.json'),
  ...modules.filter((folder) => existsSync(folder)),
].map((place) => realpathSync(place));

let network: readonly string[] | undefined;

/** The command that keeps a program from the network, if Linux lets this user make namespaces: many containers do not. */
export const withoutNetwork = (): readonly string[] => {
  if (process.platform !== 'linux') return [];
  // A namespace of users gives the right to make others; root has it already, and would lose its other rights there.
  const user = process.getuid?.() === 0 ? [] : ['--map-current-user'];
  network ??=
    spawnSync('unshare', ['--net', ...user, 'true'], { env: {} }).status === 0 ? ['unshare', '--net', ...user] : [];
  return network;
};

/**
 * The environment of a reader: it takes code from this process's compile cache, if there is one, and adds nothing to it. A Node that does
 * not know the second variable starts a reader without the cache.
 */
export const sandboxEnvironment = (): Readonly<Record<string, string>> => {
  const compiled = getCompileCacheDir();
  // Node names a folder of its own version in the one that it is given.
  return compiled === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(compiled), NODE_COMPILE_CACHE_READONLY: '1' };
};

/**
 * The command that starts a reader of files, to be followed by its program and the megabytes that it may take: it reads no file but
 * its code, writes none, starts no program and no thread, loads no native code and reaches no network. Node's permission model prevents
 * the files, programs and native code; the preload prevents the rest.
 */
export const sandboxCommand = (heapMegabytes: number): readonly [string, ...string[]] => {
  const compiled = getCompileCacheDir();
  const node = [
    process.execPath,
    '--permission',
    ...[...readable, ...(compiled === undefined ? [] : [compiled])].map((place) => `--allow-fs-read=${place}`),
    // For the watchdog of the preload, which then takes it away.
    '--allow-worker',
    `--max-old-space-size=${heapMegabytes}`,
    `--import=${new URL(`./sandbox-preload${path.extname(import.meta.url)}`, import.meta.url)}`,
  ];
  return [...withoutNetwork(), ...node] as [string, ...string[]];
};
