import { DomainError } from '../../domain/errors.ts';
import type { BlobInfo, BlobStore } from '../ports/blobs.ts';
import type { SourceFileRepository } from '../ports/source-files.ts';
import { sha256 } from '../shared/digest.ts';
import { sharedWork } from '../shared/shared-work.ts';
import { bytesKey, type KeptFile } from './kept-file.ts';

interface SourceBytes {
  readonly data: Uint8Array;
  /** In hexadecimal. */
  readonly sha256: string;
}

interface Dependencies {
  readonly blobs: Pick<BlobStore, 'head' | 'read'>;
  readonly sources: SourceFileRepository;
}

const changed = () =>
  new DomainError(
    'conflict',
    'The file in the store is not the one that was read: its bytes were replaced or damaged. Put the file back as it was, from a backup, or run the agent on a new upload.',
    { code: 'file_changed' },
  );

/** The files of runs. The first read of a file decides what its bytes are: a later read refuses others. */
export const sourceFiles = ({ blobs, sources }: Dependencies) => {
  const read = async (key: string, signal?: AbortSignal): Promise<SourceBytes | null> => {
    // Before the bytes: if they are replaced meanwhile, they are compared once more.
    const info = await blobs.head(key);
    const data = info && (await blobs.read(key, signal));
    if (!data) return null;
    const digest = await sha256(data);
    if (!(await sources.remember(key, { sha256: digest, version: info.version }))) throw changed();
    return { data, sha256: digest };
  };

  const comparing = sharedWork<unknown>();

  return {
    /** The whole file; null if it is gone. */
    read,

    /** Refuses a file that is not the one that was read. Reads it only if it was written since. null if it is gone. */
    async check(key: string, signal: AbortSignal): Promise<(BlobInfo & { readonly sha256: string | null }) | null> {
      const [info, known] = await Promise.all([blobs.head(key), sources.find(key)]);
      if (info && known && known.version !== info.version)
        await comparing(key, (unwanted) => read(key, unwanted), signal);
      return info && { ...info, sha256: known?.sha256 ?? null };
    },
  };
};

export type SourceFiles = ReturnType<typeof sourceFiles>;

/** Refuses other bytes than those that were read: of what is attached, also those of the file that it came with. null if it is gone. */
export const checkKept = async (sources: Pick<SourceFiles, 'check'>, file: KeptFile, signal: AbortSignal) => {
  const source = await sources.check(file.fileKey, signal);
  return source === null || file.attachment === undefined ? source : sources.check(bytesKey(file), signal);
};
