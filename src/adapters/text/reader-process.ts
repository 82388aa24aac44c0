import type { FilePart } from '../../application/ports/text.ts';
import type { ReadPart } from './read-file.ts';
import { type SandboxedProcess, startProcess } from './sandboxed-process.ts';

export interface ReadRequest {
  readonly fileName: string;
  readonly contentType: string;
  readonly articleOnly?: boolean;
  readonly maxCharacters: number;
}

export interface ReadResult {
  /** The bytes of the parts follow one another in the frame; `size` null stands for the file itself. */
  readonly parts: readonly (Omit<ReadPart, 'data'> & { readonly size: number | null })[];
  readonly memoryBytes: number;
}

/** A part as its reader gives it, before its pictures are read. */
export type GivenPart = FilePart & Pick<ReadPart, 'scans'>;

export interface ReaderProcess extends SandboxedProcess {
  /** One file at a time. Rejects with ReaderFailed. */
  read(request: ReadRequest, data: Uint8Array): Promise<{ parts: readonly GivenPart[]; memoryBytes: number }>;
}

const partsOf = (result: ReadResult, body: Uint8Array, whole: Uint8Array): readonly GivenPart[] => {
  let offset = 0;
  return result.parts.map(({ size, ...part }) => {
    const data = size === null ? whole : body.subarray(offset, offset + size);
    offset += size ?? 0;
    return { ...part, data };
  });
};

export const startReader = (memoryMegabytes: number): ReaderProcess => {
  const reader = startProcess('reader-main', memoryMegabytes);
  return {
    ...reader,
    async read(request, data) {
      const { header, body } = await reader.ask(request, data);
      const result = header as ReadResult;
      return { parts: partsOf(result, body, data), memoryBytes: result.memoryBytes };
    },
  };
};
