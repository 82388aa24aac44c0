import type { Caller } from '../../domain/caller.ts';
import { mustExist } from '../../domain/errors.ts';
import { filesWithin, nameInRun } from '../files/files-in-run.ts';
import type { KeptFile } from '../files/kept-file.ts';
import type { KeptPages } from '../files/kept-pages.ts';
import { checkKept, type SourceFiles } from '../files/source-files.ts';
import type { PageSize } from '../ports/page-images.ts';
import type { RunDetail, RunRepository } from '../ports/storage.ts';
import { concurrently } from '../shared/async.ts';

const REQUESTS_AT_ONCE = 8;

/** A file of a run, or what is attached to one. */
interface DividedPages extends Pick<KeptFile, 'contentType'> {
  readonly index: number;
  /** As the parts of the run have it. */
  readonly fileName: string;
  /** None if its format has no pages. */
  readonly pages: readonly PageSize[];
  /** Pages with nothing on them, separator sheets among them; none before the file is divided. */
  readonly blank: readonly number[];
}

interface Place {
  readonly index: number;
  readonly page: number;
  /** In pixels. */
  readonly width: number;
}

interface Dependencies {
  readonly runs: Pick<RunRepository, 'findVisible'>;
  readonly sources: Pick<SourceFiles, 'check'>;
  readonly keptPages: Pick<KeptPages, 'attachments' | 'sizes' | 'image'>;
}

/** The files of a run, and their pages: also those that are in no document. */
export const runFiles = ({ runs, sources, keptPages }: Dependencies) => {
  const get = async (caller: Caller, id: string) => mustExist(await runs.findVisible(caller, id), 'run');

  const sizesOf = async (file: KeptFile, signal: AbortSignal) =>
    (await checkKept(sources, file, signal)) === null ? [] : keptPages.sizes(file, signal);

  /** The file at this place of the run and what is attached to it. A number says which: it stays what it is while other files are read. */
  const shownOf = async (caller: Caller, { files, sheets }: RunDetail, fileIndex: number, signal: AbortSignal) => {
    const file = { ...mustExist(files[fileIndex], 'file'), sharer: caller };
    const attached = await keptPages.attachments(file, signal);
    const all = filesWithin(file, nameInRun(files, fileIndex), attached);
    const divided = all.filter(({ name }) => sheets.some(({ fileName }) => fileName === name));
    return concurrently(
      divided.length > 0 ? divided : all,
      REQUESTS_AT_ONCE,
      async ({ name, parts: [part] }): Promise<DividedPages> => ({
        index: fileIndex + files.length * ((part.attachment ?? -1) + 1),
        fileName: name,
        contentType: part.contentType,
        pages: await sizesOf(part, signal),
        blank: sheets.find(({ fileName }) => fileName === name)?.blank ?? [],
      }),
    );
  };

  return {
    async list(caller: Caller, id: string, signal: AbortSignal): Promise<readonly DividedPages[]> {
      const run = await get(caller, id);
      const shown = await concurrently(run.files, REQUESTS_AT_ONCE, (_, index) => shownOf(caller, run, index, signal));
      return shown.flat();
    },

    /** A PNG of a page as a person sees it, about as wide as this. */
    async page(caller: Caller, id: string, { index, page, width }: Place, signal: AbortSignal): Promise<Uint8Array> {
      const { files } = await get(caller, id);
      const file = { ...mustExist(files[index % files.length], 'file'), sharer: caller };
      const attachment = Math.floor(index / files.length) - 1;
      const attached = attachment < 0 ? [] : await keptPages.attachments(file, signal);
      const shown = attachment < 0 ? file : mustExist(attached[attachment], 'file');
      await checkKept(sources, shown, signal);
      return keptPages.image(shown, page, width, signal);
    },
  };
};

export type RunFiles = ReturnType<typeof runFiles>;
