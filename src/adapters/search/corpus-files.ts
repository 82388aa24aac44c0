import { open, opendir, stat } from 'node:fs/promises';
import path from 'node:path';

/** What bounds a folder that somebody points at by mistake. */
export interface CorpusLimits {
  readonly maxPages: number;
  readonly maxEntries: number;
  readonly maxFileBytes: number;
}

export interface CorpusFile {
  /** Below the folder, with forward slashes. */
  readonly name: string;
  /** Differs once the file does. */
  readonly stamp: string;
}

const isPage = (name: string) => /\.(?:html?|md|markdown|txt)$/i.test(name);
const isHidden = (name: string) => name.split('/').some((part) => part.startsWith('.') || part === 'node_modules');

/** The pages of a folder and of those below it, by name. Symbolic links are not followed: they could lead out of it. */
export const listPages = async (folder: string, { maxPages, maxEntries, maxFileBytes }: CorpusLimits): Promise<readonly CorpusFile[]> => {
  const names: string[] = [];
  let entries = 0;
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (++entries > maxEntries) break;
    const name = path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/');
    if (entry.isFile() && isPage(name) && !isHidden(name)) names.push(name);
  }
  const files: CorpusFile[] = [];
  for (const name of names.sort().slice(0, maxPages)) {
    const found = await stat(path.join(folder, name)).catch(() => null);
    if (found?.isFile() && found.size <= maxFileBytes) files.push({ name, stamp: `${found.ino} ${found.size} ${found.mtimeMs}` });
  }
  return files;
};

/** null where the file is gone by now, or has grown too large. */
export const readPageFile = async (folder: string, name: string, { maxFileBytes }: CorpusLimits): Promise<Uint8Array | null> => {
  const file = await open(path.join(folder, name)).catch(() => null);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    return size <= maxFileBytes ? await file.readFile() : null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
};
