import type { Attachment } from '../../domain/conversation.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Pages } from '../../domain/routing/part.ts';
import type { Sharer } from '../../domain/sharer.ts';
import { storable } from '../../domain/text.ts';
import { digestOf, isWhole, pagesAlone, singleFiles } from '../files/file-parts.ts';
import type { KeptPages } from '../files/kept-pages.ts';
import type { SourceFiles } from '../files/source-files.ts';
import type { ModelContent, ModelTraits } from '../ports/models.ts';
import type { FilePart, TextExtractor } from '../ports/text.ts';
import { cutPart } from './history.ts';
import { type Journal, timed } from './journal.ts';
import { readOn } from './read-on.ts';
import { UnitFailure } from './unit-failure.ts';

/** A part of a file as it was read, without its bytes. */
export interface ReadPart extends Omit<FilePart, 'data'> {
  /** The part itself, if the model takes it and it may say more than its text; else null. */
  readonly native: Extract<ModelContent, { type: 'file' }> | null;
}

export interface ReadFile {
  readonly fileName: string;
  /** Of its bytes, in hexadecimal; null of a file that is no longer there. */
  readonly sha256: string | null;
  readonly parts: readonly ReadPart[];
}

/** A part as the model is shown it, cut after so many characters. */
export const partContent = (
  { fileName, pages, unreadable, native }: ReadPart,
  most = Number.POSITIVE_INFINITY,
): readonly ModelContent[] => {
  if (native !== null && unreadable !== null) return [native];
  const asText = cutPart({ type: 'document', fileName, pages, unreadable }, most);
  return native === null ? [asText] : [asText, native];
};

/** A file as the model is shown it; its parts have an even share of so many characters. */
export const contentOf = ({ parts }: ReadFile, most = Number.POSITIVE_INFINITY): readonly ModelContent[] =>
  parts.flatMap((part) => partContent(part, Math.floor(most / parts.length)));

export const pagesByOcr = (files: readonly ReadFile[]): number =>
  files.flatMap(({ parts }) => parts).flatMap(({ layouts }) => layouts.filter(({ source }) => source === 'ocr')).length;

/** Providers refuse requests with more; what goes beyond is shown as its text, or as unreadable. */
const MAX_NATIVE_BYTES = 20 * 1024 * 1024;
/** What has no text of its own, the model sees itself if it can: what OCR read of it may be wrong. */
const isNative = ({ contentType, unreadable, layouts, data }: FilePart, traits: ModelTraits): boolean => {
  if (data.length === 0) return false;
  if (unreadable === null && !layouts.some(({ source, words }) => source === 'ocr' && words.length > 0)) return false;
  return (
    (traits.images && /^image\/(png|jpeg|webp|gif)$/.test(contentType)) ||
    (traits.pdf && contentType === 'application/pdf')
  );
};

/** A file as it was read, with what is attached to it. */
export interface WholeFile {
  readonly parts: readonly FilePart[];
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly hash: string;
}

/** Decides whether a file is read, or was read before for the same run. */
export type ReadKeeper = (
  fileKey: string,
  signal: AbortSignal,
  read: (unwanted: AbortSignal) => Promise<WholeFile>,
) => Promise<WholeFile>;

/** The pages of a part cannot be shown as a file. */
const NO_BYTES = new Uint8Array();

interface Dependencies {
  readonly sources: Pick<SourceFiles, 'read'>;
  readonly text: TextExtractor;
  readonly keptPages: Pick<KeptPages, 'remember'>;
}

/** The bytes of a file, or why there are none. */
const bytesOf = async (sources: Dependencies['sources'], { fileKey, fileName }: Attachment, signal: AbortSignal) => {
  const file = await sources.read(fileKey, signal).catch((error: unknown) => {
    if (!(error instanceof DomainError) || error.code !== 'file_changed') throw error;
    throw new UnitFailure(
      'file_changed',
      `${fileName} is not the file in the store that was read before: its bytes were replaced.`,
    );
  });
  if (!file) throw new UnitFailure('file_missing', `${fileName} is no longer in the file store.`);
  return file;
};

const reading =
  ({ sources, text, keptPages }: Dependencies) =>
  /** A file with all that is attached to it. `isBundle`: however many pages it has. */
  (
    sharer: Sharer,
    attachment: Attachment,
    signal: AbortSignal,
    { journal, isBundle }: { readonly journal: Pick<Journal, 'step'>; readonly isBundle: boolean },
  ): Promise<WholeFile> => {
    const { fileKey, fileName, contentType } = attachment;
    return timed(journal, { type: 'unit.file_read', name: storable(fileName) }, async () => {
      const { data, sha256 } = await bytesOf(sources, attachment, signal);
      const read = await text.extract({ fileName, contentType, data, sharer }, signal);
      const parts = isBundle ? await readOn(text, read, sharer, signal) : read;
      const [first, ...attached] = parts;
      if (first !== undefined) await keptPages.remember(fileKey, first, attached);
      return { parts, hash: sha256 };
    });
  };

/** What a part of a file has of it; nothing if it is not the file that was divided. */
const partOf = async ({ parts, hash }: WholeFile, part: Pages): Promise<WholeFile> => {
  const [rootName = ''] = part.fileName.split(' › ');
  const file = singleFiles(parts, rootName).find(({ fileName }) => storable(fileName) === part.fileName);
  if (file === undefined) return { parts: [], hash };
  const [first, ...beside] = file.parts;
  const isAll = part.pages.length === 0 || isWhole(first, part.pages);
  const isFile = isAll && file.parts.length === parts.length;
  return {
    parts: isAll ? [first, ...beside] : [{ ...pagesAlone(first, part.pages), data: NO_BYTES }],
    hash: isFile ? hash : await digestOf(hash, part),
  };
};

interface FilesToRead {
  readonly sharer: Sharer;
  readonly attachments: readonly Attachment[];
  /** Of the model that is to be shown them. */
  readonly traits: ModelTraits;
  readonly journal: Pick<Journal, 'step'>;
  /** Of bundles alone. */
  readonly keeper?: ReadKeeper | undefined;
}

export const fileReader = (dependencies: Dependencies) => {
  const readWhole = reading(dependencies);
  return {
    /** The files in order, one at a time, so that no more than one is held whole. The journal gets a step of each. */
    async read(
      { sharer, attachments, traits, journal, keeper }: FilesToRead,
      signal: AbortSignal,
    ): Promise<readonly ReadFile[]> {
      const files: ReadFile[] = [];
      let nativeBytes = 0;
      for (const attachment of attachments) {
        const { fileKey, fileName } = attachment;
        const read = (unwanted: AbortSignal) =>
          readWhole(sharer, attachment, unwanted, { journal, isBundle: keeper !== undefined });
        const whole = await (keeper === undefined ? read(signal) : keeper(fileKey, signal, read));
        const { parts, hash } = attachment.part === undefined ? whole : await partOf(whole, attachment.part);
        const shown = parts.map((each): ReadPart => {
          const { data, ...part } = each;
          if (!isNative(each, traits) || nativeBytes + data.length > MAX_NATIVE_BYTES) return { ...part, native: null };
          nativeBytes += data.length;
          const { fileName: name, contentType: type } = part;
          return { ...part, native: { type: 'file', fileName: name, contentType: type, data } };
        });
        files.push({ fileName, sha256: hash, parts: shown });
      }
      return files;
    },

    /** Refuses a set of files of which the model could be shown nothing. */
    mustBeReadable(files: readonly ReadFile[]): void {
      const readable = files.some(({ parts }) =>
        parts.some(({ unreadable, native }) => unreadable === null || native !== null),
      );
      if (files.length === 0 || readable) return;
      const why = files.flatMap(({ parts }) => parts.map(({ fileName, unreadable }) => `${fileName} ${unreadable}`));
      throw new UnitFailure('unreadable_file', `${why.join('; ')}.`);
    },
  };
};

export type FileReader = ReturnType<typeof fileReader>;
