import { ConversionFailed, type Converter } from '../../application/ports/converter.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { SourceFile } from '../../application/ports/text.ts';
import { fairShare } from '../../application/shared/fair-share.ts';
import { datesIn } from '../../domain/quoted-dates.ts';
import type { Sharer } from '../../domain/sharer.ts';
import { unreadablePdf } from './converter/pdf-answer.ts';
import { detectFormat } from './detect-format.ts';
import { formats } from './file-formats.ts';
import type { GivenPart } from './reader-process.ts';

export interface ConversionOptions {
  readonly converter: Converter;
  readonly log: Log;
  /** How many documents are converted at the same time. */
  readonly places?: number;
}

interface Options extends ConversionOptions {
  readonly maxWaiting: number;
  /** What a reader makes of a PDF. */
  read(file: SourceFile, end: AbortSignal): Promise<readonly GivenPart[]>;
}

const PDF = 'application/pdf';
const TOO_MANY = 'could not be converted to PDF: too many files are waiting for it; try again later';

/** Its format, if a converter draws its pages. LibreOffice knows documents that are not zipped by names of their own. */
const extensionOf = (part: SourceFile): string | null => {
  if (part.data.length === 0) return null;
  const { format } = detectFormat(part);
  if (format === null || format === 'picture' || formats[format].isConverted !== true) return null;
  return /^od/.test(format) && part.data[0] !== 0x50 ? `f${format}` : format;
};

/**
 * A document with hidden or deleted text is shown by a converter as its author left it on the screen, deleted text included: its pages are
 * those of its text alone. What a presentation hides is whole slides and shapes, which no converter draws.
 */
const mayBeDrawn = (extension: string, { notes = [] }: GivenPart) =>
  /^(?:ppt|pptx|f?odp)$/.test(extension) || !notes.some(({ kind }) => kind === 'hidden');

const DAY_MS = 86_400_000;

/** Yesterday, today and tomorrow are today somewhere. */
const todays = (now: number): readonly string[] =>
  [-1, 0, 1].map((days) => new Date(now + days * DAY_MS).toISOString().slice(0, 10));

const datesOf = ({ pages }: Pick<GivenPart, 'pages'>) => datesIn(pages.map(({ text }) => text).join('\n'));

/** Whether the pages say a date that the file does not: a field for the date of today has the day of the conversion then. */
const hasNewDate = (pages: GivenPart, part: GivenPart, now: number): boolean => {
  const shown = datesOf(pages);
  const known = datesOf(part);
  return todays(now).some((day) => shown.has(day) && !known.has(day));
};

const wayTo = ({ fileName, within }: GivenPart) => (within === undefined ? fileName : `${within} › ${fileName}`);

/** Gives documents the pages that a converter draws; what cannot be converted stays as it was read. */
export const convertedParts = ({ converter, log, places = 1, maxWaiting, read }: Options) => {
  const refusal = () => new ConversionFailed(TOO_MANY);
  const share = fairShare({ places, mostWaiting: maxWaiting, refusal });

  const converted = async (
    part: GivenPart,
    extension: string,
    sharer: Sharer,
    end: AbortSignal,
  ): Promise<GivenPart> => {
    const data = await converter.convert({ extension, data: part.data }, end);
    const [pages] = await read({ fileName: part.fileName, contentType: PDF, data, sharer }, end);
    if (pages === undefined || (pages.unreadable !== null && pages.scans.length === 0))
      throw unreadablePdf(pages?.unreadable ?? 'has no pages');
    if (part.unreadable === null && hasNewDate(pages, part, Date.now()))
      throw new ConversionFailed('has a field for the date of today, which the conversion has filled in');
    const { fileName, within, notes = [] } = part;
    const kept = [...notes.filter(({ kind }) => kind === 'hidden'), ...(pages.notes ?? [])];
    return { ...pages, fileName, ...(within !== undefined && { within }), notes: kept, isConverted: true };
  };

  /** A part that a converter draws; the part as it was read where it cannot. */
  const tried: typeof converted = async (part, extension, sharer, end) => {
    try {
      return await share.pass(sharer, () => converted(part, extension, sharer, end), end);
    } catch (error) {
      if (!(error instanceof ConversionFailed) || end.aborted) throw error;
      const about = { err: error, converter: converter.name, format: extension, bytes: part.data.length };
      log.warn(about, 'a document was not converted to PDF: it stays as it was read without a converter');
      return part.unreadable === null || part.isContainer ? part : { ...part, unreadable: error.message };
    }
  };

  return {
    async of(parts: readonly GivenPart[], sharer: Sharer, end: AbortSignal): Promise<readonly GivenPart[]> {
      const all: GivenPart[] = [];
      /** Documents whose pictures are on their pages now. */
      const drawn = new Set<string>();
      for (const part of parts) {
        if (part.isIllustration && drawn.has(part.within ?? '')) continue;
        const extension = extensionOf(part);
        const isDrawable = extension !== null && mayBeDrawn(extension, part);
        const shown = isDrawable ? await tried(part, extension, sharer, end) : part;
        all.push(shown);
        if (shown.isConverted) drawn.add(wayTo(part));
      }
      return all;
    },
  };
};
