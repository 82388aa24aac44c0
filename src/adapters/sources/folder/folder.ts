import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenSource, SourceItem } from '../../../application/ports/sources.ts';
import { codeOf, DomainError } from '../../../domain/errors.ts';
import type { JsonValue } from '../../../domain/json.ts';
import type { SourceAfter } from '../../../domain/source.ts';
import type { SourceFamily } from '../family.ts';
import { type Ask, folderCalls } from './calls.ts';
import { bytesOf, type FoundFile, shownName, unchangedOf } from './files.ts';
import { close, type HeldFolder, hold, placeOf } from './held.ts';
import { changedFiles } from './listing.ts';
import { settleFile } from './settling.ts';

/** A file is whole when its size and time have not changed for so long. */
const SETTLED_MS = 2000;

interface Settings {
  /** Those that the operator allows, by their absolute paths. */
  readonly folders: readonly string[];
  readonly contentTypeOf: (name: string) => string;
  /** How many threads of this process may wait for answers of folders. */
  readonly threads: number;
  readonly answerSeconds?: number;
  readonly settledMs?: number;
}

/** In words for people, by what the operating system answers. */
const failures: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not a folder',
  ELOOP: 'is not a folder',
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

async function* eachInFolder<T>(folder: string, all: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* all;
  } catch (error) {
    throw failureOf(folder, error);
  }
}

/** Asks of one folder, until the signal. */
type Asking = (until?: AbortSignal) => Ask;

const NOT_ALLOWED = 'must be one of SOURCE_FOLDERS, which the operator of the server sets';

/** Files that people and programs put into a folder of the server. */
export const folderSources = ({
  folders,
  contentTypeOf,
  threads,
  answerSeconds,
  settledMs = SETTLED_MS,
}: Settings): SourceFamily<'folder'> => {
  const calls = folderCalls(threads, answerSeconds);

  /** null if there is nothing. */
  const realOf = (ask: Ask, folder: string) => ask(() => realpath(folder).catch(() => null));

  /** Both after links are resolved: no link leads to a folder that is not allowed. The others are asked only where the name does not tell. */
  const isAllowed = async (real: string, signal?: AbortSignal) => {
    if (folders.some((folder) => path.resolve(folder) === real)) return true;
    for (const folder of folders)
      if ((await realOf(calls(folder, signal), folder).catch(() => null)) === real) return true;
    return false;
  };

  const defectAt = async (ask: Ask, folder: string, signal?: AbortSignal): Promise<string | null> => {
    if (!path.isAbsolute(folder)) return 'must be an absolute path';
    const real = await realOf(ask, folder);
    const isKnown = real !== null ? await isAllowed(real, signal) : folders.includes(path.resolve(folder));
    if (!isKnown) return NOT_ALLOWED;
    if (real === null) return 'is not there';
    return (await ask(() => stat(real))).isDirectory() ? null : 'is not a folder';
  };

  const itemOf = (folder: HeldFolder, file: FoundFile, asking: Asking): SourceItem => {
    const name = shownName(file.name);
    return {
      ref: file.ref,
      keyOf: (digest) => `${path.join(folder.path, name)} ${digest ?? file.ref.slice(0, file.ref.indexOf(' '))}`,
      name,
      contentType: contentTypeOf(name),
      sizeBytes: file.size,
      from: null,
      subject: null,
      whyNot: null,
      read: (signal) => eachInFolder(folder.path, bytesOf({ ...folder, ask: asking(signal) }, file)),
    };
  };

  async function* pagesOf(folder: HeldFolder, cursor: JsonValue | null, asking: Asking, signal: AbortSignal) {
    for await (const groups of changedFiles(folder, cursor)) {
      await sleep(settledMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      for (const { files, cursorWith } of groups) {
        // The next look has those that have changed or are not there.
        const settled = await unchangedOf(folder, files);
        yield { items: settled.map((file) => itemOf(folder, file, asking)), cursor: cursorWith(settled) };
      }
    }
  }

  const opened = (folder: HeldFolder, after: SourceAfter, asking: Asking): OpenSource => {
    const until = (signal: AbortSignal) => ({ ...folder, ask: asking(signal) });
    return {
      pages: (cursor, signal) => eachInFolder(folder.path, pagesOf(until(signal), cursor, asking, signal)),
      settle: (ref, signal) => inFolder(folder.path, () => settleFile(until(signal), ref, after)),
      close: () => close(asking(), folder.handle),
    };
  };

  const refused = (folder: string, why: string) => new DomainError('unavailable', `The folder ${folder} ${why}.`);

  return {
    defect: ({ path: folder }) => defectAt(calls(folder), folder),
    open: ({ path: folder }, after, signal) =>
      inFolder(folder, async () => {
        const ask = calls(folder, signal);
        const wrong = await defectAt(ask, folder, signal);
        if (wrong !== null) throw refused(folder, wrong);
        const held = await hold(ask, await ask(() => realpath(folder)));
        // Whatever lay there a moment ago, this is what is read.
        if (await isAllowed(await placeOf(held), signal))
          return opened(held, after, (until?: AbortSignal) => calls(folder, until));
        await close(ask, held.handle);
        throw refused(folder, NOT_ALLOWED);
      }),
  };
};
