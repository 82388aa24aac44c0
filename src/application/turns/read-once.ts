import { sharedWork } from '../shared/shared-work.ts';
import type { ReadKeeper, WholeFile } from './file-reader.ts';

/** Keeps what was read of the files of a run until it is forgotten, so that several units read each of them once. */
export const readOnce = () => {
  const known = new Map<string, WholeFile>();
  const share = sharedWork<WholeFile>();
  const keeper: ReadKeeper = async (fileKey, signal, read) => {
    const before = known.get(fileKey);
    if (before !== undefined) return before;
    const readAndKeep = async (unwanted: AbortSignal) => {
      const content = await read(unwanted);
      known.set(fileKey, content);
      return content;
    };
    return share(fileKey, readAndKeep, signal);
  };
  return { keeper, forget: (fileKey: string) => known.delete(fileKey) };
};
