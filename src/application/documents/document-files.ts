import { actOf } from '../../domain/audit.ts';
import type { Caller } from '../../domain/caller.ts';
import { mustExist } from '../../domain/errors.ts';
import type { RunFile } from '../../domain/run.ts';
import { bytesKey, type KeptFile } from '../files/kept-file.ts';
import type { KeptPages, PageWords } from '../files/kept-pages.ts';
import type { SourceFiles } from '../files/source-files.ts';
import type { TextPart } from '../files/text-parts.ts';
import type { AuditLog } from '../ports/audit.ts';
import type { BlobStore } from '../ports/blobs.ts';
import type { PageSize } from '../ports/page-images.ts';
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

/** A page of one of the document's files. */
interface Place {
  readonly index: number;
  readonly page: number;
}

interface Dependencies {
  readonly documents: Pick<DocumentService, 'get'>;
  readonly runs: Pick<RunRepository, 'findVisible'>;
  readonly blobs: BlobStore;
  readonly sources: Pick<SourceFiles, 'check'>;
  readonly keptPages: KeptPages;
  readonly audit: Pick<AuditLog, 'record'>;
}

export const documentFiles = ({ documents, runs, blobs, sources, keptPages, audit }: Dependencies) => {
  const filesOf = async (caller: Caller, documentId: string, signal: AbortSignal): Promise<readonly KeptFile[]> => {
    const { runId, id } = await documents.get(caller, documentId);
    const { files, units } = mustExist(await runs.findVisible(caller, runId), 'run');
    const unit = units.find((each) => each.documentId === id);
    const own =
      unit?.fileIndexes.flatMap((index) => files[index] ?? []).map((file) => ({ ...file, sharer: caller })) ?? [];
    const attached = await concurrently(own, REQUESTS_AT_ONCE, (file) => keptPages.attachments(file, signal));
    return [...own, ...attached.flat()];
  };

  /** Refuses other bytes than those that were read: of what is attached, also those of the file that it came with. */
  const check = async (file: KeptFile, signal: AbortSignal) => {
    const source = await sources.check(file.fileKey, signal);
    return source === null || file.attachment === undefined ? source : sources.check(bytesKey(file), signal);
  };

  const fileOf = async (caller: Caller, documentId: string, index: number, signal: AbortSignal) => {
    const file = mustExist((await filesOf(caller, documentId, signal))[index], 'file');
    await check(file, signal);
    return file;
  };

  const shown = async (file: KeptFile, index: number, signal: AbortSignal): Promise<DocumentFile> => {
    const { fileName, contentType } = file;
    const about = { index, fileName, contentType };
    const found = await check(file, signal);
    if (found === null)
      return { ...about, sizeBytes: null, sha256: null, pages: [], downloadUrl: null, expiresAt: null };
    const pages = await keptPages.sizes(file, signal);
    const { url, expiresAt } = await blobs.presignGet(bytesKey(file), {
      expiresInSeconds: URL_LIFETIME_SECONDS,
      fileName,
    });
    return { ...about, sizeBytes: found.size, sha256: found.sha256, pages, downloadUrl: url, expiresAt };
  };

  /** Who has an address of a file may fetch it without another word to this server. */
  const noteDownload = (caller: Caller, documentId: string, files: number) => {
    const deed = actOf(caller, { action: 'document.downloaded', details: { files } });
    const subject = { type: 'document', id: documentId, name: null } as const;
    return audit.record({ ...deed, workspaceId: caller.workspaceId, subject });
  };

  return {
    async list(caller: Caller, documentId: string, signal: AbortSignal) {
      const files = await filesOf(caller, documentId, signal);
      const listed = await concurrently(files, REQUESTS_AT_ONCE, (file, index) => shown(file, index, signal));
      const given = listed.filter(({ downloadUrl }) => downloadUrl !== null);
      if (given.length > 0) await noteDownload(caller, documentId, given.length);
      return listed;
    },

    /** A PNG of a page as a person sees it, about as wide as this in pixels. */
    page: async (
      caller: Caller,
      documentId: string,
      { index, page, width }: Place & { readonly width: number },
      signal: AbortSignal,
    ) => keptPages.image(await fileOf(caller, documentId, index, signal), page, width, signal),

    /** The bytes of the e-invoice that a file is or has attached. */
    async eInvoice(caller: Caller, documentId: string, index: number, signal: AbortSignal) {
      const file = await fileOf(caller, documentId, index, signal);
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
    ): Promise<TextPart> => keptPages.text(await fileOf(caller, documentId, index, signal), from, signal),

    /** The words of a page, at most 20,000, with their places on its image. */
    async words(caller: Caller, documentId: string, { index, page }: Place, signal: AbortSignal): Promise<PageWords> {
      const { words, ...about } = await keptPages.words(await fileOf(caller, documentId, index, signal), page, signal);
      return { ...about, words: words.slice(0, MOST_WORDS) };
    },
  };
};

export type DocumentFiles = ReturnType<typeof documentFiles>;
