import { type SandboxedProcess, startProcess } from '../sandboxed-process.ts';
import type { OcrPage } from './pages.ts';

/** The file comes with the first request, and its pages are asked for one by one. */
export type OcrRequest = { readonly languages: readonly string[]; readonly contentType: string } | { readonly page: number };

export type OcrAnswer = { readonly memoryBytes: number } & ({ readonly pageCount: number } | { readonly page: OcrPage });

export interface OcrProcess extends SandboxedProcess {
  /** `pageCount` is 0 if the file cannot be opened. Rejects with ReaderFailed. */
  open(
    data: Uint8Array,
    contentType: string,
    languages: readonly string[],
  ): Promise<{ readonly pageCount: number; readonly memoryBytes: number }>;
  /** Rejects with ReaderFailed. */
  page(number: number): Promise<{ readonly page: OcrPage; readonly memoryBytes: number }>;
}

const NO_BYTES = new Uint8Array(0);

export const startOcr = (memoryMegabytes: number): OcrProcess => {
  const started = startProcess('ocr/ocr-main', memoryMegabytes);
  const ask = async (request: OcrRequest, data: Uint8Array) => (await started.ask(request, data)).header as OcrAnswer;
  return {
    ...started,
    async open(data, contentType, languages) {
      const answer = await ask({ languages, contentType }, data);
      if (!('pageCount' in answer)) throw new Error('a reader of pictures answered another question');
      return answer;
    },
    async page(number) {
      const answer = await ask({ page: number }, NO_BYTES);
      if (!('page' in answer)) throw new Error('a reader of pictures answered another question');
      return answer;
    },
  };
};
