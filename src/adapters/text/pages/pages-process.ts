import type { PageSize } from '../../../application/ports/page-images.ts';
import { type SandboxedProcess, startProcess } from '../sandboxed-process.ts';

/** The file comes with each request. */
export interface PagesRequest {
  readonly contentType: string;
  /** null: the sizes of all pages are wanted. */
  readonly draw: { readonly page: number; readonly width: number } | null;
}

/** `drawn`: the body is a PNG. `missing`: there is no such page. `problem` ends the sentence "the page …". */
export type PagesAnswer = { readonly memoryBytes: number } & (
  | { readonly sizes: readonly PageSize[] }
  | { readonly drawn: true }
  | { readonly missing: true }
  | { readonly problem: string }
);

export interface PagesProcess extends SandboxedProcess {
  /** Rejects with ReaderFailed. */
  answer(request: PagesRequest, data: Uint8Array): Promise<{ readonly answer: PagesAnswer; readonly png: Uint8Array }>;
}

export const startPages = (memoryMegabytes: number): PagesProcess => {
  const started = startProcess('pages/pages-main', memoryMegabytes);
  return {
    ...started,
    async answer(request, data) {
      const { header, body } = await started.ask(request, data);
      return { answer: header as PagesAnswer, png: body };
    },
  };
};
