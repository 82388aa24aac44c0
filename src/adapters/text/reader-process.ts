import type { FilePart, SourceFile } from '../../application/ports/text.ts';
import type { ReadPart } from './read-file.ts';
import { startProcess } from './sandboxed-process.ts';

export interface ReadRequest extends Omit<SourceFile, 'data' | 'sharer'> {
  readonly maxCharacters: number;
  /** Without what is attached to it. */
  readonly isAlone: boolean;
}

/** The bytes of the parts follow one another in the frame; `size` null stands for the file itself. */
export type PartHeader = Omit<ReadPart, 'data'> & { readonly size: number | null };

/** A part as its reader gives it, before its pictures are read. */
export type GivenPart = FilePart & Pick<ReadPart, 'scans' | 'isContainer' | 'isIllustration'>;

export const startReader = (memoryMegabytes: number) => {
  const reader = startProcess<ReadRequest, readonly PartHeader[]>('reader-main', memoryMegabytes);
  return {
    ...reader,
    /** One file at a time. Rejects with ReaderFailed. */
    async read(request: ReadRequest, whole: Uint8Array): Promise<readonly GivenPart[]> {
      const { answer, body } = await reader.ask(request, whole);
      let offset = 0;
      return answer.map(({ size, ...part }) => {
        const data = size === null ? whole : body.subarray(offset, offset + size);
        offset += size ?? 0;
        return { ...part, data };
      });
    },
  };
};
