import type { Attachment } from '../../domain/conversation.ts';
import type { BlobStore } from '../ports/blobs.ts';
import type { ModelContent, ModelTraits } from '../ports/models.ts';
import type { FilePart, TextExtractor } from '../ports/text.ts';
import { cutPart } from './history.ts';
import { UnitFailure } from './unit-failure.ts';

/** A file as it was read, and as the model is shown it. */
export interface ReadFile {
  readonly fileName: string;
  /** Without their bytes: those are in `content` if the model takes them. */
  readonly parts: readonly FilePart[];
  readonly content: readonly ModelContent[];
}

/** Surrounds the reading of one file. */
export type DuringFile = <T>(fileName: string, read: () => Promise<T>) => Promise<T>;

export interface FileReader {
  /** The files of a workspace in order, one at a time, so that no more than one is held whole. */
  read(
    workspaceId: string,
    attachments: readonly Attachment[],
    traits: ModelTraits,
    signal: AbortSignal,
    during?: DuringFile,
  ): Promise<readonly ReadFile[]>;
  /** Refuses a set of files of which the model could be shown nothing. */
  mustBeReadable(files: readonly ReadFile[]): void;
}

/** Providers refuse requests with more; what goes beyond is shown as its text, or as unreadable. */
const MAX_NATIVE_BYTES = 20 * 1024 * 1024;
/** A token is seldom less than three characters; the rest of the window is for instructions and the answer. */
const CHARACTERS_PER_TOKEN = 2;

const NO_BYTES = new Uint8Array(0);

/** What has no text of its own, the model sees itself if it can: what OCR read of it may be wrong. */
const isNative = ({ contentType, unreadable, layouts }: FilePart, traits: ModelTraits): boolean => {
  if (unreadable === null && !layouts.some(({ source }) => source === 'ocr')) return false;
  return (traits.images && /^image\/(png|jpeg|webp|gif)$/.test(contentType)) || (traits.pdf && contentType === 'application/pdf');
};

export const fileReader = ({ blobs, text }: { blobs: BlobStore; text: TextExtractor }): FileReader => ({
  async read(workspaceId, attachments, traits, signal, during = (_, read) => read()) {
    const room = Math.floor((traits.contextTokens * CHARACTERS_PER_TOKEN) / Math.max(1, attachments.length));
    const files: ReadFile[] = [];
    let nativeBytes = 0;
    for (const { fileKey, fileName, contentType } of attachments) {
      const parts = await during(fileName, async () => {
        const data = await blobs.read(fileKey, signal);
        if (!data) throw new UnitFailure('file_missing', `${fileName} is no longer in the file store.`);
        return text.extract({ fileName, contentType, data, workspaceId }, signal);
      });
      const content = parts.flatMap((part): readonly ModelContent[] => {
        const { fileName: name, contentType: type, data, pages, unreadable } = part;
        const asText = cutPart({ type: 'document', fileName: name, pages, unreadable }, Math.floor(room / parts.length));
        if (!isNative(part, traits) || nativeBytes + data.length > MAX_NATIVE_BYTES) return [asText];
        nativeBytes += data.length;
        const itself: ModelContent = { type: 'file', fileName: name, contentType: type, data };
        return unreadable === null ? [asText, itself] : [itself];
      });
      files.push({ fileName, content, parts: parts.map((part) => ({ ...part, data: NO_BYTES })) });
    }
    return files;
  },

  mustBeReadable(files) {
    const readable = files.some(
      ({ parts, content }) => parts.some(({ unreadable }) => unreadable === null) || content.some(({ type }) => type === 'file'),
    );
    if (files.length === 0 || readable) return;
    const why = files.flatMap(({ parts }) => parts.map(({ fileName, unreadable }) => `${fileName} ${unreadable}`));
    throw new UnitFailure('unreadable_file', `${why.join('; ')}.`);
  },
});
