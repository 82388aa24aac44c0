import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** The program of the browser as it is sent: files by names that change with their content. */
export interface Bundle {
  /** The script that stands in the page itself. */
  readonly inline: string;
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

/** Where a package and a container image have it, which cannot build it. */
const built = path.join(import.meta.dirname, 'bundle.json');
const MOST_BYTES = 100_000_000;

/** A clone builds it, in a process of its own: the memory that a bundler takes is free again afterwards. */
const build = async (): Promise<string> => {
  const program = path.join(import.meta.dirname, 'bundler-main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: MOST_BYTES });
  return stdout;
};

export const readBundle = async (): Promise<Bundle> =>
  JSON.parse(existsSync(built) ? await readFile(built, 'utf8') : await build()) as Bundle;
