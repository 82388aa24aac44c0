import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenSource, SourceItem } from '../../../application/ports/sources.ts';
import { codeOf, DomainError } from '../../../domain/errors.ts';
import type { SourceAfter, SourcePlace } from '../../../domain/source.ts';
import { changedGroups } from '../changed-groups.ts';
import type { SourceFamily } from '../family.ts';
import { bytesOf, type FoundFile, filesIn, isFile, statsOf, within } from './files.ts';
import { settleFile } from './settling.ts';

/** A file is whole when its size and time have not changed for so long. */
const SETTLED_MS = 2000;

interface Settings {
  /** Those that the operator allows, by their absolute paths. */
  readonly folders: readonly string[];
  readonly contentTypeOf: (name: string) => string;
  readonly settledMs?: number;
}

/** As people read it, and as the file of a run may be called. */
const shownName = (name: Buffer) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are taken out
  name.toString('utf8').replaceAll(/[/\\\u0000-\u001f\u007f-\u009f]/g, '_');

/** In words for people, by what the operating system answers. */
const failures: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not a folder',
  EACCES: 'may not be read and written by the server',
  EPERM: 'may not be read and written by the server',
  EROFS: 'cannot be written to: what was read cannot be moved or deleted',
  ENOSPC: 'has no room left',
  EXDEV: 'has its folder done on another file system: what was read cannot be moved there',
};

const failureOf = (folder: string, error: unknown): unknown => {
  const words = failures[codeOf(error)] ?? (codeOf(error) === '' ? null : `cannot be read (${codeOf(error)})`);
  if (error instanceof DomainError || words === null) return error;
  return new DomainError('unavailable', `The folder ${folder} ${words}.`, { cause: error });
};

const inFolder = async <T>(folder: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw failureOf(folder, error);
  }
};

/** Files that people and programs put into a folder of the server. */
export const folderSources = ({ folders, contentTypeOf, settledMs = SETTLED_MS }: Settings): SourceFamily<'folder'> => {
  /** Both after links are resolved: no link leads to a folder that is not allowed. */
  const isAllowed = async (real: string) => {
    const allowed = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
    return allowed.includes(real);
  };

  const defect = async ({ path: folder }: SourcePlace & { type: 'folder' }): Promise<string | null> => {
    if (!path.isAbsolute(folder)) return 'must be an absolute path';
    const real = await realpath(folder).catch(() => null);
    const isKnown = real !== null ? await isAllowed(real) : folders.includes(path.resolve(folder));
    if (!isKnown) return 'must be one of SOURCE_FOLDERS, which the operator of the server sets';
    if (real === null) return 'is not there';
    return (await stat(real)).isDirectory() ? null : 'is not a folder';
  };

  const itemOf = (folder: string, file: FoundFile): SourceItem => {
    const name = shownName(file.name);
    return {
      ref: file.ref,
      keyOf: (digest) => `${path.join(folder, name)} ${digest ?? file.ref.slice(0, file.ref.indexOf(' '))}`,
      name,
      contentType: contentTypeOf(name),
      sizeBytes: file.size,
      from: null,
      subject: null,
      whyNot: null,
      async *read(signal) {
        try {
          yield* bytesOf(folder, file, signal);
        } catch (error) {
          throw failureOf(folder, error);
        }
      },
    };
  };

  const isUnchanged = async (folder: string, { ref, name }: FoundFile) => {
    const stats = await statsOf(within(folder, name));
    return stats !== null && isFile(stats, ref, name);
  };

  const opened = (folder: string, after: SourceAfter): OpenSource => ({
    async *pages(cursor, signal) {
      const found = await inFolder(folder, () => filesIn(folder, signal));
      const changed = changedGroups(found, cursor);
      if (changed.length === 0) return;
      await sleep(settledMs, undefined, { signal });
      for (const { entries, cursor: next } of changed) {
        const settled: SourceItem[] = [];
        // What has changed is another file, and changes the sum of its group: the next look has it.
        for (const file of entries)
          if (await inFolder(folder, () => isUnchanged(folder, file))) settled.push(itemOf(folder, file));
        yield { items: settled, cursor: next };
      }
    },
    settle: (ref) => inFolder(folder, () => settleFile(folder, ref, after)),
    close: async () => {},
  });

  return {
    defect,
    async open(place, after) {
      const wrong = await defect(place);
      if (wrong !== null) throw new DomainError('unavailable', `The folder ${place.path} ${wrong}.`);
      return opened(await realpath(place.path), after);
    },
  };
};
