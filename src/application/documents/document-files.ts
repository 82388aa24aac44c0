import { actOf } from '../../domain/audit.ts';
import type { Caller } from '../../domain/caller.ts';
import { mustExist, notFound } from '../../domain/errors.ts';
import type { Pages } from '../../domain/routing/part.ts';
import type { RunFile } from '../../domain/run.ts';
import { filesWithin, nameInRun } from '../files/files-in-run.ts';
import { bytesKey, type KeptFile } from '../files/kept-file.ts';
import type { KeptPages, PageWords } from '../files/kept-pages.ts';
import { checkKept, type SourceFiles } from '../files/source-files.ts';
import type { TextPart } from '../files/text-parts.ts';
import type { AuditLog } from '../ports/audit.ts';
import type { BlobStore } from '../ports/blobs.ts';
import type { PageSize } from '../ports/page-images.ts';
import type { DocumentSource } from '../ports/run-parts.ts';
import type { RunRepository } from '../ports/storage.ts';
import { concurrently } from '../shared/async.ts';
import type { DocumentService } from './documents.ts';

const URL_LIFETIME_SECONDS = 900;
const REQUESTS_AT_ONCE = 8;
const MOST_WORDS = 20_000;

/** A file that a document was read from, or what is attached to such a file and can be shown. */
export interface DocumentFile extends Omit<RunFile, 'fileKey'> {
  /** Its place among the files of the document, from 0; attachments follow all files. */
  readonly index: number;
  /** null, like the URL, if the file is no longer in the store. */
  readonly sizeBytes: number | null;
  /** Of the bytes that were read, in hexadecimal; null before the file is read. */
  readonly sha256: string | null;
  /** None if its format has no pages. */
  readonly pages: readonly PageSize[];
  readonly downloadUrl: string | null;
  readonly expiresAt: Date | null;
}

interface ListedFiles {
  readonly files: readonly DocumentFile[];
  /** Which part of what came the document was read from; null if the files were not divided. `name`: null of a part that is no longer there. */
  readonly part: (Pages & { readonly name: string | null }) | null;
}

/** A page of one of the document's files. */
interface Place {
  readonly index: number;
  readonly page: number;
}

interface Dependencies {
  readonly documents: Pick<DocumentService, 'get'>;
  readonly runs: Pick<RunRepository, 'findVisible' | 'findSource'>;
  readonly blobs: BlobStore;
  readonly sources: Pick<SourceFiles, 'check'>;
  readonly keptPages: KeptPages;
  readonly audit: Pick<AuditLog, 'record'>;
}

/** One of them. */
interface OneFile {
  readonly file: KeptFile;
  readonly index: number;
  /** Of a part of it that a document was read from: the pages that are shown; null for all. */
  readonly pages: ReadonlySet<number> | null;
}

export const documentFiles = ({ documents, runs, blobs, sources, keptPages, audit }: Dependencies) => {
  const sourceOf = async (caller: Caller, documentId: string) => {
    const { id, runId } = await documents.get(caller, documentId);
    return { runId, source: mustExist(await runs.findSource(id), 'document') };
  };

  const attachedTo = async (outer: readonly KeptFile[], signal: AbortSignal) =>
    (await concurrently(outer, REQUESTS_AT_ONCE, (file) => keptPages.attachments(file, signal))).flat();

  /** Of a document of a part: its file alone, and of that its pages alone. Who sees the document need not see the rest of what came. */
  const filesOf = async (
    caller: Caller,
    { files, fileIndexes, part }: DocumentSource,
    signal: AbortSignal,
  ): Promise<readonly OneFile[]> => {
    const outer = fileIndexes.flatMap((index) => files[index] ?? []).map((file) => ({ ...file, sharer: caller }));
    const attached = await attachedTo(outer, signal);
    const all = [...outer, ...attached].map((file, index) => ({ file, index, pages: null }));
    const [first] = outer;
    if (part === null || first === undefined) return all;
    const named = filesWithin(first, nameInRun(files, fileIndexes[0] ?? 0), attached);
    const parts: readonly KeptFile[] = named.find(({ name }) => name === part.fileName)?.parts ?? [];
    const pages = part.pages.length === 0 ? null : new Set<number>(part.pages);
    return all.filter(({ file }) => parts.includes(file)).map((each) => ({ ...each, pages }));
  };

  const check = (file: KeptFile, signal: AbortSignal) => checkKept(sources, file, signal);

  const fileOf = async (caller: Caller, documentId: string, index: number, signal: AbortSignal) => {
    const { source } = await sourceOf(caller, documentId);
    const files = await filesOf(caller, source, signal);
    const entry = mustExist(
      files.find((each) => each.index === index),
      'file',
    );
    await check(entry.file, signal);
    return entry;
  };

  const pageOf = async (caller: Caller, documentId: string, { index, page }: Place, signal: AbortSignal) => {
    const { file, pages } = await fileOf(caller, documentId, index, signal);
    if (pages?.has(page) === false) throw notFound('page');
    return file;
  };

  const isWhole = async ({ file, pages }: OneFile, signal: AbortSignal) =>
    pages === null || (await keptPages.sizes(file, signal)).every(({ page }) => pages.has(page));

  /** The file, unless the document is of a part of it: content that is on no page, such as the text as a whole, is not shown then. */
  const wholeFile = async (caller: Caller, documentId: string, index: number, signal: AbortSignal) => {
    const entry = await fileOf(caller, documentId, index, signal);
    if (!(await isWhole(entry, signal))) throw notFound('file');
    return entry.file;
  };

  const shown = async (
    one: OneFile,
    { addresses, isRunSeen }: { readonly addresses: boolean; readonly isRunSeen: boolean },
    signal: AbortSignal,
  ): Promise<DocumentFile> => {
    const { file, index, pages: wanted } = one;
    const { fileName, contentType } = file;
    const about = { index, fileName, contentType };
    const none = { downloadUrl: null, expiresAt: null };
    const info = await check(file, signal);
    if (info === null) return { ...about, sizeBytes: null, sha256: null, pages: [], ...none };
    const pages = (await keptPages.sizes(file, signal)).filter(({ page }) => wanted?.has(page) !== false);
    const kept = { ...about, sizeBytes: info.size, sha256: info.sha256, pages };
    if (!addresses || (!isRunSeen && !(await isWhole(one, signal)))) return { ...kept, ...none };
    const { url, expiresAt } = await blobs.presignGet(bytesKey(file), {
      expiresInSeconds: URL_LIFETIME_SECONDS,
      fileName,
    });
    return { ...kept, downloadUrl: url, expiresAt };
  };

  /** Who has an address of a file may fetch it without another word to this server. */
  const noteDownload = (caller: Caller, documentId: string, files: number) => {
    const deed = actOf(caller, { action: 'document.downloaded', details: { files } });
    const subject = { type: 'document', id: documentId, name: null } as const;
    return audit.record({ ...deed, workspaceId: caller.workspaceId, subject });
  };

  return {
    /** `addresses`: whether the files can be downloaded by what is answered. */
    async list(caller: Caller, documentId: string, addresses: boolean, signal: AbortSignal): Promise<ListedFiles> {
      const { runId, source } = await sourceOf(caller, documentId);
      const { part, partName } = source;
      const isRunSeen = part === null || (await runs.findVisible(caller, runId)) !== null;
      const entries = await filesOf(caller, source, signal);
      const files = await concurrently(entries, REQUESTS_AT_ONCE, (one) =>
        shown(one, { addresses, isRunSeen }, signal),
      );
      const downloadable = files.filter(({ downloadUrl }) => downloadUrl !== null);
      if (downloadable.length > 0) await noteDownload(caller, documentId, downloadable.length);
      return { files, part: part && { ...part, name: partName } };
    },

    /** A PNG of a page as a person sees it, about as wide as this in pixels. */
    page: async (
      caller: Caller,
      documentId: string,
      { index, page, width }: Place & { readonly width: number },
      signal: AbortSignal,
    ) => keptPages.image(await pageOf(caller, documentId, { index, page }, signal), page, width, signal),

    /** The bytes of the e-invoice that a file is or has attached. */
    async eInvoice(caller: Caller, documentId: string, index: number, signal: AbortSignal) {
      const file = await wholeFile(caller, documentId, index, signal);
      const bytes = mustExist(await keptPages.eInvoice(file, signal), 'e-invoice');
      await noteDownload(caller, documentId, 1);
      return bytes;
    },

    /** A part of the text of a file as it was read, from this character on. */
    text: async (
      caller: Caller,
      documentId: string,
      { index, from }: { readonly index: number; readonly from: number },
      signal: AbortSignal,
    ): Promise<TextPart> => keptPages.text(await wholeFile(caller, documentId, index, signal), from, signal),

    /** The words of a page, at most 20,000, with their places on its image. */
    async words(caller: Caller, documentId: string, at: Place, signal: AbortSignal): Promise<PageWords> {
      const file = await pageOf(caller, documentId, at, signal);
      const { words, ...about } = await keptPages.words(file, at.page, signal);
      return { ...about, words: words.slice(0, MOST_WORDS) };
    },
  };
};

export type DocumentFiles = ReturnType<typeof documentFiles>;
